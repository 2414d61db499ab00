"""The AUC of a CTR model on planted clicks that it has not seen: with products of bfloat16 it is
that of float32 to 0.001."""
import numpy as np
import pytest

from ctr_data import planted_lines
import paddle.fluid as fluid
from paddle.fluid.contrib import mixed_precision

LINES, SLOTS = 24000, 6


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clicks")
    for part in range(3):
        (folder / ("part-%d" % part)).write_text(
            "".join(planted_lines(LINES // 3, part, slots=SLOTS)))
    return [str(folder / ("part-%d" % part)) for part in range(3)]


def build(wrap):
    """(main, startup, the program that counts an AUC, its variable, slots)"""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        dense = fluid.layers.data("d", [2])
        slots = [fluid.layers.data("s%d" % i, [1], dtype="int64", lod_level=1)
                 for i in range(SLOTS)]
        label = fluid.layers.data("label", [1], dtype="int64")
        hidden = fluid.layers.concat([fluid.layers.embedding(
            s, [40 * SLOTS, 8], is_sparse=True, param_attr="table") for s in slots] + [dense],
            axis=1)
        for _ in range(3):
            hidden = fluid.layers.fc(hidden, 64, act="relu")
        predict = fluid.layers.fc(hidden, 2, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(predict, label))
        test = main.clone(for_test=True)
        wrap(fluid.optimizer.Adam(0.005)).minimize(loss)
    with fluid.program_guard(test, startup):
        block = test.global_block()
        _, _, stats = fluid.layers.auc(block.var(predict.name), block.var("label"),
                                       num_thresholds=2 ** 14)
    return main, startup, test, stats, [dense] + slots + [label]


def area(positive, negative):
    """Under the curve, of the counts of scores by their size."""
    above = np.cumsum(positive[::-1])[::-1] - positive
    return float((negative * (above + positive / 2)).sum() / positive.sum() / negative.sum())


def held_out_auc(files, precision, wrap):
    fluid.set_flags({"FLAGS_matmul_precision": precision})
    main, startup, test, stats, slots = build(wrap)
    exe = fluid.Executor()
    dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
    dataset.set_use_var(slots)
    dataset.set_batch_size(256)
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        dataset.set_filelist(files[:2])
        dataset.load_into_memory()
        for _ in range(2):
            exe.train_from_dataset(main, dataset)
        dataset.set_filelist(files[2:])
        dataset.load_into_memory()
        exe.infer_from_dataset(test, dataset)
        scope = fluid.global_scope()
        positive, negative = [np.array(scope.find_var(v.name).get_tensor()).ravel().astype("f8")
                              for v in stats[2:]]
    assert positive.sum() + negative.sum() == LINES // 3
    return area(positive, negative)


def test_the_auc_is_that_of_float32(files):
    try:
        wanted = held_out_auc(files, "fp32", lambda adam: adam)
        by_flag = held_out_auc(files, "bf16_emulated", lambda adam: adam)
        by_program = held_out_auc(files, "bf16_emulated", mixed_precision.decorate)
    finally:
        fluid.set_flags({"FLAGS_matmul_precision": "fp32"})
    print("AUC: float32 %.5f, bfloat16 %.5f and %.5f" % (wanted, by_flag, by_program))
    assert wanted > 0.8
    assert abs(by_flag - wanted) < 0.001 and abs(by_program - wanted) < 0.001
