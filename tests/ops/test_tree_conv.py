import numpy as np
from opcase import case, check, rand, refused

EDGES = np.array([[[1, 2], [1, 3], [2, 4], [2, 5], [0, 0]],
                  [[1, 2], [2, 3], [3, 4], [3, 5], [1, 6]]], "int32")


def _conv(name, nodes, edges, filter, depth=2):
    """What real Paddle gives for the gradient of the nodes is not the derivative of its Out."""
    return case(name, "tree_conv", {"NodesVector": nodes, "EdgeSet": edges, "Filter": filter},
                {"max_depth": depth}, ["Out"], ["NodesVector", "Filter"], golden_grads=False)


CASES = [
    _conv("two trees", rand(2, 6, 3), EDGES, rand(3, 3, 4, 2)),
    _conv("deeper", rand(2, 6, 3), EDGES, rand(3, 3, 2, 1), 3),
    _conv("four children", rand(1, 5, 2), np.array([[[1, 2], [1, 3], [1, 4], [1, 5]]], "int32"),
          rand(2, 3, 2, 2)),
    _conv("room for more", rand(2, 9, 2), EDGES, rand(2, 3, 1, 2), 4),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("max_depth is 1", _conv("x", rand(2, 6, 2), EDGES, rand(2, 3, 1, 2), 1)),
    ("node 6", _conv("x", rand(2, 5, 2), EDGES, rand(2, 3, 1, 2))),
    ("Filter is", _conv("x", rand(2, 6, 2), EDGES, rand(3, 3, 1, 2))))
