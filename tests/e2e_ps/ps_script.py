"""A small CTR model, trained alone or on parameter servers: what the tests run.

Every step has the same 2 * HALF examples, however many workers share them. The model has a
sparse table, parameters that are cut into slices, and a mean loss; all start from one seed."""
import argparse
import os
import sys
import time

import numpy as np
import paddle.fluid as fluid

HALF, ROWS = int(os.environ.get("HALF", "16")), 5001


PLAIN = bool(os.environ.get("PLAIN"))  # one id a slot, whose rows are put side by side as they are
GIVEN = bool(os.environ.get("GIVEN"))  # the table starts with given numbers, as trained ones


def start_of_table():
    if not GIVEN:
        return fluid.initializer.Uniform(-0.1, 0.1)
    return fluid.initializer.NumpyArrayInitializer(
        np.random.RandomState(3).uniform(-0.1, 0.1, (ROWS, 8)).astype("float32"))


def model(optimizer, rate):
    slots = [fluid.layers.data("C%d" % i, [1], dtype="int64", lod_level=int(not PLAIN))
             for i in range(2)]
    attr = fluid.ParamAttr(name="table", initializer=start_of_table())
    pooled = [fluid.layers.embedding(slot, [ROWS, 8], is_sparse=True, param_attr=attr)
              for slot in slots]
    if not PLAIN:
        pooled = [fluid.layers.sequence_pool(rows, "sum") for rows in pooled]
    dense = fluid.layers.data("dense", [13])
    # ANOTHER makes this process run another program than the rest, of the same parameters.
    hidden = fluid.layers.fc(fluid.layers.concat(pooled + [dense], axis=1), 1000,
                             act="tanh" if os.environ.get("ANOTHER") else "relu")
    predicted = fluid.layers.fc(hidden, 2, act="softmax")
    label = fluid.layers.data("label", [1], dtype="int64")
    auc, _, stats = fluid.layers.auc(predicted, label)
    loss = fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))
    more = {"Momentum": {"momentum": 0.9}}.get(optimizer, {})
    made = getattr(fluid.optimizer, optimizer)(rate, **more)
    return slots + [dense], label, predicted, loss, made


def batch(step, first, count):
    """Examples first .. first + count of the step, as a feed."""
    feed = {}
    rng = np.random.RandomState(1000 + step)
    lengths = rng.randint(1, 4, (2, 2 * HALF))
    ids = rng.randint(0, ROWS, (2, 2 * HALF, 3)).astype("int64")
    dense = rng.rand(2 * HALF, 13).astype("float32")
    label = (dense[:, :3].sum(1, keepdims=True) > 1.5).astype("int64")
    mine = slice(first, first + count)
    for slot in range(2):
        rows = [ids[slot, i, :lengths[slot, i]] for i in range(first, first + count)]
        feed["C%d" % slot] = ids[slot, mine, :1] % 40 if PLAIN else fluid.create_lod_tensor(
            np.concatenate(rows).reshape(-1, 1), [[len(r) for r in rows]], fluid.CPUPlace())
    feed["dense"], feed["label"] = dense[mine], label[mine]
    return feed


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--style", default="fleet", choices=["single", "transpiler", "fleet"])
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--optimizer", default="SGD")
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="number of the first step")
    parser.add_argument("--save", help="persistables at the end")
    parser.add_argument("--every", action="store_true",
                        help="each worker saves, to one folder and to one of its own")
    parser.add_argument("--model", help="inference model at the end")
    parser.add_argument("--init", help="start from these persistables")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds after each step")
    parser.add_argument("--no-close", action="store_true", help="end without saying so")
    parser.add_argument("--no-slices", action="store_true")
    parser.add_argument("--threads", type=int, default=0, help="of a worker (fleet)")
    parser.add_argument("--mixed", action="store_true", help="decorate for mixed precision")
    return parser.parse_args()


def train(args, exe, program, loss, index, workers):
    """Losses of this worker. FAIL_AT, EARLY, SLOW and FETCH make one worker different from the
    rest: it raises at that step, ends at half its steps, sleeps in each, or looks at more than
    the loss."""
    fail_at = int(os.environ.get("FAIL_AT", "-1"))
    if os.environ.get("EARLY"):
        args.steps //= 2
    share = 2 * HALF // workers
    losses = []
    for step in range(args.first, args.first + args.steps):
        if step == fail_at:
            raise RuntimeError("told to fail at step %d" % step)
        time.sleep(float(os.environ.get("SLOW", "0")))
        value = exe.run(program, feed=batch(step, index * share, share),
                        fetch_list=[loss] + os.environ.get("FETCH", "").split())[0]
        losses.append(float(value[0]))
        print("step %d loss %.6f" % (step, losses[-1]))
        sys.stdout.flush()
        time.sleep(args.pause)
    return losses


def finish(args, exe, program, inputs, predicted):
    if args.save:
        fluid.io.save_persistables(exe, args.save, program)
    if args.model:
        fluid.io.save_inference_model(args.model, [v.name for v in inputs], [predicted], exe,
                                      program)


def single(args, inputs, predicted, loss, optimizer):
    optimizer.minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()
    if args.init:
        fluid.io.load_persistables(exe, args.init, program)
    train(args, exe, program, loss, 0, 1)
    finish(args, exe, program, inputs, predicted)


def with_transpiler(args, inputs, predicted, loss, optimizer):
    from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker
    roles = PaddleCloudRoleMaker()
    optimizer.minimize(loss)
    config = fluid.DistributeTranspilerConfig()
    config.slice_var_up = not args.no_slices
    transpiler = fluid.DistributeTranspiler(config)
    endpoints = roles.get_pserver_endpoints()
    transpiler.transpile(roles.worker_index() if roles.is_worker() else 0,
                         pservers=",".join(endpoints), trainers=roles.worker_num(),
                         sync_mode=args.mode == "sync")
    exe = fluid.Executor(fluid.CPUPlace())
    if roles.is_server():
        program, startup = transpiler.get_pserver_programs(endpoints[roles.server_index()])
        exe.run(startup)
        if args.init:
            fluid.io.load_persistables(exe, args.init, program)
        exe.run(program)
        return
    program = transpiler.get_trainer_program()
    exe.run(fluid.default_startup_program())
    train(args, exe, program, loss, roles.worker_index(), roles.worker_num())
    if roles.worker_index() == 0:  # each has its own AUC: one folder has one worker's
        finish(args, exe, program, inputs, predicted)
    if not args.no_close:
        exe.close()


def with_fleet(args, inputs, predicted, loss, optimizer):
    import paddle.fluid.incubate.fleet.base.role_maker as role_maker
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
        StrategyFactory, fleet)
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = (StrategyFactory.create_geo_strategy(5) if args.mode == "geo" else
                getattr(StrategyFactory, "create_%s_strategy" % args.mode)())
    strategy.set_program_config({"slice_var_up": not args.no_slices})
    fleet.distributed_optimizer(optimizer, strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server(args.init)
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    program = fleet.main_program
    if args.threads:
        os.environ["CPU_NUM"] = str(args.threads)
        program = fluid.CompiledProgram(program).with_data_parallel(
            loss_name=loss.name, build_strategy=strategy.get_build_strategy(),
            exec_strategy=strategy.get_execute_strategy())
    losses = train(args, exe, program, loss, fleet.worker_index(), fleet.worker_num())
    from paddle import _core
    print("traffic: %d bytes" % sum(_core.job_traffic()))
    print("all workers: loss %.6f" % fleet.metrics.mae([sum(losses)], [len(losses)]))
    fleet.barrier_worker()  # everything is trained before worker 0 saves
    if args.every:
        mine = "%s-%d" % (args.save, fleet.worker_index())
        for _ in range(3):
            fleet.save_persistables(exe, args.save)
            fleet.save_inference_model(exe, args.model, [v.name for v in inputs], [predicted])
            fluid.save(fleet.main_program, args.save + "/saved")
        fleet.save_persistables(exe, mine)
        fluid.io.save_params(exe, mine + "-params", fleet.main_program)
    elif fleet.is_first_worker():
        finish(args, exe, fleet.main_program, inputs, predicted)
    if not args.no_close:
        fleet.stop_worker()


def main():
    args = parse_args()
    for program in (fluid.default_main_program(), fluid.default_startup_program()):
        program.random_seed = 11
    inputs, _, predicted, loss, optimizer = model(args.optimizer, args.rate)
    if args.mixed:
        optimizer = fluid.contrib.mixed_precision.decorate(optimizer)
    {"single": single, "transpiler": with_transpiler, "fleet": with_fleet}[args.style](
        args, inputs, predicted, loss, optimizer)


if __name__ == "__main__":
    main()
