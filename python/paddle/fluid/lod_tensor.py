"""LoDTensors from arrays and lists."""
import numpy as np

from . import core

__all__ = ["create_lod_tensor", "create_random_int_lodtensor"]


def create_lod_tensor(data, recursive_seq_lens, place):
    """A LoDTensor of an array, of a list of sequences of ids, or of another LoDTensor."""
    if isinstance(data, core.LoDTensor):
        return create_lod_tensor(np.array(data), recursive_seq_lens, place)
    if isinstance(data, (map, zip, filter)):
        data = list(data)  # scripts of Python 2 give what is a list there
    if isinstance(data, list):
        lens = [len(seq) for seq in data]
        if [lens] != list(recursive_seq_lens):
            raise ValueError("data and recursive_seq_lens do not match: the sequences have the "
                             "lengths %s, and %s was given" % (lens, recursive_seq_lens))
        data = np.concatenate(data, axis=0).astype("int64")
        data = data.reshape([len(data), 1])
    if not isinstance(data, np.ndarray):
        raise TypeError("data should be either a LoDTensor, a Numpy array or a list, not %s"
                        % type(data))
    tensor = core.LoDTensor()
    tensor.set(data, place)
    tensor.set_recursive_sequence_lengths(recursive_seq_lens)
    return tensor


def create_random_int_lodtensor(recursive_seq_lens, base_shape, place, low, high):
    if not isinstance(base_shape, list):
        raise TypeError("base_shape should be a list")
    rows = sum(recursive_seq_lens[-1])
    data = np.random.randint(low, high + 1, [rows] + base_shape).astype("int64")
    return create_lod_tensor(data, recursive_seq_lens, place)
