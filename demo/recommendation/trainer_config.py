"""How many stars a user will give to a movie: both become vectors, of all that is known of them, and
the cosine between the two is the answer.

    paddle train --config=trainer_config.py [--config_args=width=64,batch_size=400] ..."""
from paddle.trainer_config_helpers import *

import common_utils

is_predict = get_config_arg("is_predict", bool, False)
width = get_config_arg("width", int, 256)
meta = common_utils.load_meta()

settings(batch_size=get_config_arg("batch_size", int, 1600), learning_rate=1e-3,
         learning_method=RMSPropOptimizer())


def slot_vector(name, kind, size):
    """One slot as a vector of `width` numbers."""
    slot = data_layer(name, size=size)
    if kind == "vector":
        return fc_layer(input=slot, size=width)
    embedded = embedding_layer(input=slot, size=width)
    if kind == "sequence":
        return text_conv_pool(input=embedded, context_len=5, hidden_size=width)
    return fc_layer(input=embedded, size=width)


def table_vector(table):
    """All that is known of a movie or a user as one vector."""
    parts = [slot_vector(name, kind, slot.dim)
             for name, kind, slot in common_utils.slots(meta, table)]
    return fc_layer(name=table + "_vector", input=parts, size=width)


similarity = cos_sim(a=table_vector("movie"), b=table_vector("user"), scale=5)

if is_predict:
    outputs(similarity)
else:
    outputs(mse_cost(input=similarity, label=data_layer("rating", size=1)))
    define_py_data_sources2("data/train.list", "data/test.list", module="dataprovider",
                            obj="process", args={"meta": meta})
