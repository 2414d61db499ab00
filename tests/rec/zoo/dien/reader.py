from __future__ import print_function

import random

import numpy as np

from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Reader(ReaderBase):
    def init(self):
        self.batch_size = envs.get_global_env("dataset.dataset_train.batch_size", 16)
        self.group_size = self.batch_size * 2

    def _process_line(self, line):
        line = line.strip().split(";")
        hist = [int(x) for x in line[0].split()]
        cate = [int(x) for x in line[1].split()]
        return [hist, cate, int(line[2]), int(line[3]), float(line[4])]

    def make_data(self, b):
        max_len = 6
        mask = np.array([[1.0] * len(x[0]) + [0.0] * (max_len - len(x[0])) for x in b],
                        dtype="float32").reshape([-1, max_len, 1])
        rows = []
        for i, x in enumerate(b):
            neg = [(3 * k + 1) % 60 for k in x[0]]
            rows.append([x[0], x[1], x[2], x[3], x[4], mask[i], neg])
        return rows

    def generate_batch_from_trainfiles(self, files):
        data_set = []
        for path in files:
            with open(path, "r") as fin:
                for line in fin:
                    data_set.append(self._process_line(line))
        random.Random(3).shuffle(data_set)

        def batches():
            for i in range(0, len(data_set), self.group_size):
                group = sorted(data_set[i:i + self.group_size], key=lambda x: len(x[0]))
                for j in range(0, len(group), self.batch_size):
                    b = group[j:j + self.batch_size]
                    if len(b) == self.batch_size:
                        yield self.make_data(b)
        return batches
