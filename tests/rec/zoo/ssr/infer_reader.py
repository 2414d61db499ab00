from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Reader(ReaderBase):
    def init(self):
        self.vocab_size = envs.get_global_env("hyper_parameters.vocab_size")

    def generate_sample(self, line):
        def reader():
            ids = [int(x) for x in line.strip().split()]
            for i in range(1, len(ids)):
                yield [("user", ids[:i]), ("all_item", list(range(self.vocab_size))),
                       ("pos_label", [ids[i]])]
        return reader
