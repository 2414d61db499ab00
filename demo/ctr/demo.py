"""`make demo-ctr`: make logs up from a model that is known, learn from them, and say how near the
training came to that model.

    python demo.py [--rows N] [--output FOLDER]"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

import infer
import train

PARTS = 20


def generate(rows, seed, path):
    """Raw logs in a file; the AUC that the model behind them reaches."""
    command = ["paddle", "gen-criteo", "--rows", str(rows), "--seed", str(seed), "--out", path]
    done = subprocess.run(command, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return float(re.search(r"model: ([0-9.]+)", done.stderr).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1600000)
    parser.add_argument("--output", default="output/ctr")
    args = parser.parse_args()
    raw, test = os.path.join(args.output, "raw_data"), os.path.join(args.output, "held_out")
    shutil.rmtree(raw, ignore_errors=True)
    os.makedirs(raw)
    began = time.monotonic()
    print("generating %d lines of click logs ..." % args.rows, flush=True)
    for part in range(PARTS):
        generate(args.rows // PARTS, 100 + part, os.path.join(raw, "part-%d" % part))
    best = generate(50000, 7, test)
    curve = train.train(train.parse_args(["--raw_data", raw, "--model_output_dir", args.output]))
    model = os.path.join(args.output, "epoch1.model")
    held_out, examples = infer.infer(model, [test], thread_num=os.cpu_count() or 1)
    train.plot(curve, os.path.join(args.output, "auc.png"), best, held_out)
    print("inference model: %s" % model)
    print("held out: AUC %.4f over %d examples; the model that made them up reaches %.4f: "
          "%.0f %% of the way from chance, in %.0f s"
          % (held_out, examples, best, 100 * (held_out - 0.5) / (best - 0.5),
             time.monotonic() - began))
    return 0 if held_out > 0.6 else 1


if __name__ == "__main__":
    sys.exit(main())
