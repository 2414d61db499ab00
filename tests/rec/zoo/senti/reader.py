import numpy as np

from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Reader(ReaderBase):
    def init(self):
        self.max_len = envs.get_global_env("hyper_parameters.max_len")
        self.batch_size = envs.get_global_env("dataset.dataset_train.batch_size")

    def _process_line(self, l):
        l = l.strip().split(" ")
        data = l[0:len(l) - 1]
        seq_len = min(len(data), self.max_len)
        data = [int(x) for x in (data + ["0"] * self.max_len)[:self.max_len]]
        return data, [seq_len], [int(l[-1])]

    def generate_sample(self, line):
        def data_iter():
            data, seq_len, label = self._process_line(line)
            yield [('data', data), ('seq_len', seq_len), ('label', label)]
        return data_iter

    def batch_tensor_creator(self, sample_reader):
        def batches():
            rows = []
            for row in sample_reader():
                rows.append(row)
                if len(rows) == self.batch_size:
                    yield [np.array([r[0] for r in rows]).astype("int64"),
                           np.array([r[1] for r in rows]).astype("int64").reshape([-1]),
                           np.array([r[2] for r in rows]).astype("int64")]
                    rows = []
        return batches
