"""Write the programs that demo/c/fit_a_line.c trains. python make_program.py FOLDER"""
import os
import sys

import paddle.fluid as fluid


def main(folder):
    x = fluid.data("x", [None, 13])
    y = fluid.data("y", [None, 1])
    loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))
    fluid.optimizer.SGD(0.02).minimize(loss)
    os.makedirs(folder, exist_ok=True)
    for name, program in (("startup", fluid.default_startup_program()),
                          ("main", fluid.default_main_program())):
        with open(os.path.join(folder, name + ".pb"), "wb") as f:
            f.write(program.desc.serialize_to_string())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
