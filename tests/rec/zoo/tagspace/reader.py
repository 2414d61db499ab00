import numpy as np

from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Reader(ReaderBase):
    def init(self):
        self.neg_size = envs.get_global_env("hyper_parameters.neg_size")
        self.num_tag = envs.get_global_env("hyper_parameters.vocab_tag_size")

    def generate_sample(self, line):
        def reader():
            cols = line.strip('\n').split(',')
            pos_index = int(cols[0])
            neg_index = [(pos_index + 1 + n) % self.num_tag for n in range(self.neg_size)]
            text = [int(w) for w in cols[1].split()]
            yield [("text", text), ("pos_tag", [pos_index]), ("neg_tag", neg_index)]
        return reader
