from paddlerec.core.reader import ReaderBase


class Reader(ReaderBase):
    def init(self):
        pass

    def generate_sample(self, line):
        """Read the data line by line and process it as a dictionary"""
        def reader():
            features = line.strip().split(',')
            names = ["user_input", "item_input", "label"]
            values = [[int(x)] for x in features]
            yield list(zip(names, values))
        return reader
