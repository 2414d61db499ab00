"""data.py DIR: the data of the CTR benchmark, made once: DIR/raw/part-N (Criteo logs from `paddle
gen-criteo`), DIR/text/part-N (the same as multi-slot text), DIR/train.npz, DIR/rows (of a part)."""
import os
import subprocess
import sys

import numpy as np

PARTS, ROWS, BUCKETS = 8, 10000, 1000001


def main(folder, paddle="paddle"):
    if os.path.exists(folder + "/rows"):
        return
    for name in "raw", "text":
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    dense, ids, label = [], [], []
    for part in range(PARTS):
        raw, text = ["%s/%s/part-%d" % (folder, name, part) for name in ("raw", "text")]
        subprocess.check_call([paddle, "gen-criteo", "--rows", str(ROWS), "--seed", str(part),
                               "--out", raw], stderr=subprocess.DEVNULL)
        with open(text, "w") as out:
            subprocess.check_call([paddle, "criteo", "--hash", str(BUCKETS), raw], stdout=out)
        table = np.loadtxt(text)
        dense.append(table[:, 1:14].astype("float32"))
        ids.append(table[:, 15:67:2].astype("int64"))
        label.append(table[:, 67].astype("int64"))
    np.savez(folder + "/train.npz", dense=np.concatenate(dense), ids=np.concatenate(ids),
             label=np.concatenate(label))
    with open(folder + "/rows", "w") as out:
        out.write(str(ROWS))


if __name__ == "__main__":
    main(*sys.argv[1:])
