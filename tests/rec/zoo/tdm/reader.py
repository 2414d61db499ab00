from paddlerec.core.reader import ReaderBase


class Reader(ReaderBase):
    def init(self):
        pass

    def generate_sample(self, line):
        def reader():
            features = line.strip('\n').split('\t')
            yield [("input_emb", [float(x) for x in features[0].split()]),
                   ("item_label", [int(features[1])])]
        return reader
