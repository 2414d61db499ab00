"""`make demo`: make logs up from a model that is known, learn from them on 2 parameter servers with
2 workers, and say how near the training came to that model.

    python dist_demo.py [--rows N] [--mode sync|async|half_async|geo] [--output FOLDER]"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import demo
import infer
import train

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = 16


def launch(args, raw, curve, model):
    """The job: its exit status. Worker 0 is shown, with its progress bar; all of it is on a page, whose
    address the launcher says."""
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
               "--worker_num", str(args.workers), "--server_num", str(args.servers), "--log_dir",
               os.path.join(args.output, "logs"), "--page", os.path.join(HERE, "dist_train.py"),
               "--train", os.path.join(raw, "part-*"), "--mode", args.mode, "--optimizer", "Adam",
               "--points", "8", "--curve", curve, "--model", model]
    return subprocess.call(command)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1600000)
    parser.add_argument("--mode", default="async", choices=["sync", "async", "half_async", "geo"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--output", default="output/ctr")
    parser.add_argument("--no-plot", action="store_true", help="do without matplotlib")
    args = parser.parse_args()
    raw, test, curve, model = [os.path.join(args.output, name) for name in
                               ("raw_data", "held_out", "auc.json", "dist.model")]
    shutil.rmtree(raw, ignore_errors=True)
    os.makedirs(raw)
    began = time.monotonic()
    print("generating %d lines of click logs ..." % args.rows, flush=True)
    for part in range(PARTS):
        demo.generate(args.rows // PARTS, 100 + part, os.path.join(raw, "part-%02d" % part))
    best = demo.generate(min(50000, args.rows), 7, test)
    print("training on %d servers and %d workers, %s ..." % (args.servers, args.workers, args.mode),
          flush=True)
    status = launch(args, raw, curve, model)
    if status != 0:
        return status
    held_out, examples = infer.infer(model, [test], thread_num=os.cpu_count() or 1)
    if not args.no_plot:
        with open(curve) as points:
            train.plot(json.load(points), os.path.join(args.output, "auc.png"), best, held_out)
    print("inference model: %s" % model)
    print("held out: AUC %.4f over %d examples; the model that made them up reaches %.4f: "
          "%.0f %% of the way from chance, in %.0f s"
          % (held_out, examples, best, 100 * (held_out - 0.5) / (best - 0.5),
             time.monotonic() - began))
    return 0 if held_out > 0.6 else 1


if __name__ == "__main__":
    sys.exit(main())
