import random

from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Reader(ReaderBase):
    def init(self):
        self.vocab_size = envs.get_global_env("hyper_parameters.vocab_size")
        random.seed(2)

    def sample_neg_from_seq(self, seq):
        return seq[random.randint(0, len(seq) - 1)]

    def generate_sample(self, line):
        def reader():
            ids = [int(x) for x in line.strip().split()]
            if len(ids) <= 1:
                return
            length = len(ids) - 1
            for i in range(1, length):
                feature = ids[:i]
                target = ids[i]
                neg = (target * 7 + 3) % self.vocab_size
                yield [("user", feature), ("p_item", [target]), ("n_item", [neg])]
        return reader
