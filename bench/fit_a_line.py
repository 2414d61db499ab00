"""Steps/s of fit_a_line (13 features, batch 20) through exe.run, or in PyTorch eager.

    python fit_a_line.py fluid|torch [reps]"""
import sys

import numpy as np
from measure import repeat, report

BATCH, STEPS = 20, 3000
rng = np.random.RandomState(0)
X = rng.randn(404, 13).astype("float32")
Y = (X.dot(rng.randn(13, 1)) + 0.1 * rng.randn(404, 1) + 22).astype("float32")
BATCHES = len(X) // BATCH


def rows(i):
    at = i % BATCHES * BATCH
    return slice(at, at + BATCH)


def fluid_step():
    import paddle.fluid as fluid
    x = fluid.data("x", [None, 13], "float32")
    y = fluid.data("y", [None, 1], "float32")
    loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))
    fluid.optimizer.SGD(1e-3).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()

    def step(i):
        q = rows(i)
        return exe.run(program, feed={"x": X[q], "y": Y[q]}, fetch_list=[loss])[0]
    return step


def torch_step():
    import torch
    torch.set_num_threads(1)
    x, y = torch.from_numpy(X), torch.from_numpy(Y)
    model = torch.nn.Linear(13, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step(i):
        q = rows(i)
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x[q]), y[q])
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


which, reps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
rates, loss = repeat({"fluid": fluid_step, "torch": torch_step}[which](), STEPS, reps, 300)
report("fit_a_line " + which, rates, loss=float(np.ravel(loss)[0]))
