"""What the README shows runs as it is pasted."""
import os
import re
import shutil
import subprocess
import sys

from built import ROOT
from demo_job import environment
from ports import free_ports


def blocks():
    """The indented blocks of the page."""
    with open(os.path.join(ROOT, "README.md")) as page:
        return re.findall(r"(?:^    .*\n|^\n(?=    ))+", page.read(), re.MULTILINE)


def test_the_first_script_runs_and_learns():
    script, = [b for b in blocks() if "import paddle.fluid" in b]
    script = "\n".join(line[4:] for line in script.splitlines())
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"loss \[?([\d.e-]+)", done.stdout).group(1)) < 1


def test_the_lines_for_real_logs_learn(tmp_path):
    line, = [b for b in blocks() if "dist_train.py --train" in b]
    bin_dir = os.path.dirname(sys.executable)
    paddle = os.path.join(bin_dir, "paddle")
    (tmp_path / "logs").mkdir()
    for name, seed in (("part-0", 1), ("part-1", 2), ("test-0", 3)):
        subprocess.run([paddle, "gen-criteo", "--rows", "30000", "--seed", str(seed), "--out",
                        str(tmp_path / "logs" / name)], check=True, timeout=60,
                       capture_output=True)
    line = line.replace("FOLDER", str(tmp_path / "logs")).replace("demo/", ROOT + "/demo/") \
               .replace("$PWD/.venv/bin", bin_dir)
    done = subprocess.run(["sh", "-ec", line], cwd=str(tmp_path), capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert float(re.search(r"auc[^\d]*([\d.]+)[^a]*\Z", done.stdout.lower()).group(1)) > 0.6, done.stdout


def test_the_v2_job_trains_and_infers(tmp_path):
    """On ports of its own, and fewer lines: others may run on this machine."""
    lines, = [b for b in blocks() if "paddle pserver" in b]
    shutil.copytree(os.path.join(ROOT, "demo"), str(tmp_path / "demo"))
    port = "--port=%d " % free_ports(2)
    lines = lines.replace("pserver ", "pserver " + port).replace("cluster.py ", "cluster.py " + port) \
                 .replace("--lines=20000", "--lines=2000")
    done = subprocess.run(["bash", "-ec", lines], cwd=str(tmp_path), capture_output=True, text=True,
                          timeout=120, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"^\S+ +0\.\d{4}$", done.stdout, re.MULTILINE)) == 5, done.stdout
