from paddlerec.core.reader import ReaderBase


class Reader(ReaderBase):
    def init(self):
        pass

    def generate_sample(self, line):
        def reader():
            user, item, _ = line.strip().split(',')
            yield [("user_input", [int(user)]), ("item_input", [int(item)])]
        return reader
