"""A translation as v2's scripts write it: trained, and then generated from with the parameters."""
import gzip

import numpy as np
import pytest

import paddle.v2 as paddle

WORDS, BOS, EOS = 6, 0, 1
PAIRS = [([2, 3], [4, 2]), ([3, 2], [5, 3]), ([4], [2]), ([5, 5, 2], [3, 4])]


def decoder(is_generating):
    src = paddle.layer.data(name="src", type=paddle.data_type.integer_value_sequence(WORDS))
    encoded = paddle.networks.simple_gru2(
        paddle.layer.embedding(input=src, size=8, name="source"), size=12, name="encoder")
    boot = paddle.layer.fc(input=paddle.layer.last_seq(input=encoded), size=12, name="boot")
    proj = paddle.layer.fc(input=encoded, size=12, name="proj", act=paddle.activation.Linear())

    def step(enc_vec, enc_proj, word):
        before = paddle.layer.memory(name="gru_decoder", size=12, boot_layer=boot)
        context = paddle.networks.simple_attention(encoded_sequence=enc_vec, encoded_proj=enc_proj,
                                                   decoder_state=before, name="attention")
        with paddle.layer.mixed(size=36, name="decoder_inputs") as inputs:
            inputs += paddle.layer.full_matrix_projection(input=context)
            inputs += paddle.layer.full_matrix_projection(input=word)
        gru = paddle.layer.gru_step(name="gru_decoder", input=inputs, output_mem=before, size=12)
        with paddle.layer.mixed(size=WORDS, bias_attr=True, act=paddle.activation.Softmax(),
                                name="out") as out:
            out += paddle.layer.full_matrix_projection(input=gru)
        return out

    inputs = [paddle.layer.StaticInput(input=encoded, is_seq=True),
              paddle.layer.StaticInput(input=proj, is_seq=True)]
    if is_generating:
        inputs.append(paddle.layer.GeneratedInput(size=WORDS, embedding_name="_target",
                                                  embedding_size=8))
        return paddle.layer.beam_search(name="decoder_group", step=step, input=inputs, bos_id=BOS,
                                        eos_id=EOS, beam_size=3, max_length=8)
    trg = paddle.layer.data(name="trg", type=paddle.data_type.integer_value_sequence(WORDS))
    inputs.append(paddle.layer.embedding(input=trg, size=8,
                                         param_attr=paddle.attr.Param(name="_target")))
    following = paddle.layer.recurrent_group(name="decoder_group", step=step, input=inputs)
    label = paddle.layer.data(name="next", type=paddle.data_type.integer_value_sequence(WORDS))
    return paddle.layer.classification_cost(input=following, label=label)


def test_a_translation_is_learnt_and_said(fresh):
    paddle.init(use_gpu=False, trainer_count=1)
    cost = decoder(False)
    parameters = paddle.parameters.create(cost)
    trainer = paddle.trainer.SGD(cost=cost, parameters=parameters,
                                 update_equation=paddle.optimizer.Adam(learning_rate=0.02))

    def reader():
        for source, target in PAIRS:
            yield source, [BOS] + target, target + [EOS]
    costs = []
    trainer.train(paddle.batch(reader, 4), num_passes=150, event_handler=lambda e: costs.append(
        e.cost) if isinstance(e, paddle.event.EndIteration) else None)
    assert costs[-1] < 0.1 * costs[0]
    assert "_gru_decoder@decoder_group.w0" in parameters.names()
    prob, ids = paddle.infer(output_layer=decoder(True), parameters=parameters,
                             input=[(source,) for source, _ in PAIRS], field=["prob", "id"])
    assert prob.shape == (4, 3) and (np.diff(prob, axis=1) <= 0).all()
    sentences, sentence = [], []
    for word in ids:  # as scripts of that time read it
        if word != -1:
            sentence.append(int(word))
        else:
            sentences.append(sentence[1:])
            sentence = []
    assert [sentences[3 * i] for i in range(4)] == [target + [EOS] for _, target in PAIRS]



def test_the_trained_translator_of_the_book_is_read_from_the_cache(fresh, tmp_path, monkeypatch):
    from paddle.dataset import common, wmt14
    parameters = paddle.parameters.create(decoder(False))
    path = tmp_path / "wmt14" / "wmt14_model.tar.gz"
    path.parent.mkdir()
    with gzip.open(str(path), "wb") as file:
        parameters.to_tar(file)
    monkeypatch.delenv("PADDLE_DATASET", raising=False)
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    monkeypatch.setattr(wmt14, "MD5_MODEL", common.md5file(str(path)))
    found = paddle.dataset.wmt14.model()
    assert found.names() == parameters.names()
    np.testing.assert_array_equal(found["_target"], parameters["_target"])
    monkeypatch.setenv("PADDLE_DATASET", "synthetic")
    with pytest.raises(RuntimeError, match="no trained model"):
        paddle.dataset.wmt14.model()
