import copy

import numpy as np

from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Reader(ReaderBase):
    def init(self):
        self.batch_size = envs.get_global_env("dataset.dataset_train.batch_size")
        self.input = []
        self.length = None

    def base_read(self, files):
        res = []
        for f in files:
            with open(f) as fin:
                for line in fin:
                    line = line.strip().split('\t')
                    res.append(tuple([list(map(int, line[0].split(','))), int(line[1])]))
        return res

    def make_data(self, cur_batch, batch_size):
        cur_batch = [list(e) for e in cur_batch]
        max_seq_len = 0
        for e in cur_batch:
            max_seq_len = max(max_seq_len, len(e[0]))
        last_id = []
        for e in cur_batch:
            last_id.append(len(e[0]) - 1)
            e[0] = e[0] + [0] * (max_seq_len - len(e[0]))
        max_uniq_len = 0
        for e in cur_batch:
            max_uniq_len = max(max_uniq_len, len(np.unique(e[0])))
        items, seq_index, last_index, adj_in, adj_out, mask, label = [], [], [], [], [], [], []
        id = 0
        for e, last in zip(cur_batch, last_id):
            node = np.unique(e[0])
            items.append(node.tolist() + (max_uniq_len - len(node)) * [0])
            adj = np.zeros((max_uniq_len, max_uniq_len))
            for i in np.arange(len(e[0]) - 1):
                if e[0][i + 1] == 0:
                    break
                u = np.where(node == e[0][i])[0][0]
                v = np.where(node == e[0][i + 1])[0][0]
                adj[u][v] = 1
            u_deg_in = np.sum(adj, 0)
            u_deg_in[np.where(u_deg_in == 0)] = 1
            adj_in.append(np.divide(adj, u_deg_in).transpose())
            u_deg_out = np.sum(adj, 1)
            u_deg_out[np.where(u_deg_out == 0)] = 1
            adj_out.append(np.divide(adj.transpose(), u_deg_out).transpose())
            seq_index.append([[id, np.where(node == i)[0][0]] for i in e[0]])
            last_index.append([id, np.where(node == e[0][last])[0][0]])
            label.append(e[1] - 1)
            mask.append([[1] * (last + 1) + [0] * (max_seq_len - last - 1)])
            id += 1
        items = np.array(items).astype("int64").reshape((batch_size, -1))
        seq_index = np.array(seq_index).astype("int32").reshape((batch_size, -1, 2))
        last_index = np.array(last_index).astype("int32").reshape((batch_size, 2))
        adj_in = np.array(adj_in).astype("float32").reshape((batch_size, max_uniq_len, max_uniq_len))
        adj_out = np.array(adj_out).astype("float32").reshape(
            (batch_size, max_uniq_len, max_uniq_len))
        mask = np.array(mask).astype("float32").reshape((batch_size, -1, 1))
        label = np.array(label).astype("int64").reshape((batch_size, 1))
        return [items, seq_index, last_index, adj_in, adj_out, mask, label]

    def batch_reader(self, batch_size, batch_group_size, train=True):
        def _reader():
            bg, group_remain = [], len(self.input) % batch_group_size
            for item in self.input:
                bg.append(item)
                if len(bg) == batch_group_size:
                    cur = bg[:]
                    bg = []
                    cur.sort(key=lambda x: len(x[0]))
                    for i in range(0, len(cur), batch_size):
                        yield cur[i:i + batch_size]
        return _reader

    def generate_batch_from_trainfiles(self, files):
        self.input = self.base_read(files)

        def _reader():
            for cur_batch in self.batch_reader(self.batch_size, self.batch_size * 2)():
                rows = self.make_data(copy.deepcopy(cur_batch), self.batch_size)
                yield [[column[i] for column in rows] for i in range(self.batch_size)]
        return _reader
