from paddlerec.core.reader import ReaderBase


class Reader(ReaderBase):
    def init(self):
        pass

    def generate_sample(self, line):
        def reader():
            words = [int(w) for w in line.split()][:3]
            yield [("analogy_a", [words[0]]), ("analogy_b", [words[1]]), ("analogy_c", [words[2]]),
                   ("analogy_d", [(words[0] + 1) % 60])]
        return reader
