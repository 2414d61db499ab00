"""The same model in PyTorch, from arrays, without an AUC: eager, or compiled but for the table
(gradients of rows cannot be compiled).

    python ctr_torch.py --data DIR [--threads N] [--compile] [--bf16] [--parts N] [--reps N]

--bf16: under autocast, whose weights and gradients are float32 as ours are."""
import argparse
import json
import math
import resource
import sys
import time

import numpy as np
import torch
from torch import nn

TABLE_ROWS, WIDTH, DENSE, SLOTS, BATCH = 1000001, 10, 13, 26, 512


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(TABLE_ROWS, WIDTH, sparse=True)
        nn.init.uniform_(self.table.weight, -1, 1)
        widths = [SLOTS * WIDTH + DENSE, 400, 400, 400, 2]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))
        for layer in self.layers:
            nn.init.normal_(layer.weight, 0, 1 / math.sqrt(layer.in_features))
            nn.init.zeros_(layer.bias)

    def dense_part(self, rows, dense):
        x = torch.cat([rows.flatten(1), dense], 1)
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--reps", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    net, arrays = Net(), np.load(args.data + "/train.npz")
    with open(args.data + "/rows") as count:
        n = int(count.read()) * args.parts // BATCH * BATCH
    dense, ids, label = [torch.from_numpy(arrays[k][:n]) for k in ("dense", "ids", "label")]
    forward = torch.compile(net.dense_part) if args.compile else net.dense_part
    sgd = torch.optim.SGD(net.parameters(), lr=1e-4)

    def epoch():
        for at in range(0, n, BATCH):
            part = slice(at, at + BATCH)
            sgd.zero_grad(set_to_none=True)
            with torch.autocast("cpu", torch.bfloat16, enabled=args.bf16):
                out = forward(net.table(ids[part]), dense[part])
            loss = nn.functional.cross_entropy(out.float(), label[part], reduction="sum")
            loss.backward()
            sgd.step()
    epoch()
    for _ in range(args.reps):
        cpu, wall = time.process_time(), time.time()
        epoch()
        cpu, wall = time.process_time() - cpu, time.time() - wall
        print(json.dumps({"per_cpu": n / cpu, "per_second": n / wall, "rows": n,
                          "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0}))
        sys.stdout.flush()


main()
