"""paddle.trainer.PyDataProvider2: input types, providers, and the batches made of them."""
import numpy as np
import pytest

from paddle.trainer import PyDataProvider2 as P
from paddle.trainer.PyDataProvider2 import (CacheType, DataType, InputType, ProviderError,
                                            SequenceType, dense_vector, integer_value,
                                            integer_value_sequence, provider,
                                            sparse_binary_vector, sparse_vector)
from paddle.trainer.pool import SampleSource

KINDS = {"dense_vector": DataType.Dense, "sparse_binary_vector": DataType.SparseNonValue,
         "sparse_vector": DataType.SparseValue, "sparse_float_vector": DataType.SparseValue,
         "integer_value": DataType.Index}


@pytest.mark.parametrize("name", sorted(KINDS))
def test_each_kind_has_three_levels(name):
    for suffix, level in [("", 0), ("_sequence", 1), ("_sub_sequence", 2)]:
        assert getattr(P, name + suffix)(7) == InputType(7, level, KINDS[name])


def test_old_names_are_the_same_types():
    assert P.dense_slot(3) == P.dense_vector(3)
    assert P.sparse_non_value_slot(3) == P.sparse_binary_vector(3)
    assert P.sparse_value_slot(3) == P.sparse_vector(3)
    assert P.index_slot(3, seq_type=SequenceType.SEQUENCE) == P.integer_sequence(3)
    with pytest.raises(ValueError, match="seq_type"):
        P.dense_slot(3, seq_type=4)
    assert SequenceType.tostring(1) == "SequenceType.SEQUENCE"


def make(files=("a",), is_train=True, order=("x", "y"), args=None, **options):
    """A provider of 10 samples a file: (its place, the file)."""
    options.setdefault("input_types", [integer_value(10), integer_value(100)])

    @provider(**options)
    def process(settings, filename):
        for i in range(10):
            yield i, ord(filename)
    return process(list(files), is_train=is_train, input_order=list(order), **(args or {}))


def all_of(source):
    return [sample for batch in source.batches() for sample in batch]


def test_a_test_set_keeps_its_order_and_training_does_not():
    in_order = [(i, 97) for i in range(10)] + [(i, 98) for i in range(10)]
    test = SampleSource(make("ab", is_train=False), 4)
    assert [len(b) for b in test.batches()] == [4] * 5 and all_of(test) == in_order
    train = SampleSource(make("ab"), 4, seed=3)
    first, second = all_of(train), all_of(train)
    assert first != in_order and second != first and sorted(first) == sorted(in_order)
    again = SampleSource(make("ab"), 4, seed=3)
    assert all_of(again) == first


@pytest.mark.parametrize("wish,shuffled", [(False, False), ("off", False), (True, True), ("T", True)])
def test_should_shuffle_decides(wish, shuffled):
    for is_train in (True, False):
        made = make(is_train=is_train, should_shuffle=wish)
        assert made.should_shuffle is shuffled


def test_a_small_pool_shuffles_near_by_only():
    far = all_of(SampleSource(make("abcdefghij", pool_size=3), 7))
    assert len(far) == 100
    files = [f for _, f in far]
    assert sorted(set(files)) == [ord(c) for c in "abcdefghij"]
    # A sample waits in the pool at random, but none comes before it was read.
    order = list(dict.fromkeys(files))
    read = {(i, f): 10 * order.index(f) + i for i, f in far}
    assert all(read[sample] <= at + 2 for at, sample in enumerate(far))
    assert [read[s] for s in far] != list(range(100))
    wide = all_of(SampleSource(make("ab", pool_size=3, min_pool_size=20), 7))
    assert wide[0][1] != wide[1][1] or len({f for _, f in wide[:10]}) == 2


def test_a_sample_may_count_for_more_than_one():
    weigh = {"calc_batch_size": lambda sample: sample[0], "should_shuffle": False}
    over = [[s[0] for s in b] for b in SampleSource(make(**weigh), 5).batches()]
    assert over == [[0, 1, 2, 3], [4, 5], [6], [7], [8], [9]]
    weigh["can_over_batch_size"] = False
    under = [[s[0] for s in b] for b in SampleSource(make(**weigh), 5).batches()]
    assert under == [[0, 1, 2], [3], [4], [5], [6], [7], [8], [9]]


def test_a_pass_kept_in_memory_is_read_once():
    reads = []

    @provider(input_types=[integer_value(10)], cache=CacheType.CACHE_PASS_IN_MEM)
    def process(settings, filename):
        reads.append(filename)
        for i in range(10):
            yield i
    source = SampleSource(process(["a", "b"], is_train=True, input_order=["x"]), 3)
    first, second, third = all_of(source), all_of(source), all_of(source)
    assert sorted(reads) == ["a", "b"]
    assert sorted(first) == sorted(second) and second != third


def test_the_hook_is_told_all_and_may_set_types_by_name():
    seen = {}

    def hook(settings, meta, **kwargs):
        seen.update(kwargs, meta=meta)
        settings.input_types = {"label": integer_value(2), "words": integer_value_sequence(9)}
        settings.meta = meta

    @provider(init_hook=hook, should_shuffle=False)
    def process(settings, filename):
        settings.logger.info("reading %s", filename)
        yield {"words": [1, settings.meta], "label": 1}
        yield [2, 3], 0
    made = process(["f"], is_train=False, input_order=["words", "label"], meta=4)
    assert seen == {"file_list": ["f"], "is_train": False, "input_order": ["words", "label"],
                    "meta": 4}
    assert made.slots == [integer_value_sequence(9), integer_value(2)]
    assert all_of(SampleSource(made, 8)) == [[[1, 4], 1], ([2, 3], 0)]


def test_one_slot_may_be_yielded_alone():
    @provider(input_types=[dense_vector(2)], should_shuffle=False)
    def process(settings, filename):
        yield [1.0, 2.0]
        yield {"x": [3.0, 4.0]}
    made = process(["f"], input_order=["x"])
    assert list(made.samples("f"))[0] == [[1.0, 2.0]]
    named = provider(input_types={"x": dense_vector(2)})(process.function)
    assert list(named(["f"], input_order=["x"]).samples("f")) == [[[1.0, 2.0]], [[3.0, 4.0]]]


WRONG = [
    (dense_vector(2), [1.0], "slot 0 .x.: 1 values where 2 are wanted"),
    (dense_vector(2), ["a", 1.0], "'a' is not a float"),
    (dense_vector(2), 5, "5 is not a list of 2 floats"),
    (integer_value(3), 3, r"3 is outside \[0, 3\)"),
    (integer_value(3), 1.5, "1.5 is not an integer"),
    (sparse_binary_vector(4), [0, 9], r"place 9 is outside \[0, 4\)"),
    (sparse_vector(4), [1, 2], r"1 is not a pair \(place, value\)"),
    (sparse_vector(4), [(-1, 2.0)], r"place -1 is outside \[0, 4\)"),
    (integer_value_sequence(3), 1, "1 is not a sequence"),
    (integer_value_sequence(3), map(int, "12"), r"write list\(...\) around it"),
    (integer_value_sequence(3), [0, 7], r"step 1: 7 is outside .*a sequence of an integer"),
    (P.integer_value_sub_sequence(3), [[0], [1, 4]], "sub-sequence 1: step 1: 4 is outside"),
]


@pytest.mark.parametrize("kind,value,words", WRONG)
def test_a_check_says_which_slot_and_what_was_wanted(kind, value, words):
    @provider(input_types=[kind, integer_value(2)], check=True)
    def process(settings, filename):
        yield value, 1
    with pytest.raises(ProviderError, match=words) as error:
        list(process(["f.txt"], input_order=["x", "y"]).samples("f.txt"))
    assert "test_provider.py" in str(error.value) and "f.txt, sample 1" in str(error.value)


def test_a_check_passes_what_is_right_and_may_leave_out_the_rest(caplog):
    good = [(np.array([1, 2.5], "float32"), [(0, 1.5)], [1, 3], np.int64(2)), ([1, 2], [], [], 0)]

    @provider(input_types=[dense_vector(2), sparse_vector(4), sparse_binary_vector(4),
                           integer_value(3)], check=True, check_fail_continue=True)
    def process(settings, filename):
        yield good[0]
        yield [1], [], [], 0
        yield good[1]
    made = process(["f"], input_order=["a", "b", "c", "d"])
    assert list(made.samples("f")) == good
    assert "sample 2 of f is left out: slot 0 (a): 1 values where 2" in caplog.text


def test_an_error_has_its_file_line_and_sample():
    @provider(input_types=[integer_value(2)])
    def process(settings, filename):
        yield 1
        yield int("x1")
    with pytest.raises(ProviderError) as error:
        all_of(SampleSource(process(["bad.txt"], input_order=["x"]), 4))
    text = str(error.value)
    assert "data file bad.txt, sample 2" in text and "process()" in text
    assert "ValueError: invalid literal for int() with base 10: 'x1'" in text
    line = process.function.__code__.co_firstlineno + 3
    assert "raised at tests/v1/test_provider.py:%d" % line in text.replace("../", "")


def test_samples_of_the_wrong_length_and_types_that_are_missing_are_named():
    made = make(input_types=[integer_value(10)] * 3, order=("x", "y", "z"))
    with pytest.raises(ProviderError, match="sample 1: a sample has 2 values, and there are 3"):
        all_of(SampleSource(made, 4))
    with pytest.raises(ProviderError, match="no input types"):
        make(input_types=None)
    with pytest.raises(ProviderError, match="no type for the data layer 'y'; it has 'x'"):
        make(input_types={"x": integer_value(1)})
    with pytest.raises(ProviderError, match=r"input_types\[1\] is 5"):
        all_of(SampleSource(make(input_types=[integer_value(10), 5]), 4))
    with pytest.raises(TypeError, match="unexpected keyword argument 'shuffle'"):
        provider(shuffle=True)
    with pytest.raises(ProviderError, match="no value for input 'y'; it has 'x'"):
        @provider(input_types={"x": integer_value(2), "y": integer_value(2)})
        def process(settings, filename):
            yield {"x": 1}
        all_of(SampleSource(process(["f"], input_order=["x", "y"]), 4))
