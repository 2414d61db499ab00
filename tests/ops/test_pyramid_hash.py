import numpy as np
from opcase import Lod, case, check, rand, refused

IDS = Lod(np.array([[1], [2], [3], [4], [5], [600000], [7], [8], [9], [3], [2]], "int32"),
          [[4, 1, 2, 0, 4]])
OUTPUTS = ["Out", "DropPos", "X_Temp_Out"]


def _murmur3(data, seed):
    """The two halves of MurmurHash3 of 128 bits, of at most 15 bytes and a multiple of 4."""
    mask, c1, c2 = (1 << 64) - 1, 0x87c37b91114253d5, 0x4cf5ad432745937f
    turn = lambda x, by: (x << by | x >> (64 - by)) & mask  # noqa: E731

    def finish(x):
        x = (x ^ x >> 33) * 0xff51afd7ed558ccd & mask
        x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53 & mask
        return x ^ x >> 33
    low, high = (int.from_bytes(part, "little") for part in (data[:8], data[8:]))
    b = seed ^ turn(high * c2 & mask, 33) * c1 & mask
    a = seed ^ turn(low * c1 & mask, 31) * c2 & mask
    a, b = a ^ len(data), b ^ len(data)
    a = a + b & mask
    b = finish(b + a & mask)
    a = finish(a) + b & mask
    return a, b + a & mask


def bloom(*runs, **kw):
    """A Bloom filter of these runs of ids, as floats."""
    bits, hashes = kw.get("bits", 1000), kw.get("hashes", 3)
    vector = bytearray(-(-bits // 8))
    for run in runs:
        for seed in range(hashes):
            for bit in _murmur3(np.array(run, "float32").tobytes(), seed):
                bit %= bits
                vector[bit >> 3] |= 1 << 7 - bit % 8
    head = np.array([kw.get("magic", 17070416), bits, hashes, len(runs)], "uint64").tobytes()
    data = head + bytes(vector)
    return np.frombuffer(data + bytes(-len(data) % 4), "float32").reshape(-1, 1).copy()


def _hash(name, x=IDS, w=None, white=None, black=None, **attrs):
    attrs = dict({"num_emb": 8, "space_len": 50, "pyramid_layer": 3, "rand_len": 4,
                  "drop_out_percent": 0.0, "is_training": 1, "use_filter": white is not None,
                  "seed": 1, "lr": 0.5}, **attrs)
    if w is None:
        w = rand(attrs["space_len"] + attrs["rand_len"], 1)
    white, black = bloom() if white is None else white, bloom() if black is None else black
    attrs.update(white_list_len=len(white), black_list_len=len(black))
    return case(name, "pyramid_hash", {"X": x, "W": w, "WhiteList": white, "BlackList": black},
                attrs, outputs=OUTPUTS)


LONG = Lod(np.arange(100, 120, dtype="int32").reshape(-1, 1), [[13, 7]])
WHITE = bloom((1, 2), (2, 3, 4), (7, 8), (8, 9), (3, 2), (600000, 7), bits=200)
CASES = [
    _hash("all runs"), _hash("pairs", pyramid_layer=2),
    _hash("long runs", LONG, pyramid_layer=8, num_emb=16, rand_len=2),
    _hash("one piece", rand_len=8), _hash("not training", is_training=0, drop_out_percent=0.4),
    _hash("some left out", drop_out_percent=0.4), _hash("others", drop_out_percent=0.4, seed=77),
    _hash("all left out", drop_out_percent=1.5),
    _hash("white", white=WHITE), _hash("white and black", white=WHITE, black=bloom((1, 2), (3, 2))),
    _hash("white, some left out", white=WHITE, drop_out_percent=0.5, seed=3),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("the first must be a multiple", _hash("x", rand_len=3)),
    ("W must be [54, 1]", _hash("x", w=rand(50, 1))),
    ("pyramid_layer is 1", _hash("x", pyramid_layer=1)),
    ("is not a Bloom filter", _hash("x", white=bloom(magic=5))),
    ("is not a Bloom filter", _hash("x", white=bloom(bits=8)[:8])),
    ("X is int64, and must be int32", _hash("x", Lod(IDS.array.astype("int64"), IDS.lengths))))


def test_the_gradient_trains_the_table():
    """What real Paddle leaves of a table of zeros for the sum of Out and lr 0.1: where each piece
    that is taken lies, it is taken off once."""
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.layers.data("x", [1], dtype="int32", lod_level=1)
        x.stop_gradient = False
        out = fluid.contrib.layers.search_pyramid_hash(
            x, 8, 50, 3, 4, 0.0, 1, False, 10, 10, 1, 0.1, param_attr=fluid.ParamAttr(name="w"))
        fluid.backward.append_backward(fluid.layers.reduce_sum(out))
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        w = fluid.global_scope().find_var("w").get_tensor()
        w.set(np.zeros((54, 1), "float32"), fluid.CPUPlace())
        ids = fluid.create_lod_tensor(np.arange(1, 8, dtype="int32").reshape(-1, 1), [[4, 1, 2]],
                                      fluid.CPUPlace())
        for step in (1, 2):
            exe.run(main, feed={"x": ids})
            taken = np.zeros(54)
            for n, places in ((1, [14, 15, 18, 19] + list(range(22, 28)) + [30, 31, 32, 37] +
                               list(range(39, 43)) + list(range(45, 49))),
                              (2, [3, 4, 5, 6, 16, 17, 28, 29, 33, 36]), (3, [34, 35])):
                taken[places] = n
            np.testing.assert_allclose(np.array(w).ravel(), -0.1 * step * taken, rtol=1e-5)


def test_ids_that_have_no_gradient_leave_the_table_alone():
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.layers.data("x", [1], dtype="int32", lod_level=1)
        out = fluid.contrib.layers.search_pyramid_hash(
            x, 8, 50, 3, 4, 0.0, 1, False, 10, 10, 1, 0.1)
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.reduce_sum(fluid.layers.fc(out, 1)))
    assert "pyramid_hash_grad" not in [op.type for op in main.global_block().ops]
