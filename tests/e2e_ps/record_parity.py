"""Record what real Paddle 1.8.5 makes of parity_script.py: run this with its Python.

Its servers never end by themselves; they are ended here."""
import os
import shutil
import socket
import subprocess
import sys
import tempfile

import numpy as np

import parity_script

HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(optimizer, folder):
    ports = [str(free_port()) for _ in range(2)]
    env = dict(os.environ, PADDLE_TRAINERS_NUM="2", CPU_NUM="1", PADDLE_PSERVERS_IP_PORT_LIST=",".join(
        "127.0.0.1:" + port for port in ports))
    script = [sys.executable, os.path.join(HERE, "parity_script.py")]
    start, end = os.path.join(folder, "start"), os.path.join(folder, "end")
    subprocess.check_call(script + ["make", optimizer, start], env=env)
    servers = [subprocess.Popen(script + ["job", optimizer, start, end], env=dict(
        env, TRAINING_ROLE="PSERVER", POD_IP="127.0.0.1", PADDLE_PORT=port)) for port in ports]
    try:
        workers = [subprocess.Popen(
            script + ["job", optimizer, start, end], stdout=subprocess.PIPE,
            universal_newlines=True,
            env=dict(env, TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID=str(i))) for i in range(2)]
        texts = [w.communicate(timeout=120)[0] for w in workers]
        assert all(w.returncode == 0 for w in workers)
    finally:
        for server in servers:
            server.kill()
    losses = [[float(line.split()[1]) for line in text.splitlines() if line.startswith("loss ")]
              for text in texts]
    found = {"%s/%s" % (optimizer, k): v for k, v in parity_script.sample(end).items()}
    found[optimizer + "/losses"] = np.array(losses)
    return found


def main():
    golden = {}
    for optimizer in sorted(parity_script.RATES):
        folder = tempfile.mkdtemp()
        golden.update(run(optimizer, folder))
        shutil.rmtree(folder)
    np.savez_compressed(os.path.join(HERE, "golden", "parity.npz"), **golden)


if __name__ == "__main__":
    main()
