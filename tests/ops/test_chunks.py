"""Metrics of sequences and of queries: chunk_eval, ctc_align, ctc_error,
positive_negative_pair."""
import numpy as np

from opcase import case, check, forward, ints, rand, Lod

COUNTS = ["Precision", "Recall", "F1-Score", "NumInferChunks", "NumLabelChunks",
          "NumCorrectChunks"]
PLACES = {"IOB": 2, "IOE": 2, "IOBES": 4, "plain": 1}
CASES = []
for scheme, places in sorted(PLACES.items()):
    for name, extra in (("", {}), (" but one", {"excluded_chunk_types": [1]})):
        label = ints(40, 1, high=2 * places + 1)
        found = np.where(rand(40, 1) > -0.3, label, ints(40, 1, high=2 * places + 1))
        lengths = [[9, 1, 20, 10]]
        CASES.append(case(scheme + name, "chunk_eval",
                          {"Inference": Lod(found, lengths), "Label": Lod(label, lengths)},
                          dict(extra, num_chunk_types=2, chunk_scheme=scheme), outputs=COUNTS))
CASES += [
    case("padded", "chunk_eval",
         {"Inference": ints(3, 6, high=5), "Label": ints(3, 6, high=5),
          "SeqLength": np.array([4, 6, 1], "int64")},
         {"num_chunk_types": 2, "chunk_scheme": "IOB"}, outputs=COUNTS),
    case("none found", "chunk_eval",
         {"Inference": Lod(np.full((3, 1), 4), [[3]]), "Label": Lod(np.full((3, 1), 4), [[3]])},
         {"num_chunk_types": 2, "chunk_scheme": "IOB"}, outputs=COUNTS),
]

SYMBOLS = np.array([[0, 1, 1, 0, 1, 2, 2, 0, 3, 3, 0, 0]]).T
for dtype in ("int64", "int32"):
    for merge in (True, False):
        CASES.append(case("align %s %s" % (dtype, merge), "ctc_align",
                          {"Input": Lod(SYMBOLS.astype(dtype), [[5, 3, 2, 2]])},
                          {"blank": 0, "merge_repeated": merge}, outputs=["Output"]))
CASES += [
    case("align to nothing", "ctc_align", {"Input": Lod(np.zeros((3, 1), "int64"), [[2, 1]])},
         {"blank": 0, "merge_repeated": True}, outputs=["Output"]),
    case("align padded", "ctc_align",
         {"Input": SYMBOLS.reshape(3, 4), "InputLength": np.array([[4], [3], [1]])},
         {"blank": 0, "merge_repeated": True, "padding_value": 7},
         outputs=["Output", "OutputLength"]),
]

# 1 1 blank 1 | 2 2 blank | 3 3 | blank blank, against 1 1 2 | 2 | 4 4 | nothing
CASES.append(case("ctc error", "ctc_error",
                  {"Path": Lod(SYMBOLS[1:], [[4, 3, 2, 2]]),
                   "Label": Lod(np.array([[1], [1], [2], [2], [4], [4]]), [[3, 1, 2, 0]])},
                  {"blank": 0}, outputs=["Sums"],
                  expect={"Sums": np.array([1 / 3 + 1, 0, 1 / 3 + 1 / 2, 1 / 2, 2, 4], "float32")}))

PAIRS = ["PositivePair", "NegativePair", "NeutralPair"]
RANKED = {"Score": np.round(rand(20, 2) * 4) / 4, "Label": ints(20, 1, high=3).astype("float32"),
          "QueryID": ints(20, 1, high=4)}
CASES += [
    case("pairs", "positive_negative_pair", RANKED, {"column": 0}, outputs=PAIRS),
    case("weighted pairs", "positive_negative_pair",
         dict(RANKED, Weight=rand(20, 1, low=0),
              AccumulatePositivePair=np.array([3], "float32"),
              AccumulateNegativePair=np.array([4], "float32"),
              AccumulateNeutralPair=np.array([5], "float32")), {"column": -1}, outputs=PAIRS),
]
test = check(__file__, CASES)


def _fails(what, inputs=None, **attrs):
    import paddle.fluid as fluid
    import pytest
    zeros = Lod(np.zeros((3, 1), "int64"), [[3]])
    attrs = dict({"num_chunk_types": 2, "chunk_scheme": "IOB"}, **attrs)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", "chunk_eval",
                            dict({"Inference": zeros, "Label": zeros}, **(inputs or {})), attrs,
                            outputs=COUNTS))


def test_what_has_no_chunks_is_refused():
    _fails("chunk_scheme is BIO", chunk_scheme="BIO")
    _fails("num_chunk_types is 0", num_chunk_types=0)
    _fails("is 5 at element 0", {"Inference": Lod(np.array([[5], [0], [0]]), [[3]])})
    _fails("differ in length", {"Label": Lod(np.zeros((3, 1), "int64"), [[1, 2]])})
