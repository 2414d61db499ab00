"""Layers of fluid.contrib."""
import numpy as np

from ... import unique_name
from ...framework import Variable
from ...layer_helper import LayerHelper

__all__ = ["shuffle_batch"]


def shuffle_batch(x, seed=None):
    """The rows of x in a random order; the gradient goes back to where each row was. seed: a whole
    number to begin with (the program's random_seed, or one drawn), or a Variable that holds it."""
    helper = LayerHelper("shuffle_batch")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    order = helper.create_variable_for_type_inference(dtype="int64")
    attrs = {}
    if seed is None:
        seed = helper.main_program.random_seed or int(np.random.randint(-65536, 65535))
    if not isinstance(seed, Variable):
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError("shuffle_batch: seed is %r, and must be an int or a Variable"
                            % (seed,))
        attrs["startup_seed"] = seed
        seed = helper.create_variable(name=unique_name.generate("shuffle_batch_seed"),
                                      dtype="int64", persistable=True)
    helper.append_op("shuffle_batch", {"X": [x], "Seed": [seed]},
                     {"Out": [out], "ShuffleIdx": [order], "SeedOut": [seed]}, attrs)
    return out
