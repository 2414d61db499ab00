import numpy as np
from opcase import Rows, case, check, ints, rand, refused

CASES = [
    case("split", "split_ids", {"Ids": [np.array([[0], [2], [7], [5], [4], [2]], "int64")]},
         counts={"Out": 3}),
    case("split several", "split_ids", {"Ids": [np.array([[3], [8]], "int64"),
                                                np.array([[6], [3], [1]], "int64")]},
         counts={"Out": 2}),
    case("merge", "merge_ids", {"Ids": [np.array([[0], [2], [7], [5], [4]], "int64"),
                                        np.array([[2], [7]], "int64")],
                                "Rows": [np.array([[0], [2], [4]], "int64"),
                                         np.array([[7], [5]], "int64")],
                                "X": [rand(3, 2), rand(2, 2)]}, counts={"Out": 2}),
    case("by trainer", "ref_by_trainer_id", {"X": [rand(2, 3), rand(2, 3)],
                                             "TrainerId": np.array([1], "int64")}),
    case("dequant", "lookup_table_dequant",
         {"W": np.concatenate([np.array([[-1.0, 1.0], [0.5, 2.5], [0, 4]], "float32"),
                               ints(3, 4, high=256, dtype="uint8").view("float32")], 1),
          "Ids": np.array([[0], [2], [1], [2]], "int64")}),
    case("dequant padding", "lookup_table_dequant",
         {"W": np.concatenate([np.array([[-1.0, 1.0], [0.5, 2.5], [0, 4]], "float32"),
                               ints(3, 4, high=256, dtype="uint8").view("float32")], 1),
          "Ids": np.array([[0], [2], [1], [2]], "int64")}, {"padding_idx": 2}),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("which is in none of Rows", case("x", "merge_ids", {
        "Ids": [np.array([[3]], "int64")], "Rows": [np.array([[0], [2]], "int64")],
        "X": [rand(2, 2)]})),
    ("none may be below 0", case("x", "split_ids", {"Ids": [np.array([[-1]], "int64")]})),
    ("TrainerId is 2, and there are 2 X", case("x", "ref_by_trainer_id", {
        "X": [rand(2, 3), rand(2, 3)], "TrainerId": np.array([2], "int64")})),
    ("a service of pslib", case("x", "pull_sparse", {"Ids": [ints(2, 1)], "W": [rand(3, 2)]})),
    ("a service of pslib", case("x", "push_dense", {"Ids": [ints(2, 1)]}, outputs=[])),
    ("a service of BoxPS", case("x", "pull_box_sparse", {"Ids": [ints(2, 1)]}, {"size": 2})))
