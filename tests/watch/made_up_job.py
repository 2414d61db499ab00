"""Files of a job that never ran, as processes write them into LOG_DIR/watch: two workers, of which
one is slow to read and was killed once, two servers, one of which is stopped.

    python made_up_job.py FOLDER [SECONDS]

Numbers are the same each time; times end now."""
import json
import math
import os
import sys
import time

PARTS = ("read", "pull", "compute", "push", "wait")


class Job(object):
    def __init__(self, folder, now=None):
        self.folder = folder
        os.makedirs(os.path.join(folder, "watch"), exist_ok=True)
        self.now = time.time() if now is None else now

    def line(self, process, t, **more):
        path = os.path.join(self.folder, "watch", process + ".jsonl")
        with open(path, "a") as file:
            file.write(json.dumps(dict({"t": round(t, 3)}, **more)) + "\n")

    def start(self, process, t, pid, incarnation=0, **more):
        self.line(process, t, start=dict(
            process=process, pid=pid, host="node7", job="3f2a9c-4711", incarnation=incarnation,
            endpoint="" if "worker" in process else "127.0.0.1:617%s" % process[-1],
            version="0.1.0", **more))

    def event(self, process, t, kind, who, text):
        self.line(process, t, event=kind, who=who, text=text)

    def sample(self, process, t, **values):
        self.line(process, t, m={"regatta_" + k: v for k, v in values.items()})


def worker(job, number, i, since, slow):
    """One second of a worker; `since`: of its life."""
    rate = 30000 * (0.55 if slow else 1)
    done = rate * since + 9000 * (1 - math.cos(since / 7.0))
    parts = (0.55, 0.08, 0.3, 0.05, 0.02) if slow else (0.06, 0.12, 0.68, 0.09, 0.05)
    values = {"examples_total": int(done), "batches_total": int(done / 512),
              "process_cpu_seconds_total": round(since * (0.5 if slow else 0.93), 3),
              "process_resident_bytes": 180e6 + 2e5 * i,
              "network_sent_bytes_total": 2.2e6 * since,
              "network_received_bytes_total": 3.1e6 * since,
              "loss": round(0.46 + 0.2 * math.exp(-i / 25.0) + 0.006 * math.sin(i * 1.7 + number), 5),
              "progress_ratio": round(min(1, i / 200.0), 4)}
    values.update({'step_seconds_total{part="%s"}' % p: round(share * since, 3)
                   for p, share in zip(PARTS, parts)})
    if number == 0:
        values["global_auc"] = round(0.78 - 0.24 * math.exp(-i / 30.0), 5)
        if i % 20 == 0:
            values['auc{set="test"}'] = round(0.77 - 0.22 * math.exp(-i / 30.0), 5)
            values['loss{set="test"}'] = round(0.475 + 0.19 * math.exp(-i / 25.0), 5)
    return values


def server(job, number, i):
    rows = int(900000 * (1 - math.exp(-i / 80.0)))
    values = {"process_cpu_seconds_total": 0.4 * i, "process_resident_bytes": 60e6 + rows * 70,
              "network_sent_bytes_total": 3.0e6 * i, "network_received_bytes_total": 2.1e6 * i,
              "table_limit_bytes": 256 << 20, "table_lookups_total": 400000 * i,
              "table_hits_total": int(400000 * i * 0.97), "pulls_total": 110 * i,
              "pushes_total": 110 * i, "server_busy_seconds_total": 0.36 * i}
    for table, share in (("SparseFeatFactors", 0.8), ("wide_part", 0.2)):
        values['table_rows{table="%s"}' % table] = int(rows * share)
        values['table_bytes{table="%s"}' % table] = int(rows * share * 145)
    return values


def program():
    ops, variables = [], {"dense": {"shape": [-1, 13], "dtype": "float32", "persistable": False}}

    def op(kind, inputs, outputs, shape, **attrs):
        ops.append({"type": kind, "inputs": inputs, "outputs": outputs, "attrs": attrs})
        for names in outputs.values():
            for name in names:
                variables[name] = {"shape": shape, "dtype": "float32", "persistable": False}

    for i in range(4):
        op("lookup_table", {"Ids": ["C%d" % i], "W": ["SparseFeatFactors"]},
           {"Out": ["emb_%d" % i]}, [-1, 10], is_sparse=True, padding_idx=-1)
    op("concat", {"X": ["emb_%d" % i for i in range(4)] + ["dense"]}, {"Out": ["all"]}, [-1, 53],
       axis=1)
    for i, width in enumerate((400, 400, 2)):
        variables["fc_%d.w" % i] = {"shape": [53 if i == 0 else 400, width], "dtype": "float32",
                                    "persistable": True}
        op("mul", {"X": ["all" if i == 0 else "relu_%d" % (i - 1)], "Y": ["fc_%d.w" % i]},
           {"Out": ["mul_%d" % i]}, [-1, width], x_num_col_dims=1, y_num_col_dims=1)
        op("elementwise_add", {"X": ["mul_%d" % i], "Y": ["fc_%d.b" % i]}, {"Out": ["add_%d" % i]},
           [-1, width], axis=1)
        if i < 2:
            op("relu", {"X": ["add_%d" % i]}, {"Out": ["relu_%d" % i]}, [-1, width])
    op("softmax", {"X": ["add_2"]}, {"Out": ["predict"]}, [-1, 2])
    op("cross_entropy", {"X": ["predict"], "Label": ["click"]}, {"Y": ["cost"]}, [-1, 1])
    op("mean", {"X": ["cost"]}, {"Out": ["loss"]}, [1])
    op("auc", {"Predict": ["predict"], "Label": ["click"]}, {"AUC": ["auc"]}, [1])
    op("mean_grad", {"X": ["cost"], "Out@GRAD": ["loss@GRAD"]}, {"X@GRAD": ["cost@GRAD"]}, [-1, 1])
    op("sgd", {"Param": ["fc_2.w"], "Grad": ["fc_2.w@GRAD"]}, {"ParamOut": ["fc_2.w"]}, [400, 2])
    return {"blocks": [{"ops": ops, "vars": variables}]}


def make(folder, seconds=150, ends=False):
    job = Job(folder)
    begin = job.now - seconds
    names = ["server.0", "server.1", "worker.0", "worker.1"]
    job.start("launcher", begin - 0.5, 4710, workers=2, servers=2)
    for k, name in enumerate(names):
        job.event("launcher", begin - 0.4, "started", name, "pid %d" % (4711 + k))
        job.start(name, begin, 4711 + k)
    job.line("launcher", begin, state={name: "running" for name in names})
    killed, stopped = int(seconds * 0.4), seconds - 4
    for i in range(1, seconds + 1):
        t = begin + i
        for k, name in enumerate(names):
            if k < 2 and not (name == "server.1" and i > stopped and not ends):
                job.sample(name, t, **server(job, k, i))
            elif k == 2 or (k == 3 and not killed <= i < killed + 3):
                job.sample(name, t, **worker(job, k - 2, i, i if k == 2 or i < killed else
                                             i - killed - 2, slow=k == 3))
        if i == killed:
            job.event("launcher", t, "killed", "worker.1", "died: signal 9, SIGKILL (pid 4714), after "
                      "%d s; it is started again (1 of 3)" % i)
            job.line("launcher", t, state={"worker.1": "dead"})
        if i == killed + 3:
            job.start("worker.1", t, 4777, 1)
            job.event("launcher", t, "started", "worker.1", "pid 4777, life 2")
            job.line("launcher", t, state={"worker.1": "running"})
            job.event("server.0", t + 0.2, "rejoined", "worker.1", "goes on at step 1,204")
        if i % 40 == 0:
            job.event("server.0", t, "snapshot", "server.0", "12.4 MB in 0.08 s")
        if i == stopped and not ends:
            job.event("launcher", t, "stopped", "server.1",
                      "stopped by a signal (pid 4712): kill -CONT 4712 lets it go on")
            job.line("launcher", t, state={"server.1": "stopped"})
    if ends:
        job.line("launcher", job.now, state={name: "finished" for name in names})
        job.event("launcher", job.now, "finished", "launcher", "success")
        job.line("launcher", job.now, end={"status": 0})
    with open(os.path.join(folder, "watch", "program.worker.0.json"), "w") as file:
        json.dump(program(), file)
    for name in names:
        with open(os.path.join(folder, name.replace(".", "log.")), "w") as file:
            for i in range(60):
                file.write("2026-11-16T11:%02d:00.000Z I train step=%d loss=0.47 <b>\"text\"</b>\n"
                           % (i, i * 100))
    return job


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 150)
