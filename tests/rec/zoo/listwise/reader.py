import numpy as np

from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Reader(ReaderBase):
    def init(self):
        self.item_len = envs.get_global_env("hyper_parameters.item_len")
        self.batch_size = envs.get_global_env("dataset.dataset_train.batch_size")
        np.random.seed(1)

    def reader_creator(self):
        def reader():
            for _ in range(self.batch_size * 12):
                user = np.random.randint(50, size=np.random.randint(1, 4)).tolist()
                count = np.random.randint(2, self.item_len + 1)
                items = np.random.randint(1, 60, size=count).tolist()
                labels = [int((i + user[0]) % 3 == 0) for i in items]
                more = [0] * (self.item_len - count)
                yield user, [items + more], count, [labels + more]
        return reader

    def generate_batch_from_trainfiles(self, files):
        import paddle.fluid as fluid
        return fluid.io.batch(self.reader_creator(), batch_size=self.batch_size)
