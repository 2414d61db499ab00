from paddlerec.core.reader import ReaderBase


class Reader(ReaderBase):
    def init(self):
        pass

    def generate_sample(self, line):
        def reader():
            l = line.strip().split(',')
            l = list(map(float, l))
            label_income, label_marital = [], []
            data = l[2:]
            label_income = [0, 1] if int(l[1]) else [1, 0]
            label_marital = [0, 1] if int(l[0]) else [1, 0]
            yield zip(["input", "label_income", "label_marital"],
                      [data] + [label_income] + [label_marital])
        return reader
