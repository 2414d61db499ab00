"""table.py OURS TORCH: the table of run.sh. Ends with status 1 where a bar is missed."""
import json
import re
import sys

BARS = {("tf32", 512): 60, ("tf32", 4096): 120, ("tf32", 32768): 600,
        ("fp32", 512): 90, ("fp32", 4096): 300, ("fp32", 32768): 2300}


def read_ours(path):
    found = {}
    for line in open(path):
        if line.startswith("{"):
            row = json.loads(line)
            found[row["precision"], row["batch"], row["input"]] = row
    return found


def read_torch(path):
    found = {}
    for line in open(path):
        m = re.match(r"tf32=(\w+) B=(\d+) (\S+): ([0-9.]+) us/step", line)
        if m:
            key = ("tf32" if m[1] == "True" else "fp32", int(m[2]))
            found.setdefault(key, {})[m[3]] = float(m[4])
    return found


def figure(row):
    return "-" if row is None else "failed" if "failed" in row else "%.0f" % row["us"]


def main():
    ours, torch = read_ours(sys.argv[1]), read_torch(sys.argv[2])
    missed = 0
    print("microseconds a step, CTR-DNN    exe.run  dataset      bar    eager   best PyTorch")
    for precision, batch in sorted({key[:2] for key in ours}):
        ways = [ours.get((precision, batch, way)) for way in ("resident", "dataset")]
        peer = torch.get((precision, batch), {})
        bar = BARS.get((precision, batch))
        best = min([row["us"] for row in ways if row and "us" in row] or [float("inf")])
        missed += bar is not None and best > bar
        print("%s, batch %-6d %23s %8s %8s %8s %14s%s" % (
            precision, batch, figure(ways[0]), figure(ways[1]), bar or "-",
            "%.0f" % peer["eager"] if "eager" in peer else "-",
            "%.0f" % min(peer.values()) if peer else "-",
            "   missed" if bar is not None and best > bar else ""))
    for row in ours.values():
        if "failed" in row:
            print(row["precision"], row["batch"], row["input"], row["failed"])
            missed += 1
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
