"""fluid.incubate.data_generator: samples as lines of multi-slot text."""
import io
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid.incubate.data_generator as dg


def text_of(*samples):
    generator = dg.MultiSlotDataGenerator()
    return [generator._gen_str(sample) for sample in samples], generator._proto_info


def test_the_first_sample_fixes_the_slots_and_a_float_makes_one_float():
    lines, proto = text_of([("a", [1, 2]), ("b", [0.5, 1e-7, 3])], [("a", [1.5]), ("b", [3])],
                           (["a", [-7]], ["b", [1e22, float("inf")]]))
    assert lines == ["2 1 2 3 0.5 1e-07 3\n", "1 1.5 1 3\n", "1 -7 2 1e+22 inf\n"]
    assert proto == [("a", "float"), ("b", "float")]
    assert text_of([("a", [2 ** 64 - 1])]) == (["1 18446744073709551615\n"], [("a", "uint64")])


def test_numbers_are_written_as_python_writes_them():
    numbers = [0.1, 1 / 3, 1e16, 123456789.0, -0.0, 5e-324, 1e-4, 1e-5, np.float64(0.25)]
    (line,), _ = text_of([("x", numbers)])
    assert line.split()[1:] == [str(float(n)) for n in numbers]
    (line,), proto = text_of([("x", [np.int64(3), np.int32(4)]), ("y", [np.float32(0.5)])])
    assert line == "2 3 4 1 0.5\n" and proto == [("x", "uint64"), ("y", "float")]


@pytest.mark.parametrize("sample, message", [
    ("abc", "must be in list or tuple type"),
    ({"a": 1}, "must be in list or tuple type"),
    ([("b", [7]), ("a", [3])], "require<a>, get<b>"),
    ([("a", [7])], "inconsistent"),
    ([("a", []), ("b", [1])], "can not be empty"),
    ([("a", (1, 2)), ("b", [1])], "elements<class 'tuple'> must be in list type"),
    ([(3, [1]), ("b", [1])], "name<class 'int'> must be in str type"),
    ([("a", ["x"]), ("b", [1])], "slot 'a': 'x' is of <class 'str'>"),
    ([("a", [True]), ("b", [1])], "slot 'a': True is neither int nor float"),
])
def test_samples_that_do_not_fit_are_refused(sample, message):
    with pytest.raises(ValueError, match=message):
        text_of([("a", [1]), ("b", [1])], sample)


def test_strings_are_written_as_they_are():
    generator = dg.MultiSlotStringDataGenerator()
    assert generator._gen_str([("a", ["1", "2"]), ("b", ["x"])]) == "2 1 2 1 x\n"
    assert generator._gen_str([("a", []), ("b", ["x"])]) == "0 1 x\n"
    with pytest.raises(ValueError, match="must be in list or tuple type"):
        generator._gen_str(3)


class Counted(dg.MultiSlotDataGenerator):
    def __init__(self):  # does not call ours, as scripts do
        self.seen = []

    def generate_sample(self, line):
        def samples():
            if line is None:
                for i in range(5):
                    yield [("a", [i])]
            else:
                yield None
                yield [("x", [len(line)])]
        return samples

    def generate_batch(self, samples):
        self.seen.append(len(samples))
        return super().generate_batch(samples)


def test_runs_from_memory_and_from_stdin_in_batches(capsys, monkeypatch):
    generator = Counted()
    generator.set_batch(2)
    generator.run_from_memory()
    assert capsys.readouterr().out == "1 0\n1 1\n1 2\n1 3\n1 4\n" and generator.seen == [2, 2, 1]
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nbb\nccc\n"))
    generator = Counted()
    generator.run_from_stdin()
    assert capsys.readouterr().out == "1 2\n1 3\n1 4\n" and generator.seen == [3]
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nbb\nccc\n"))
    generator = Counted()
    generator._set_line_limit(2)
    generator.run_from_stdin()
    assert capsys.readouterr().out == "1 2\n1 3\n"


@pytest.mark.parametrize("kind,values", [(dg.MultiSlotDataGenerator, (1, 2)),
                                         (dg.MultiSlotStringDataGenerator, ("1", "2"))])
def test_samples_are_zips_and_generators(kind, values, capsys):
    class Zips(kind):
        def generate_sample(self, line):
            def samples():
                words = []
                for value in values:
                    words[:] = [[value], [value] * 2]
                    yield zip(["a", "b"], words)  # whose list changes before it is written
                    yield ((name, word) for name, word in zip(["a", "b"], words))
            return samples
    Zips().run_from_memory()
    assert capsys.readouterr().out == "1 1 2 1 1\n" * 2 + "1 2 2 2 2\n" * 2
    assert kind()._gen_str(zip(["a"], [[values[0]]])) == "1 1\n"


def test_what_is_not_rewritten_says_so():
    with pytest.raises(NotImplementedError, match="rewrite this function"):
        dg.MultiSlotDataGenerator().generate_sample("x")
    with pytest.raises(ValueError, match="line_limit<class 'str'> must be in int type"):
        dg.MultiSlotDataGenerator()._set_line_limit("x")


def test_as_a_pipe(tmp_path):
    script = tmp_path / "pipe.py"
    script.write_text("import paddle.fluid.incubate.data_generator as dg\n"
                      "class R(dg.MultiSlotDataGenerator):\n"
                      "    def generate_sample(self, line):\n"
                      "        return lambda: [[('x', [int(line)])]]\n"
                      "R().run_from_stdin()\n")
    out = subprocess.run([sys.executable, str(script)], input="1\n22\n", text=True,
                         capture_output=True)
    assert (out.returncode, out.stdout) == (0, "1 1\n1 22\n"), out.stderr
