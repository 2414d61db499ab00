"""demo/word2vec: its data, on one machine, and on servers started by hand."""
import gzip
import os
import re
import tarfile

import pytest
from demo_job import Background, typed, workspace
from ports import free_ports

from paddle.fluid import safe_pickle

SMALL = "--num_passes=2 --log_period=20 --saving_period_by_batches=30"


@pytest.fixture
def folder(tmp_path):
    folder = workspace(tmp_path, "word2vec")
    typed("python prepare.py --split_count=2 --lines=2400", folder)
    return folder


def names_in(path):
    with gzip.open(path, "rb") as f, tarfile.open(fileobj=f) as tar:
        return set(tar.getnames())


def learnt(text):
    """So few lines teach at least how often a sentence ends: one word in nine, of 2073 words."""
    errors = re.findall(r"Pass \d, Testing cost [\d.]+, metrics \{'\w+': ([\d.]+)\}", text)
    return len(errors) == 2 and float(errors[-1]) < 0.95


def lines(*parts):
    with open(os.path.join(*parts)) as f:
        return f.read().splitlines()


def test_prepare_deals_the_lines_out_evenly(tmp_path):
    folder = workspace(tmp_path, "word2vec")
    typed("SPLIT_COUNT=3 python prepare.py --lines=1000", folder)
    with open(os.path.join(folder, "word_dict.pickle"), "rb") as f:
        words = safe_pickle.load(f)
    for kind in ("train", "test"):
        whole = lines(folder, kind + ".txt")
        parts = [lines(folder, "%s.txt-%05d" % (kind, i)) for i in range(3)]
        assert [len(part) for part in parts] == [334, 333, 333]
        assert sum(parts, []) == whole
        assert all(len(line.split(",")) == 5 and
                   all(0 <= int(word) < len(words) for word in line.split(",")) for line in whole)


def test_without_a_network_the_sentences_are_made_up_and_it_is_said(tmp_path):
    nowhere = "http://127.0.0.1:1"
    folder = workspace(tmp_path, "word2vec")
    out = typed("unset PADDLE_DATASET; python prepare.py --lines=10", folder, HOME=str(tmp_path),
                http_proxy=nowhere, https_proxy=nowhere)
    assert "cannot download" in out and "GENERATED" in out, out
    assert len(lines(folder, "train.txt")) == 10


def test_local_training_and_inference(folder):
    out = typed("python train.py " + SMALL, folder)
    assert "Pass 0, Batch 0, Cost 7." in out and "Testing metrics {" in out, out
    assert learnt(out), out
    assert {"_proj", "_proj.protobuf"} <= names_in(os.path.join(folder, "output",
                                                                "pass-00001.tar.gz"))
    assert os.path.exists(os.path.join(folder, "output", "batch-30.tar.gz"))
    likely = typed("python infer.py output/pass-00001.tar.gz among a group of", folder)
    assert 0 < float(likely.strip().splitlines()[-1].split()[-1]) < 1, likely


def test_straight_from_imikolov(tmp_path):
    folder = workspace(tmp_path, "word2vec")
    out = typed("python api_train_v2.py --sentences_from=test --num_passes=1 --batch_size=256",
                folder)
    assert "Pass 0, Testing cost" in out
    assert os.path.exists(os.path.join(folder, "output", "pass-00000.tar.gz"))


@pytest.mark.parametrize("how", ["environment", "arguments"])
def test_two_trainers_and_a_server_started_by_hand(folder, how):
    """As the guide types it: the server in the background, under nohup and stdbuf."""
    port = free_ports(2)
    server = ("stdbuf -oL /usr/bin/nohup paddle pserver --port=%d --ports_num=1 "
              "--ports_num_for_sparse=1 --num_gradient_servers=2 &> pserver.log" % port)
    if how == "environment":
        os.makedirs(os.path.join(folder, "train_data_dir", "train"))
        typed("mv train.txt-* train_data_dir/train; mkdir test_data_dir; mv test.txt-* test_data_dir",
              folder)

    def trainer(i):
        about = dict(use_gpu="False", trainer_count=1, port=port, ports_num=1,
                     ports_num_for_sparse=1, num_gradient_servers=2, trainer_id=i,
                     pservers="127.0.0.1")
        if how == "environment":
            return Background("python api_train_v2_cluster.py " + SMALL, folder, "train-%d.log" % i,
                              **{"PADDLE_INIT_" + k.upper(): str(v) for k, v in about.items()})
        options = " ".join("--%s=%s" % item for item in about.items())
        return Background("python api_train_v2_cluster.py %s %s --save_dir=output-%d"
                          % (SMALL, options, i), folder, "train-%d.log" % i)

    with Background(server, folder) as pserver, trainer(0) as first, trainer(1) as second:
        said = [first.wait(), second.wait()]
        pserver.wait(20)  # it ends when all trainers have left
    for i, text in enumerate(said):
        assert "trainer %d of 2: " % i in text and "train.txt-0000%d" % i in text
        assert learnt(text), text
    output = "output" if how == "environment" else "output-0"
    assert {"_proj", "_proj.protobuf"} <= names_in(os.path.join(folder, output,
                                                                "pass-00001.tar.gz"))
    assert not os.path.exists(os.path.join(folder, "output-1"))  # trainer 0 alone saves
    likely = typed("python infer.py %s/pass-00001.tar.gz among a group of" % output, folder)
    assert len(likely.strip().splitlines()) >= 5, likely
    assert lines(folder, "pserver.log")


def test_what_is_missing_is_said(tmp_path):
    folder = workspace(tmp_path, "word2vec")
    script = "python api_train_v2_cluster.py "
    assert "OMPI_COMM_WORLD_RANK" in typed(script, folder, fails=True)
    assert "trainer_id is 2, and must be 0 to 1" in typed(
        script + "--trainer_id=2 --num_gradient_servers=2", folder, fails=True)
    assert "there is no word_dict.pickle" in typed(script, folder, fails=True,
                                                   OMPI_COMM_WORLD_RANK="0")
    typed("python prepare.py --split_count=1 --lines=100", folder)
    assert "none is for trainer 1 of 2 (NNNNN % 2 == 1)" in typed(
        script + "--num_gradient_servers=2", folder, fails=True, OMPI_COMM_WORLD_RANK="1")
