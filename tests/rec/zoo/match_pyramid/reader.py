from paddlerec.core.reader import ReaderBase


class Reader(ReaderBase):
    def init(self):
        pass

    def generate_sample(self, line):
        def reader():
            features = line.strip('\n').split('\t')
            left = [[int(i)] for i in features[0].split(',')]
            right = [[int(i)] for i in features[1].split(',')]
            yield [("sentence_left", left), ("sentence_right", right)]
        return reader
