"""The pickle reader that runs no code: what pickle writes comes back, hostile pickles do not
run, and none of them costs more than its own size."""
import io
import os
import pickle
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

from paddle.fluid import safe_pickle

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import dataset_files  # noqa: E402


# ---- what is read ----

PLAIN = [
    None, True, False, 0, 1, -1, 255, 256, 65535, 65536, -2 ** 31, 2 ** 31, 2 ** 63, -2 ** 70,
    0.0, -1.5, float("inf"), 1e-300, "", "text", "caf\u00e9 \u4e2d", "a\nb\\c", b"", b"\x00\xff",
    b"'\"\n", [], [1, [2, [3]]], (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), {}, {"a": 1, 2: b"x"},
    {"nested": {"list": [(1, "a"), (2, "b")]}}, ["x"] * 300, {str(i): i for i in range(1500)},
    "x" * 70000, b"y" * 70000,
]


@pytest.mark.parametrize("protocol", range(6))
def test_plain_values_come_back(protocol):
    for value in PLAIN:
        back = safe_pickle.loads(pickle.dumps(value, protocol=protocol))
        assert back == value and type(back) is type(value), (protocol, value)


ARRAYS = {
    "f4": np.arange(12, dtype="float32").reshape(3, 4),
    "f8": np.linspace(0, 1, 7),
    "f2": np.ones((2, 2), "float16"),
    "i8": np.arange(5), "i4": np.arange(5, dtype="int32"), "u1": np.arange(256, dtype="uint8"),
    "i2": np.array([-3, 9], "int16"), "bool": np.array([True, False]),
    "complex": np.array([1 + 2j], "complex64"),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "scalar array": np.array(3.5, "float32"),
    "empty": np.zeros((0, 4), "float32"),
    "big endian": np.arange(4).astype(">i4"),
    "texts": np.array(["a", "bcd"]), "bytes": np.array([b"a", b"bcd"]),
    "numpy scalar": np.float32(1.25), "numpy int": np.int64(7), "numpy bool": np.bool_(True),
    "big": np.arange(200000, dtype="float32"),
}


@pytest.mark.parametrize("protocol", range(6))
def test_arrays_come_back(protocol):
    back = safe_pickle.loads(pickle.dumps(ARRAYS, protocol=protocol))
    assert list(back) == list(ARRAYS)
    for name, value in ARRAYS.items():
        assert type(back[name]) is type(value), name
        assert back[name].dtype == value.dtype and back[name].shape == value.shape, name
        np.testing.assert_array_equal(back[name], value, err_msg=name)
        if isinstance(value, np.ndarray):
            assert back[name].flags.writeable
            assert back[name].flags.f_contiguous == value.flags.f_contiguous


def test_old_names_of_numpy_are_known():
    new = pickle.dumps({"w": np.ones(3, "float32"), "s": np.float64(2)}, protocol=2)
    for name in (b"numpy.core.multiarray", b"numpy._core.multiarray"):
        data = new.replace(b"numpy._core.multiarray", name)
        back = safe_pickle.loads(data)
        np.testing.assert_array_equal(back["w"], np.ones(3, "float32"))
        assert back["s"] == 2.0


def test_python2_pickles_are_read():
    data = np.arange(12, dtype="uint8").reshape(2, 6)
    raw = dataset_files.py2_pickle(data, [3, 200], b"labels")
    back = safe_pickle.loads(raw, encoding="bytes")
    assert back[b"labels"] == [3, 200] and back[b"filenames"] == [b"a.png", b"b.png"]
    np.testing.assert_array_equal(back[b"data"], data)
    back = safe_pickle.loads(raw)
    assert back["labels"] == [3, 200] and back["filenames"] == ["a.png", "b.png"]
    np.testing.assert_array_equal(back["data"], data)


def test_python2_protocol_0_is_read():
    raw = (b"(dp0\nS'w'\np1\ncnumpy.core.multiarray\n_reconstruct\np2\n(cnumpy\nndarray\np3\n"
           b"(I0\ntp4\nS'b'\np5\ntp6\nRp7\n(I1\n(I2\ntp8\ncnumpy\ndtype\np9\n(S'i2'\np10\nI0\nI1\n"
           b"tp11\nRp12\n(I3\nS'<'\np13\nNNNI-1\nI-1\nI0\ntp14\nbI00\nS'\\x01\\x00\\x02\\x00'\n"
           b"p15\ntp16\nbsS'n'\np17\nL12345678901234567890L\nsS'f'\np18\nF1.5\nsS'b'\nI01\ns.")
    back = safe_pickle.loads(raw)
    assert back["n"] == 12345678901234567890 and back["f"] == 1.5 and back["b"] is True
    np.testing.assert_array_equal(back["w"], np.array([1, 2], "int16"))


# Written by Python 2.7: pickle and cPickle, protocols 0 to 2.
PYTHON2 = [
    b"(dp0\nS'q'\np1\nS'it\\'s \"q\"\\n'\np2\nsS's'\np3\nS'caf\\xe9'\np4\nsS'u'\np5\nVcaf\xe9"
    b"\\u000a\np6\nsS't'\np7\n(I1\nS'a'\np8\nNI01\ntp9\nsS'f'\np10\nF0.1\nsS'i'\np11\nI3\nsS'e'\n"
    b"p12\n(lp13\nsS'l'\np14\nL12345678901234567890L\nsS'n'\np15\nI-70000\ns.",
    b"}q\x00(U\x01qq\x01U\tit's \"q\"\nq\x02U\x01sq\x03U\x04caf\xe9q\x04U\x01uq\x05X\x06\x00\x00"
    b"\x00caf\xc3\xa9\nq\x06U\x01tq\x07(K\x01U\x01aq\x08NI01\ntq\tU\x01fq\nG?\xb9\x99\x99\x99"
    b"\x99\x99\x9aU\x01iq\x0bK\x03U\x01eq\x0c]q\rU\x01lq\x0eL12345678901234567890L\nU\x01nq"
    b"\x0fJ\x90\xee\xfe\xffu.",
    b"\x80\x02}q\x01(U\x01qU\tit's \"q\"\nq\x02U\x01sU\x04caf\xe9q\x03U\x01uX\x06\x00\x00\x00caf"
    b"\xc3\xa9\nq\x04U\x01t(K\x01U\x01aN\x88tU\x01fG?\xb9\x99\x99\x99\x99\x99\x9aU\x01iK\x03U"
    b"\x01e]U\x01l\x8a\t\xd2\n\x1f\xeb\x8c\xa9T\xab\x00U\x01nJ\x90\xee\xfe\xffu.",
]


@pytest.mark.parametrize("data", PYTHON2)
def test_what_python_2_wrote_is_read(data):
    assert safe_pickle.loads(data) == {
        "s": "caf\xe9", "u": "caf\xe9\n", "i": 3, "n": -70000, "l": 12345678901234567890,
        "f": 0.1, "t": (1, "a", None, True), "e": [], "q": "it's \"q\"\n"}
    back = safe_pickle.loads(data, encoding="bytes")
    assert back[b"s"] == b"caf\xe9" and back[b"u"] == "caf\xe9\n"
    with pytest.raises(safe_pickle.UnpicklingError, match="is not ascii"):
        safe_pickle.loads(data, encoding="ascii")


def test_what_python_3_7_and_numpy_1_21_wrote_is_read():
    """As Paddle 1.8.5 writes parameters: protocol 2, contents as text in latin1."""
    data = (b"\x80\x02}q\x00(X\x01\x00\x00\x00wq\x01cnumpy.core.multiarray\n_reconstruct\nq\x02"
            b"cnumpy\nndarray\nq\x03K\x00\x85q\x04c_codecs\nencode\nq\x05X\x01\x00\x00\x00bq\x06X"
            b"\x06\x00"
            b"\x00\x00latin1q\x07\x86q\x08Rq\t\x87q\nRq\x0b(K\x01K\x02K\x03\x86q\x0ccnumpy\ndtype"
            b"\nq\rX\x02\x00\x00\x00f4q\x0e\x89\x88\x87q\x0fRq\x10(K\x03X\x01\x00\x00\x00<q\x11NNN"
            b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x12b\x89h\x05X\x1b\x00\x00\x00\x00\x00\x00"
            b"\x00\x00\x00\xc2\x80?\x00\x00\x00@\x00\x00@@\x00\x00\xc2\x80@\x00\x00\xc2\xa0@q\x13"
            b"h\x07\x86q\x14Rq\x15tq\x16bh\x06h\x02h\x03K\x00\x85q\x17h\t\x87q\x18Rq\x19(K\x01K\x00"
            b"K\x02\x86q\x1ah\rX\x02\x00\x00\x00f8q\x1b\x89\x88\x87q\x1cRq\x1d(K\x03h\x11NNNJ\xff"
            b"\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x1eb\x89c__builtin__\nbytes\nq\x1f)Rq tq!bu.")
    back = safe_pickle.loads(data)
    np.testing.assert_array_equal(back["w"], np.arange(6, dtype="float32").reshape(2, 3))
    assert back["b"].shape == (0, 2) and back["b"].dtype == np.float64


def test_one_array_at_two_places_stays_one():
    w = np.ones(4)
    back = safe_pickle.loads(pickle.dumps({"a": w, "b": [w, (w, 1)]}, protocol=2))
    assert back["a"] is back["b"][0] is back["b"][1][0]


def test_a_file_may_hold_several():
    file = io.BytesIO(pickle.dumps([1]) + pickle.dumps([2]))
    assert safe_pickle.load(file) == [1]
    assert safe_pickle.load(file) == [2]


# ---- what is refused ----

def glob(module, name):
    return b"c%s\n%s\n" % (module.encode(), name.encode())


def call(module, name, *args):
    """A protocol 2 pickle that calls module.name(*args)."""
    return b"\x80\x02" + glob(module, name) + b"(" + b"".join(
        b"X" + struct.pack("<I", len(a)) + a.encode() for a in args) + b"tR."


def stack_call(module, name, arg):
    def text(t):
        return b"\x8c" + struct.pack("<B", len(t)) + t.encode()
    return b"\x80\x04" + text(module) + text(name) + b"\x93" + text(arg) + b"\x85R."


class Nested:
    def __reduce__(self):
        return (os.system, ("touch CANARY",))


class Newobj:
    """Pickled with NEWOBJ and BUILD."""

    def __init__(self):
        self.a = 1


ARRAY_HEAD = glob("numpy.core.multiarray", "_reconstruct") + glob("numpy", "ndarray") + \
    b"K\x00\x85C\x01b\x87R"
DTYPE = glob("numpy", "dtype") + b"X\x02\x00\x00\x00f4K\x00K\x01\x87R" \
    b"(K\x03X\x01\x00\x00\x00<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"


def array(shape, data, dtype=DTYPE):
    return b"\x80\x03" + ARRAY_HEAD + b"(K\x01" + shape + dtype + b"\x89" + data + b"tb."


def laughs(levels=40, width=10):
    """Lists of lists of the same list: a thousand bytes that unfold into 10**40 values."""
    out = b"\x80\x02]q\x00."[:-1]
    for i in range(levels):
        out += b"](" + b"h%c" % i * width + b"eq%c" % (i + 1)
    return out + b"."


def copies(n=5000):
    """Many arrays from the same megabyte."""
    data = b"B" + struct.pack("<I", 1 << 20) + b"\0" * (1 << 20)
    out = b"\x80\x03" + data + b"q\x000" + DTYPE + b"q\x010]("
    one = ARRAY_HEAD + b"(K\x01J" + struct.pack("<i", 1 << 18) + b"\x85h\x01\x89h\x00tb"
    return out + one * n + b"e."


def encodes(n=5000):
    """Many bytes from the same megabyte of text."""
    out = b"\x80\x02X" + struct.pack("<I", 1 << 20) + b"a" * (1 << 20) + b"q\x000]("
    one = glob("_codecs", "encode") + b"h\x00X\x06\x00\x00\x00latin1\x86R"
    return out + one * n + b"e."


HOSTILE = {
    "os.system": call("os", "system", "touch CANARY"),
    "posix.system": call("posix", "system", "touch CANARY"),
    "nt.system": call("nt", "system", "touch CANARY"),
    "builtins.eval": call("builtins", "eval", "open('CANARY', 'w')"),
    "builtins.exec": call("builtins", "exec", "open('CANARY', 'w')"),
    "__builtin__.eval": call("__builtin__", "eval", "open('CANARY', 'w')"),
    "builtins.open": call("builtins", "open", "CANARY", "w"),
    "builtins.getattr": call("builtins", "getattr", "a", "b"),
    "builtins.__import__": call("builtins", "__import__", "antigravity"),
    "subprocess.Popen": call("subprocess", "Popen", "touch CANARY"),
    "subprocess.check_output": call("subprocess", "check_output", "touch"),
    "io.open": call("io", "open", "CANARY", "w"),
    "shutil.rmtree": call("shutil", "rmtree", "/nowhere"),
    "webbrowser.open": call("webbrowser", "open", "http://localhost"),
    "importlib.import_module": call("importlib", "import_module", "os"),
    "runpy.run_path": call("runpy", "run_path", "x.py"),
    "timeit.timeit": call("timeit", "timeit", "open('CANARY','w')"),
    "code in pickle": call("pickle", "loads", "x"),
    "numpy.load": call("numpy", "load", "x"),
    "numpy testing": call("numpy.testing._private.utils", "runstring", "import os", "x"),
    "numpy.f2py": call("numpy.f2py", "compile", "x"),
    "dotted name": call("numpy", "core.multiarray.os.system", "touch CANARY"),
    "dotted ndarray": call("numpy", "ndarray.__class__", "x"),
    "stack global": stack_call("os", "system", "touch CANARY"),
    "stack global eval": stack_call("builtins", "eval", "open('CANARY','w')"),
    "by the real pickler": pickle.dumps(Nested()),
    "nested in a dict": pickle.dumps({"w": np.ones(3), "x": [1, (Nested(),)]}, protocol=2),
    "nested reduce": b"\x80\x02" + glob("_codecs", "encode") + glob("os", "system") +
                     b"X\x0c\x00\x00\x00touch CANARY\x85R\x85R.",
    "as _reconstruct's class": b"\x80\x02" + glob("numpy.core.multiarray", "_reconstruct") +
                               glob("os", "system") + b"K\x00\x85C\x01b\x87R.",
    "INST": b"(S'touch CANARY'\nios\nsystem\n.",
    "OBJ": b"(cos\nsystem\nS'touch CANARY'\no.",
    "NEWOBJ": pickle.dumps(Newobj(), protocol=2),
    "NEWOBJ of ndarray": b"\x80\x02" + glob("numpy", "ndarray") + b")\x81.",
    "REDUCE of ndarray": b"\x80\x02" + glob("numpy", "ndarray") +
                         b"J\xff\xff\xff\x7f\x85\x85R.",
    "EXT": b"\x80\x02\x82\x01.",
    "PERSID": b"P0\n.",
    "BINPERSID": b"\x80\x02K\x00Q.",
    "a set": pickle.dumps({1, 2}, protocol=4),
    "copyreg": call("copyreg", "_reconstructor", "a", "b", "c"),
    "collections": call("collections", "deque"),
    "a function as value": b"\x80\x02" + glob("_codecs", "encode") + b".",
    "other codec": b"\x80\x02" + glob("_codecs", "encode") + b"X\x01\x00\x00\x00aX\x03\x00\x00"
                   b"\x00zip\x86R.",
    "encode once": b"\x80\x02" + glob("_codecs", "encode") + b"X\x01\x00\x00\x00a\x85R.",
    "BUILD on a dict": b"\x80\x02}X\x01\x00\x00\x00aK\x01\x86b.",
    "object array": pickle.dumps(np.array([{}, Nested()], dtype=object), protocol=2),
    "structured array": pickle.dumps(np.zeros(2, "i4,f4"), protocol=2),
    "dates": pickle.dumps(np.zeros(2, "M8[s]"), protocol=2),
    # truncated
    "nothing": b"",
    "no STOP": b"\x80\x02N",
    "half a text": b"\x80\x02X\x10\x00\x00\x00abc",
    "half a global": b"\x80\x02cnumpy\nnd",
    "no mark": b"\x80\x02t.",
    "empty stack": b"\x80\x02.",
    "two values": b"\x80\x02NN.",
    "no memo": b"\x80\x02h\x07.",
    "unknown opcode": b"\x80\x02\xfe.",
    "unknown protocol": b"\x80\x09N.",
    "odd dict": b"\x80\x02}(K\x01u.",
    "pop below the mark": b"\x80\x02N(0a.",
    # lengths that lie
    "a text of 4 GB": b"\x80\x02X\xff\xff\xff\xffabc.",
    "bytes of 16 EB": b"\x80\x04\x8e" + b"\xff" * 8 + b"abc.",
    "a text of 16 EB": b"\x80\x04\x8d" + b"\xff" * 7 + b"\x7fabc.",
    "a negative string": b"\x80\x02T\xff\xff\xff\xffabc.",
    "a frame of 16 EB": b"\x80\x04\x95" + b"\xff" * 8 + b"X\x08",
    "a number of 2 GB": b"\x80\x02\x8b\xff\xff\xff\x7fabc.",
    "a number of -1 bytes": b"\x80\x02\x8b\xff\xff\xff\xffabc.",
    "a million digits": b"L" + b"9" * 1000000 + b"L\n.",
    "digits": b"I" + b"9" * 4000 + b"\n.",
    "an endless name": b"c" + b"a" * 100000,
    "a memo number": b"NpABC\n.",
    # arrays that lie
    "array too large": array(b"J\xff\xff\xff\x7f\x85", b"C\x04abcd"),
    "array too small": array(b"K\x01\x85", b"C\x08abcdabcd"),
    "array of negative size": array(b"J\xff\xff\xff\xff\x85", b"C\x04abcd"),
    "array of many dims": array(b"(" + b"K\x01" * 40 + b"t", b"C\x04abcd"),
    "array of a list": array(b"K\x01\x85", b"]"),
    "array of a float shape": array(b"G" + struct.pack(">d", 1.0) + b"\x85", b"C\x04abcd"),
    "array without a dtype": array(b"K\x01\x85", b"C\x04abcd", b"N"),
    "array without contents": b"\x80\x03" + ARRAY_HEAD + b".",
    "array twice": array(b"K\x01\x85", b"C\x04abcd")[:-1] +
                   b"(K\x01K\x01\x85" + DTYPE + b"\x89C\x04abcdtb.",
    "dtype O": b"\x80\x02" + glob("numpy", "dtype") + b"X\x02\x00\x00\x00O8\x85R.",
    "dtype of no size": b"\x80\x02" + glob("numpy", "dtype") + b"X\x02\x00\x00\x00S0\x85R.",
    "dtype with fields": b"\x80\x02" + glob("numpy", "dtype") +
                         b"X\x02\x00\x00\x00i4\x85R(K\x03X\x01\x00\x00\x00<N)}K\x04K\x01K\x00tb.",
    "dtype text": b"\x80\x02" + glob("numpy", "dtype") + b"X\x05\x00\x00\x00i4,i4\x85R.",
    # bombs
    "billion laughs": laughs(),
    "copies of a megabyte": copies(),
    "encodings of a megabyte": encodes(),
    "a list in itself": b"\x80\x02]q\x00h\x00a.",
    "a dict in itself": b"\x80\x02}q\x00K\x01h\x00s.",
    "deep lists": b"\x80\x02" + b"]" * 5000 + b"a" * 4999 + b".",
    "deep tuples": b"\x80\x02" + b")" + b"\x85" * 5000 + b".",
    "deep marks": b"\x80\x02" + b"(" * 100000,
    "a tuple as a key": b"\x80\x02}K\x01\x85K\x01s.",
    "a float as a key": b"\x80\x02}G" + struct.pack(">d", 1.0) + b"K\x01s.",
    "a huge number as a key": b"\x80\x02}\x8a\x10" + b"\x01" * 16 + b"K\x01s.",
    "a list as a key": b"\x80\x02}]K\x01s.",
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
@pytest.mark.promise(30)
def test_hostile_pickles_are_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    start = time.monotonic()
    with pytest.raises(safe_pickle.UnpicklingError) as caught:
        safe_pickle.loads(HOSTILE[name])
    assert time.monotonic() - start < 10
    assert str(caught.value).startswith("byte ")
    assert os.listdir(tmp_path) == []


def test_refusals_say_the_name_and_the_opcode():
    for data, text in ((HOSTILE["os.system"], "GLOBAL asks for os.system"),
                       (HOSTILE["stack global"], "STACK_GLOBAL asks for os.system"),
                       (HOSTILE["INST"], "INST of os.system"),
                       (HOSTILE["NEWOBJ of ndarray"], "NEWOBJ of numpy.ndarray"),
                       (HOSTILE["a set"], "EMPTY_SET"),
                       (HOSTILE["dates"], "'M8'")):
        with pytest.raises(safe_pickle.UnpicklingError, match=text):
            safe_pickle.loads(data)


def test_the_canary_works(tmp_path, monkeypatch):
    """The same bytes do run in Python's own reader: the test above can fail."""
    monkeypatch.chdir(tmp_path)
    pickle.Unpickler(io.BytesIO(HOSTILE["os.system"])).load()
    assert os.listdir(tmp_path) == ["CANARY"]


@pytest.mark.promise(30)
def test_damage_anywhere_is_refused_or_read():
    """Any cut and any changed byte: an UnpicklingError or a value, nothing else."""
    good = pickle.dumps({"w": np.arange(6, dtype="float32").reshape(2, 3), "n": [1, (2, "x")],
                         "s": np.float64(2.5), "b": b"raw"}, protocol=2)
    rng = np.random.RandomState(0)
    for cut in range(len(good)):
        with pytest.raises(safe_pickle.UnpicklingError):
            safe_pickle.loads(good[:cut])
    for _ in range(20000):
        data = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            data[rng.randint(len(data))] = rng.randint(256)
        try:
            safe_pickle.loads(bytes(data))
        except safe_pickle.UnpicklingError:
            pass


@pytest.mark.promise(30)
def test_memory_stays_near_the_size_of_the_file():
    """In a process that may use 1 GB: every bomb is refused, none by a MemoryError."""
    script = ("import resource, sys; sys.path.insert(0, %r)\n"
              "import test_safe_pickle as t\n"
              "from paddle.fluid import safe_pickle as s\n"
              "now = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
              "resource.setrlimit(resource.RLIMIT_AS, (now + (1 << 29),) * 2)\n"
              "for name, data in t.HOSTILE.items():\n"
              "    try: s.loads(data)\n"
              "    except s.UnpicklingError: continue\n"
              "    raise SystemExit(name)\n" % HERE)
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
