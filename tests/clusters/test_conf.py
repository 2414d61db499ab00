"""conf.py of the SSH launchers: the texts' values, and files as people have them from that time."""
import os

import pytest

from ssh_job import SCRIPTS

from paddle.scripts import ssh_cluster

OF_THE_TEXT = """HOSTS = [
        "root@192.168.100.17",
        "root@192.168.100.18",
        ]

'''
工作空间配置
'''

#工作空间根目录
ROOT_DIR = "/home/paddle"

'''
网络配置
'''
#pserver NIC
PADDLE_NIC = "eth0"
#pserver 端口
PADDLE_PORT = 7164
#pserver 端口数
PADDLE_PORTS_NUM = 2
#pserver sparse ports num
PADDLE_PORTS_NUM_FOR_SPARSE = 2

#集群作业中所有进程的环境设置
LD_LIBRARY_PATH="/usr/local/cuda/lib64:/usr/lib64"
"""


def values(path):
    conf = ssh_cluster.load_conf(str(path))
    return {name: value for name, value in vars(conf).items() if name.isupper()}


def test_v1_ships_the_values_of_the_text(tmp_path):
    (tmp_path / "conf.py").write_text(OF_THE_TEXT, encoding="utf-8")
    shipped = values(os.path.join(SCRIPTS, "cluster_train", "conf.py"))
    assert shipped == values(tmp_path / "conf.py")
    assert shipped["LD_LIBRARY_PATH"] == "/usr/local/cuda/lib64:/usr/lib64"


def test_v2_ships_its_own():
    shipped = values(os.path.join(SCRIPTS, "cluster_train_v2", "fabric", "conf.py"))
    assert shipped["ROOT_DIR"] == "/root" and shipped["PADDLE_USE_GPU"] == "False"
    assert shipped["PADDLE_PORTS_NUM"] == shipped["PADDLE_PORTS_NUM_FOR_SPARSE"] == 1
    assert len(shipped["HOSTS"]) == 3


def test_a_conf_that_is_no_python_is_named(tmp_path):
    (tmp_path / "conf.py").write_text("HOSTS = [\n")
    with pytest.raises(ssh_cluster.Refused, match="conf.py: SyntaxError"):
        values(tmp_path / "conf.py")
    (tmp_path / "conf.py").write_text("HOSTS = ['a']\n")
    with pytest.raises(ssh_cluster.Refused, match="does not set ROOT_DIR"):
        values(tmp_path / "conf.py")
