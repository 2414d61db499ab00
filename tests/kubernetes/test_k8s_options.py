"""What `paddle k8s` refuses, and what it says then: it knows before a cluster does."""
import subprocess

import pytest

from built import PADDLE
from k8s_kubelet import documents_of, of_kind, pods_of, run_k8s

GIVEN = {"--name": "w2v", "--image": "registry.local/w2v:1", "--cmd": "python train.py"}


def refusal(*more, **changed):
    """stderr of a call that must be refused with status 2, writing nothing."""
    given = dict(GIVEN, **{"--" + k: v for k, v in changed.items()})
    words = [w for pair in given.items() if pair[1] is not None for w in pair]
    done = run_k8s(*words + list(more))
    assert done.returncode == 2 and done.stdout == "", (done.stdout, done.stderr)
    assert done.stderr.startswith("k8s: ") and "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("name, tells", [
    (None, "--name is missing"),
    ("", "--name is missing"),
    ("My_Job", "try my-job"),
    ("2fast", "beginning with a letter"),
    ("job-", "try job"),
    ("a.b", "try a-b"),
    ("-job", "try job"),
    ("x" * 45, "has 45 characters, and may have 44"),
    ("\u4e2d\u6587", "small letters, digits and hyphens"),
])
def test_names(name, tells):
    assert tells in refusal(name=name)


def test_the_longest_name_makes_good_names():
    """Labels made of it: NAME-pserver-REVISION has 63 characters."""
    documents = documents_of("--name", "x" * 44, "--image", "i", "--cmd", "c")
    assert len(of_kind(documents, "StatefulSet")["metadata"]["name"] + "-0123456789") == 63


@pytest.mark.parametrize("words, tells", [
    (["--servers", "0"], "--servers=0: at least 1 is needed"),
    (["--trainers", "-1"], "--trainers=-1: at least 1 is needed"),
    (["--servers", "two"], "invalid int value: 'two'"),
    (["--serverss", "2"], "there is no option --serverss; did you mean --servers?"),
    (["--trainer=2"], "there is no option --trainer; did you mean --trainers?"),
    (["--imgae", "x"], "did you mean --image?"),
    (["--zzzzqqqq", "x"], "there is no option --zzzzqqqq; `paddle k8s --help`"),
    (["train.py"], "--cmd 'WHOLE LINE'"),
    (["--kind", "tensorflow"], "choose from"),
    (["--namespace", "Team_A"], "--namespace=Team_A is no name for Kubernetes"),
    (["--port", "0"], "--port=0"),
    (["--port", "65535"], "would listen on 65535 to 65536"),
    (["--ports-num", "0"], "--ports-num=0: at least 1"),
    (["--kind", "fluid", "--ports-num", "2"], "--ports-num is for --kind v2"),
    (["--kind", "paddlejob", "--ports_num_for_sparse", "1"], "--ports-num-for-sparse is for"),
    (["--cpu", "two"], "write 2 or 500m"),
    (["--cpu", "0"], "--cpu=0 is no amount"),
    (["--memory", "4GB"], "--memory=4GB is no amount: write 4Gi or 512Mi"),
    (["--memory", "4"], "--memory=4 would be so many bytes: write 4Gi"),
    (["--server-memory", "lots"], "--server-memory=lots is no amount"),
    (["--env", "X"], "--env=X is not NAME=VALUE"),
    (["--env", "1X=2"], "is not NAME=VALUE"),
    (["--env", "PADDLE_TRAINER_ID=3"], "the job sets PADDLE_TRAINER_ID"),
    (["--env", "A=1", "--env", "A=2"], "--env A is given twice"),
    (["--volume", "claim"], "is not CLAIM:/PATH"),
    (["--volume", "claim:data"], "it begins with /"),
    (["--volume", "claim:/a:rx"], "is not CLAIM:/PATH"),
    (["--volume", "a:/data", "--data", "b"], "the path /data is given twice"),
    (["--data", "Bad_Claim"], "--data=Bad_Claim is no name for Kubernetes"),
    (["--patience", "0"], "--patience=0: at least 1"),
    (["--output", "/nowhere/job.yaml"], "--output=/nowhere/job.yaml cannot be written"),
    (["--delete", "--apply"], "leave out --apply"),
    (["--cmd"], "--cmd"),
    (["--env", "--output", "x"], "--env: expected one argument"),
])
def test_other_options(words, tells):
    assert tells in refusal(*words)


def test_what_is_missing():
    assert "--image is missing" in refusal(image=None)
    assert "--cmd is missing" in refusal(cmd=None)
    assert "--cmd is missing" in refusal(cmd=" ")
    assert "--image=a b is no image" in refusal(image="a b")


def test_underscores_are_hyphens_in_options_alone():
    documents = documents_of("--name=w", "--image=i", "--cmd", "--my_flag", "--ports_num=2",
                             "--env", "MY_VAR=a_b", "--env=PATHS=a=b")
    trainer = [p for p in pods_of(documents) if p.part == "trainer"][0]
    assert trainer.container["command"] == ["/bin/sh", "-c", "--my_flag"]
    given = [(e["name"], e.get("value")) for e in trainer.container["env"]]
    assert ("MY_VAR", "a_b") in given and ("PATHS", "a=b") in given
    assert ("PADDLE_INIT_PORTS_NUM", "2") in given


def test_the_command():
    """It is a command of `paddle`, which hands status and words on."""
    done = subprocess.run([PADDLE, "k8s", "--name", "My_Job"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("k8s: --name=My_Job") and "try my-job" in done.stderr


def test_help():
    done = run_k8s("--help")
    assert done.returncode == 0
    for word in ("--servers", "--trainers", "--image", "--cmd", "kubectl create -f -"):
        assert word in done.stdout
