from opcase import Rows, case, check, rand, refused

CASES = [
    case("byref", "split_byref", {"X": rand(7, 3)}, {"sections": [4, 3]}, counts={"Out": 2}),
    case("byref vector", "split_byref", {"X": rand(9)}, {"sections": [2, 6, 1]},
         counts={"Out": 3}),
    case("byref equal parts", "split_byref", {"X": rand(6, 2)}, {"num": 3}, counts={"Out": 3}),
    case("byref double", "split_byref", {"X": rand(5, 2, 2, dtype="float64")},
         {"sections": [1, 4]}, counts={"Out": 2}, golden=False),  # real Paddle: float32 alone
    case("rows", "split_selected_rows", {"X": Rows([7, 0, 4, 5, 4], 10, rand(5, 3))},
         {"height_sections": [5, 5]}, counts={"Out": 2}, sparse=["Out"]),
    case("rows of three", "split_selected_rows", {"X": Rows([9, 1, 8, 0], 12, rand(4, 2))},
         {"height_sections": [2, 6, 4]}, counts={"Out": 3}, sparse=["Out"]),
    case("a section without rows", "split_selected_rows", {"X": Rows([3, 2], 6, rand(2, 1))},
         {"height_sections": [4, 2]}, counts={"Out": 2}, sparse=["Out"], golden=False),
]
test = check(__file__, CASES)


def _case(type, x, attrs):
    return case("refused", type, {"X": x}, attrs, counts={"Out": 2},
                sparse=["Out"] if type == "split_selected_rows" else [])


test_refusals = refused(
    ("has 7 rows, and `sections` has 8",
     _case("split_byref", rand(7, 3), {"sections": [4, 4]})),
    ("7 rows in 2 equal parts", _case("split_byref", rand(7, 3), {"num": 2})),
    ("1 sections, and 2 outputs", _case("split_byref", rand(7, 3), {"sections": [7]})),
    ("section 1 has -1 rows", _case("split_byref", rand(7, 3), {"sections": [8, -1]})),
    ("has 10 rows, and `height_sections` has 9",
     _case("split_selected_rows", Rows([1], 10, rand(1, 3)), {"height_sections": [5, 4]})),
    ("must be SELECTED_ROWS",
     _case("split_selected_rows", rand(10, 3), {"height_sections": [5, 5]})),
    ("3 height_sections, and 2 outputs",
     _case("split_selected_rows", Rows([1], 10, rand(1, 3)), {"height_sections": [5, 4, 1]})))
