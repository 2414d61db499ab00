"""The programs that fluid.transpiler.collective makes, as lines of text: run by real Paddle
(record_collective.py) and by the test."""
import paddle.fluid as fluid
from paddle.fluid.transpiler.collective import GradAllReduce, LocalSGD

ENDPOINTS = ["127.0.0.1:6170", "127.0.0.1:6171"]
SHOWN = ("ring_id", "op_role", "nranks", "rank", "root", "scale")


def build(optimizer):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 4])
        y = fluid.data("y", [None, 1])
        looked_up = [fluid.layers.reshape(
            fluid.embedding(fluid.data(name, [None, 1], dtype="int64"), size=[10, 3],
                            is_sparse=True, param_attr="table"), [-1, 3])
            for name in ("a", "b")]
        h = fluid.layers.fc(fluid.layers.concat([x] + looked_up, 1), 5, act="relu")
        loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(h, 1), y))
        optimizer().minimize(loss)
    return main, startup


def lines(program):
    out = []
    for op in program.global_block().ops:
        names = ["%s=%s" % (slot, ",".join(op.input(slot))) for slot in sorted(op.input_names)
                 if op.input(slot)]
        names += ["->"] + ["%s=%s" % (slot, ",".join(op.output(slot)))
                           for slot in sorted(op.output_names) if op.output(slot)]
        attrs = ["%s:%s" % (a, op.attr(a)) for a in SHOWN if op.has_attr(a)
                 and (op.type.startswith("c_") or op.type == "scale" or a == "op_role")]
        out.append(" ".join([op.type] + names + attrs))
    return out


def programs():
    kinds = {"grad_allreduce": GradAllReduce, "local_sgd": LocalSGD}
    optimizers = {"sgd": lambda: fluid.optimizer.SGD(0.1),
                  "adam_clip": lambda: fluid.optimizer.Adam(
                      0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0),
                      regularization=fluid.regularizer.L2Decay(0.1))}
    out = {}
    for kind in sorted(kinds):
        for optimizer in sorted(optimizers):
            for nrings in (1, 2):
                main, startup = build(optimizers[optimizer])
                kinds[kind](nrings).transpile(startup, main, 1, list(ENDPOINTS), ENDPOINTS[1],
                                              False)
                name = "%s %s %d" % (kind, optimizer, nrings)
                out[name] = {"main": lines(main), "startup": lines(startup)}
    return out
