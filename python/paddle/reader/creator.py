"""Readers made from data at hand."""

__all__ = ["np_array", "text_file", "recordio", "cloud_reader"]


def np_array(x):
    """The elements of an array: of a matrix its rows, of a vector its numbers."""
    def rows():
        if x.ndim < 1:
            yield x
            return
        for row in x:
            yield row
    return rows


def text_file(path):
    """The lines of a text file, without their ends."""
    def lines():
        with open(path, "r", encoding="utf-8") as f:
            for line in f:
                yield line.rstrip("\n")
    return lines


def recordio(paths, buf_size=100):
    raise NotImplementedError("paddle.reader.creator.recordio(%r): RecordIO files are not read; "
                              "write samples with paddle.dataset.common.split() and read them "
                              "with cluster_files_reader()" % (paths,))


def cloud_reader(paths, etcd_endpoints, timeout_sec=5, buf_size=64):
    raise NotImplementedError("paddle.reader.creator.cloud_reader(%r): there is no master and no "
                              "etcd here; give each trainer the files whose number modulo "
                              "num_gradient_servers is its trainer_id" % (paths,))
