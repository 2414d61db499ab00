from opcase import case, check, rand, Lod

CASES = [
    case("matrices", "mul", {"X": rand(3, 4), "Y": rand(4, 2)}, grads=["X", "Y"]),
    case("flattened", "mul", {"X": rand(2, 3, 4), "Y": rand(12, 5)}, {"x_num_col_dims": 1},
         grads=["X", "Y"]),
    case("two_leading", "mul", {"X": rand(2, 3, 4), "Y": rand(2, 2, 3)},
         {"x_num_col_dims": 2, "y_num_col_dims": 2}, grads=["X", "Y"]),
    case("wide", "mul", {"X": rand(40, 50), "Y": rand(50, 60)}, grads=["X", "Y"]),
    case("narrow", "mul", {"X": rand(64, 130), "Y": rand(130, 2)}, grads=["X", "Y"]),
    case("sequences", "mul", {"X": Lod(rand(5, 4), [[2, 3]]), "Y": rand(4, 2)}, grads=["X", "Y"]),
]
test = check(__file__, CASES)
