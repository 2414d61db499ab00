"""What real Paddle 1.8.5 trains on several threads of a trainer: python record_threads.py, with the
Python that has it, writes golden/threads.json. Threads of its async and geo race: a pause between
batches lets each batch count."""
import json
import os
import socket
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def run(mode, threads, pause):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    env = dict(os.environ, CPU_NUM=str(threads), PAUSE=pause, POD_IP="127.0.0.1", PADDLE_PORT=port,
               PADDLE_PSERVERS_IP_PORT_LIST="127.0.0.1:" + port, PADDLE_TRAINERS_NUM="1",
               PADDLE_TRAINER_ID="0")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, os.path.join(HERE, "threads_script.py"), mode, folder]
        server = subprocess.Popen(command, env=dict(env, TRAINING_ROLE="PSERVER"))
        worker = subprocess.Popen(command, env=dict(env, TRAINING_ROLE="TRAINER"),
                                  stdout=subprocess.PIPE)
        try:
            out = worker.communicate(timeout=45)[0].decode()
        except subprocess.TimeoutExpired:
            worker.kill()  # some runs hang, most of them after all is done
            out = worker.communicate()[0].decode()
        finally:
            server.kill()  # it never ends by itself
            server.wait()
        lines = [line for line in out.splitlines() if line.startswith("{")]
        if not lines or not os.path.exists(os.path.join(folder, "w")):
            return run(mode, threads, pause)
        loss = json.loads(lines[0])["loss"]
        w = np.fromfile(os.path.join(folder, "w"), "float32")[-1]  # of tables it saves no values
        return {"w": round(float(w), 4), "loss": [[round(v, 4) for v in step] for step in loss]}


if __name__ == "__main__":
    golden = {"%s %d" % (mode, threads): run(mode, threads, "0.2" if mode in ("async", "geo") else "0")
              for mode in ("sync", "half_async", "async", "geo") for threads in (1, 2, 3)}
    with open(os.path.join(HERE, "golden", "threads.json"), "w") as file:
        file.write("{%s}\n" % ",\n".join("%s: %s" % (json.dumps(name), json.dumps(golden[name]))
                                         for name in sorted(golden)))
