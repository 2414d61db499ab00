import numpy as np

from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class NumpyRandomInt(object):
    def __init__(self, a, b, buf_size=1000):
        self.rng = np.random.RandomState(4)
        self.idx = 0
        self.buffer = self.rng.randint(a, b, buf_size)
        self.a, self.b = a, b

    def __call__(self):
        if self.idx == len(self.buffer):
            self.buffer = self.rng.randint(self.a, self.b, len(self.buffer))
            self.idx = 0
        result = self.buffer[self.idx]
        self.idx += 1
        return result


class Reader(ReaderBase):
    def init(self):
        self.window_size = envs.get_global_env("hyper_parameters.window_size")
        self.neg_num = envs.get_global_env("hyper_parameters.neg_num")
        self.words = envs.get_global_env("hyper_parameters.sparse_feature_number")
        self.cs = np.linspace(0.0, 1.0, self.words + 1)[1:]
        self.random_generator = NumpyRandomInt(1, self.window_size + 1)
        self.rng = np.random.RandomState(8)

    def get_context_words(self, words, idx):
        target_window = self.random_generator()
        start_point = idx - target_window
        if start_point < 0:
            start_point = 0
        end_point = idx + target_window
        return words[start_point:idx] + words[idx + 1:end_point + 1]

    def generate_sample(self, line):
        def nce_reader():
            word_ids = [int(w) for w in line.split()]
            for idx, target_id in enumerate(word_ids):
                for context_id in self.get_context_words(word_ids, idx):
                    neg_array = self.cs.searchsorted(self.rng.rand(self.neg_num))
                    yield [("input_word", [int(target_id)]), ("true_label", [int(context_id)]),
                           ("neg_label", [int(x) for x in neg_array])]
        return nce_reader
