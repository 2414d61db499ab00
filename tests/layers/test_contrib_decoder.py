"""fluid.contrib.decoder: the programs that it builds, and what it refuses."""
from layercase import check


def data(name, shape, dtype="float32", lod_level=0):
    import paddle.fluid as fluid
    return fluid.data(name, shape, dtype, lod_level=lod_level)


def cell_of(first, inputs=("x",)):
    from paddle.fluid import layers
    from paddle.fluid.contrib.decoder.beam_search_decoder import InitState, StateCell
    cell = StateCell(inputs={name: None for name in inputs},
                     states={"h": InitState(init=first, need_reorder=True)}, out_state="h")

    @cell.state_updater
    def update(cell):
        parts = [cell.get_state("h")] + [cell.get_input(name) for name in inputs]
        cell.set_state("h", layers.fc(parts, 3, act="tanh"))
    return cell


def training():
    from paddle.fluid import layers
    from paddle.fluid.contrib.decoder.beam_search_decoder import TrainingDecoder
    src, trg = data("src", [-1, 3]), data("trg", [-1, 4], lod_level=1)
    decoder = TrainingDecoder(cell_of(src))
    with decoder.block():
        word = decoder.step_input(trg)
        decoder.static_input(src)
        decoder.state_cell.compute_state(inputs={"x": word})
        score = layers.fc(decoder.state_cell.get_state("h"), 7, act="softmax")
        decoder.state_cell.update_states()
        decoder.output(score)
    decoder()


def searching(inputs=("x",), **kwargs):
    from paddle.fluid.contrib.decoder.beam_search_decoder import BeamSearchDecoder
    decoder = BeamSearchDecoder(
        state_cell=cell_of(data("src", [-1, 3], lod_level=1), inputs),
        init_ids=data("ids", [-1, 1], "int64", 2),
        init_scores=data("scores", [-1, 1], "float32", 2),
        target_dict_dim=7, word_dim=4, topk_size=5, max_len=6, beam_size=2, end_id=1, **kwargs)
    decoder.decode()
    decoder()


def beams():
    searching(sparse_emb=False)


def beams_with_another_input():
    searching(("x", "always"), input_var_dict={"always": data("always", [-1, 2], lod_level=1)})


def booted():
    from paddle.fluid.contrib.decoder.beam_search_decoder import InitState
    InitState(init_boot=data("src", [-1, 3]), shape=[-1, 5], value=0.5).value


CASES = [training, beams, beams_with_another_input, booted]
test = check(__file__, CASES)


def test_what_cannot_be_is_refused():
    import paddle.fluid as fluid
    import pytest
    from paddle.fluid.contrib.decoder.beam_search_decoder import (InitState, StateCell,
                                                                  TrainingDecoder)
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        src = data("src", [-1, 3])
        with pytest.raises(ValueError, match="give init, or init_boot"):
            InitState()
        with pytest.raises(ValueError, match="out_state is 'c'"):
            StateCell(inputs={}, states={"h": InitState(init=src)}, out_state="c")
        cell = cell_of(src)
        decoder = TrainingDecoder(cell)
        with pytest.raises(ValueError, match=r"inside block\(\) alone"):
            decoder.step_input(src)
        with pytest.raises(ValueError, match=r"after block\(\) alone"):
            decoder()
        with pytest.raises(ValueError, match="entered a decoder already"):
            TrainingDecoder(cell)
