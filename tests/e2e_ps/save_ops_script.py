"""The model of ps_script.py, trained on servers, then saved by save_persistables and by the ops
recv_save and checkpoint_notify, which a program built by hand has."""
import argparse
import os
import sys

import numpy as np
import paddle.fluid as fluid

import ps_script


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--optimizer", default="Adam")
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--no-slices", action="store_true")
    parser.add_argument("--init", help="a folder that servers start from")
    parser.add_argument("--grows", action="store_true", help="the table, and ids beyond its height")
    parser.add_argument("--only-save", help="save_persistables to here, parts too, and no more")
    return parser.parse_args()


def shape_of(shape):
    return ",".join(str(d) for d in shape)


def recv_save(layout, name, path, **change):
    """A program of one op that saves the variable."""
    program = fluid.Program()
    parts, shape = layout.parts[name], layout.wanted[name]
    attrs = {"file_path": path, "shape": list(shape), "overwrite": True, "trainer_id": 0,
             "dtype": fluid.core.VarDesc.VarType.FP32,
             "slice_varnames": ["%s.slice.%d" % (name, i) for i in range(len(parts))],
             "remote_varnames": [part.remote for part in parts],
             "slice_shapes": [shape_of((part.rows,) + shape[1:] if part.rows else shape)
                              for part in parts],
             "endpoints": [part.endpoint for part in parts]}
    attrs.update(change)
    program.global_block().append_op("recv_save", {}, {}, attrs)
    return program


def notify(endpoints, folder, table):
    program = fluid.Program()
    program.global_block().append_op("checkpoint_notify", {}, {}, {
        "epmap": endpoints, "dir": folder, "lookup_table": table, "trainer_id": 0})
    return program


def refused(exe, what, program):
    """What the program says when it is run, which must fail."""
    try:
        exe.run(program)
    except Exception as e:
        print("refused %s: %s" % (what, " ".join(str(e).split())))
    else:
        print("NOT refused: %s" % what)


def try_refusals(exe, layout, endpoints):
    name = "fc_0.w_0"
    refused(exe, "variable", recv_save(layout, name, "none/x", remote_varnames=[
        "no_such"] * len(layout.parts[name])))
    refused(exe, "file", recv_save(layout, name, "ops/" + name, overwrite=False))
    refused(exe, "folder", recv_save(layout, name, "/proc/none/x"))
    refused(exe, "shape", recv_save(layout, name, "none/x", shape=[1, 2]))
    refused(exe, "slice", recv_save(layout, "fc_1.b_0", "none/x", shape=[3], slice_shapes=["3"]))
    refused(exe, "dtype", recv_save(layout, name, "none/x",
                                    dtype=fluid.core.VarDesc.VarType.FP64))
    refused(exe, "server", recv_save(layout, "fc_1.b_0", "none/x", endpoints=["127.0.0.1:1"]))
    refused(exe, "counts", recv_save(layout, name, "none/x", slice_shapes=[]))
    refused(exe, "table", notify(endpoints, "parts", "no_such"))
    refused(exe, "dense", notify(endpoints, "parts", name))
    refused(exe, "disk", notify(endpoints, "/proc/none", "table"))


def beyond(feed):
    """The feed with the ids of one slot moved over the table's height."""
    ids = feed["C1"]
    feed["C1"] = fluid.create_lod_tensor(np.array(ids) + ps_script.ROWS,
                                         ids.recursive_sequence_lengths(), fluid.CPUPlace())
    return feed


def train(args, fleet, exe, loss):
    exe.run(fleet.startup_program)
    ps_script.train(args, exe, fleet.main_program, loss, fleet.worker_index(), fleet.worker_num())
    if args.grows and args.steps:
        exe.run(fleet.main_program, feed=beyond(ps_script.batch(99, 0, ps_script.HALF)))
    fleet.barrier_worker()
    if not fleet.is_first_worker():
        return
    layout = fleet.main_program._parameters_on_pservers
    endpoints = fleet.server_endpoints()
    if args.only_save:
        fluid.io.save_persistables(exe, args.only_save, fleet.main_program)
        exe.run(notify(endpoints, args.only_save + "/__lookup_table__", "table"))
        return
    fluid.io.save_persistables(exe, "whole", fleet.main_program)
    for name in layout.parts:
        exe.run(recv_save(layout, name, os.path.join("ops", name)))
    # The same through a file, as a program of 1.8.5 comes.
    again = fluid.Program.parse_from_string(
        recv_save(layout, "table", "again/table").desc.serialize_to_string())
    exe.run(again)
    exe.run(notify(endpoints, "parts/__lookup_table__", "table"))
    try_refusals(exe, layout, endpoints)
    exe.run(notify(endpoints, "parts/__lookup_table__", "table"))  # over the old one


def main():
    import paddle.fluid.incubate.fleet.base.role_maker as role_maker
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
        StrategyFactory, fleet)
    args = parse_args()
    args.first, args.pause = 0, 0.0
    for program in (fluid.default_main_program(), fluid.default_startup_program()):
        program.random_seed = 11
    _, _, _, loss, optimizer = ps_script.model(args.optimizer, args.rate)
    for op in fluid.default_main_program().global_block().ops:
        if args.grows and op.type == "lookup_table":
            op._set_attr("is_distributed", True)
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = getattr(StrategyFactory, "create_%s_strategy" % args.mode)()
    strategy.set_program_config({"slice_var_up": not args.no_slices})
    fleet.distributed_optimizer(optimizer, strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server(args.init)
        fleet.run_server()
        return
    fleet.init_worker()
    train(args, fleet, fluid.Executor(fluid.CPUPlace()), loss)
    sys.stdout.flush()
    fleet.stop_worker()


if __name__ == "__main__":
    main()
