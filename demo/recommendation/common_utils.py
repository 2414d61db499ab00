"""What the config, the data provider and prediction.py agree on: the slots of the model."""
import pickle

from paddle.trainer.PyDataProvider2 import (dense_vector, integer_value, integer_value_sequence)

META = "data/meta.bin"


def load_meta(path=META):
    try:
        with open(path, "rb") as f:
            return pickle.load(f)
    except FileNotFoundError:
        raise SystemExit("recommendation: there is no %s; run ./preprocess.sh first" % path)


def slots(meta, table):
    """(name, type, input type) of the slots of "movie" or "user", in their order: its number, then
    its features. Type is id, integer, vector or sequence."""
    about = meta[table]["__meta__"]
    yield table + "_id", "id", integer_value(about["max_id"])
    for feature in about["feature_map"]:
        make = {"integer": integer_value, "vector": dense_vector,
                "sequence": integer_value_sequence}[feature["type"]]
        yield feature["name"], feature["type"], make(feature["size"])


def features(meta, table, number):
    """name -> value of one movie or user. Numbers begin at 0 inside of the model."""
    names = [name for name, _, _ in slots(meta, table)]
    return dict(zip(names, [number - 1] + meta[table][number]))


def to_label(stars):
    """One to five stars as the model sees them: -3 to 5, which a cosine times five can be."""
    return 2.0 * stars - 5.0


def to_stars(label):
    return (label + 5.0) / 2.0
