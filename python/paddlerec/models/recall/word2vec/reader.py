"""Sentences, one in a line, their words as numbers: pairs of a word and one near it."""
from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Reader(ReaderBase):
    def init(self):
        self.window = int(envs.get_global_env("hyper_parameters.window_size", 2))

    def generate_sample(self, line):
        def pairs():
            words = [int(word) for word in line.split()]
            for i, word in enumerate(words):
                for near in words[max(i - self.window, 0):i] + words[i + 1:i + 1 + self.window]:
                    yield [("input_word", [word]), ("true_label", [near])]
        return pairs
