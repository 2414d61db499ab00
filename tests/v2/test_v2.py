"""paddle.v2 as scripts use it: init, layers, parameters and their files, training, inference."""
import io
import struct
import tarfile

import numpy as np
import pytest


def regression(v2, size=3, seed=None):
    """x to y: (cost, prediction, samples)"""
    x = v2.layer.data(name="x", type=v2.data_type.dense_vector(size))
    y = v2.layer.data(name="y", type=v2.data_type.dense_vector(1))
    predicted = v2.layer.fc(input=x, size=1, act=v2.activation.Linear(), name="out")
    rng = np.random.RandomState(0)
    rows = rng.rand(40, size)
    return v2.layer.mse_cost(input=predicted, label=y), predicted, [
        (row, [row.sum() + 1]) for row in rows]


def words(v2, classes=3, **extra):
    word = v2.layer.data(name="word", type=v2.data_type.integer_value(12))
    label = v2.layer.data(name="label", type=v2.data_type.integer_value(classes))
    vector = v2.layer.embedding(input=word, size=5, param_attr=v2.attr.Param(name="_proj"))
    out = v2.layer.fc(input=vector, size=classes, act=v2.activation.Softmax())
    return v2.layer.classification_cost(input=out, label=label), out, [
        (i % 12, i % 12 % classes) for i in range(36)]


# ---- init ----

def test_arguments_come_before_the_environment_and_the_defaults(fresh, monkeypatch):
    monkeypatch.setenv("PADDLE_INIT_PORT", "7000")
    monkeypatch.setenv("PADDLE_INIT_TRAINER_ID", "1")
    monkeypatch.setenv("PADDLE_INIT_NUM_GRADIENT_SERVERS", "3")
    monkeypatch.setenv("PADDLE_INIT_USE_GPU", "False")
    fresh.init(trainer_id=2, use_gpu="False", gpu_id=0, use_mkldnn=True, log_error_clipping=True)
    from paddle.v2.flags import flags
    told = flags()
    assert (told["port"], told["trainer_id"], told["num_gradient_servers"]) == (7000, 2, 3)
    assert told["ports_num"] == told["ports_num_for_sparse"] == told["trainer_count"] == 1
    assert told["pservers"] == "127.0.0.1" and told["use_gpu"] is False


@pytest.mark.parametrize("arguments,words", [
    (dict(trainer_cont=2), "no option 'trainer_cont' .did you mean 'trainer_count'"),
    (dict(use_gpu=True), "use_gpu is not supported"),
    (dict(use_gpu="maybe"), "use_gpu must be True or False"),
    (dict(port="http"), "port='http': port must be a whole number"),
    (dict(trainer_count=0), "trainer_count must be at least 1"),
    (dict(trainer_id=3, num_gradient_servers=3), "trainer_id is 3, and there are 3 trainers"),
    (dict(rdma_tcp="rdma"), "rdma_tcp is not supported"),
    (dict(gpu_id=1), "gpu_id is not supported: models run on the CPU; leave it out or say 0, or say use_gpu=True"),
    (dict(log_period=10), "log_period is not supported: event handlers say"),
])
def test_wrong_options_are_named(fresh, arguments, words):
    with pytest.raises(ValueError, match=words):
        fresh.init(**arguments)


def test_a_wrong_environment_is_named(fresh, monkeypatch):
    monkeypatch.setenv("PADDLE_INIT_PORTS", "1")
    with pytest.raises(ValueError, match="PADDLE_INIT_PORTS: there is no option 'ports'"):
        fresh.init()


# ---- names ----

def test_names_are_those_of_v1_without_their_suffixes(fresh):
    import paddle.trainer_config_helpers as h
    assert fresh.layer.fc is h.fc_layer and fresh.layer.classification_cost is h.classification_cost
    assert fresh.activation.Softmax is h.SoftmaxActivation and fresh.pooling.Max is h.MaxPooling
    assert fresh.attr.Param is h.ParamAttr and fresh.attr.Extra is h.ExtraAttr
    assert fresh.evaluator.classification_error is h.classification_error_evaluator
    for name in h.layers.__all__:
        if name != "data_layer":
            short = name[:-6] if name.endswith("_layer") else name
            assert getattr(fresh.layer, short) is getattr(h, name)
    assert fresh.layer.cross_entropy_cost is h.cross_entropy
    assert fresh.layer.max_id is h.maxid_layer
    for name in fresh.__all__:
        getattr(fresh, name)
    with pytest.raises(AttributeError, match="has no attribute 'layers'"):
        fresh.layers


def test_names_of_v2s_own(fresh):
    for name in ("max_id", "cross_entropy_cost", "cross_entropy_with_selfnorm_cost",
                 "multi_binary_label_cross_entropy_cost"):
        assert callable(getattr(fresh.layer, name)), name
    for name in ("StaticInput", "GeneratedInput", "BaseGeneratedInput"):  # of 0.10.0rc
        assert getattr(fresh.layer, name + "V2") is getattr(fresh.layer, name)


def test_v2_beside_fluid(fresh):
    import paddle.fluid as fluid
    cost, _, samples = regression(fresh)
    before = len(fluid.default_main_program().global_block().ops)
    parameters = fresh.parameters.create(cost)
    trainer = fresh.trainer.SGD(cost, parameters, fresh.optimizer.Momentum(learning_rate=0.01))
    trainer.train(fresh.batch(lambda: iter(samples), 10))
    assert len(fluid.default_main_program().global_block().ops) == before
    assert fresh.default_main_program() is fluid.default_main_program()


def test_what_is_not_here_is_refused_by_name(fresh):
    with pytest.raises(NotImplementedError, match="no master and no etcd"):
        fresh.master.client("etcd", 5)
    cost, _, _ = regression(fresh)
    with pytest.raises(NotImplementedError, match="paddle pserver"):
        fresh.trainer.SGD(cost, fresh.parameters.create(cost), fresh.optimizer.Adam(),
                          is_local=False, pserver_spec="127.0.0.1:2379")
    with pytest.raises(NotImplementedError, match="model_average is not supported with param"):
        fresh.trainer.SGD(cost, fresh.parameters.create(cost), fresh.optimizer.Adam(
            model_average=fresh.optimizer.ModelAverage(0.5)), is_local=False)
    with pytest.raises(ValueError, match="Adam: .*unexpected keyword argument 'learning_rat'"):
        fresh.optimizer.Adam(learning_rat=1)
    with pytest.raises(ValueError, match="type is 13, and must be one of paddle.data_type"):
        fresh.layer.data(name="x", type=13)
    with pytest.raises(ValueError, match="fc_layer: .*sise"):
        fresh.layer.fc(input=[], size=2, sise=3)


# ---- training ----

def test_a_wrong_word_of_an_optimizer_is_named_with_those_there_are(fresh):
    with pytest.raises(ValueError) as caught:
        fresh.optimizer.Adam(learning_rat=0.1)
    assert str(caught.value) == (
        "Adam: got an unexpected keyword argument 'learning_rat'; it takes learning_rate, "
        "learning_rate_decay_a, learning_rate_decay_b, learning_rate_schedule, "
        "learning_rate_args, regularization, model_average, gradient_clipping_threshold, is_async, "
        "batch_size")


def test_events_come_in_order_with_costs_of_a_sample(fresh):
    cost, _, samples = words(fresh)
    parameters = fresh.parameters.create(cost)
    trainer = fresh.trainer.SGD(cost, parameters, fresh.optimizer.Momentum(learning_rate=0.0))
    seen = []

    def handler(event):
        seen.append(event)
    trainer.train(fresh.batch(lambda: iter(samples), 12), num_passes=2, event_handler=handler)
    kinds = [type(event).__name__ for event in seen]
    one = ["BeginIteration", "EndForwardBackward", "EndIteration"]
    assert kinds == (["BeginPass"] + one * 3 + ["EndPass"]) * 2
    ends = [event for event in seen if isinstance(event, fresh.event.EndIteration)]
    assert [(e.pass_id, e.batch_id) for e in ends] == [(p, b) for p in (0, 1) for b in range(3)]
    result = trainer.test(fresh.batch(lambda: iter(samples), 5))
    assert ends[0].cost == pytest.approx(result.cost, rel=1e-5) and 0.5 < ends[0].cost < 2
    (name, rate), = result.metrics.items()
    assert name == "classification_error_evaluator" and 0 <= rate <= 1
    assert seen[-1].metrics[name] == pytest.approx(rate, rel=1e-5)


def test_events_have_the_outputs_of_layers(fresh):
    cost, out, samples = words(fresh)
    trainer = fresh.trainer.SGD(cost, fresh.parameters.create(cost),
                                fresh.optimizer.Momentum(learning_rate=0.1))
    seen = []

    def handler(event):
        if isinstance(event, fresh.event.EndForwardBackward):
            seen.append(event.gm.getLayerOutputs([out.name])[out.name]["value"])
            with pytest.raises(KeyError, match="no layer 'nothing'; there are word"):
                event.gm.getLayerOutputs("nothing")
    trainer.train(fresh.batch(lambda: iter(samples), 12), event_handler=handler)
    assert [value.shape for value in seen] == [(12, 3)] * 3
    np.testing.assert_allclose(seen[0].sum(1), 1, rtol=1e-5)


@pytest.mark.parametrize("count", [1, 2])
def test_a_model_learns_and_is_saved_and_infers(fresh, count):
    fresh.init(trainer_count=count)
    cost, predicted, samples = regression(fresh)
    parameters = fresh.parameters.create(cost)
    trainer = fresh.trainer.SGD(cost, parameters, fresh.optimizer.Momentum(momentum=0.5,
                                                                           learning_rate=0.01))
    trainer.train(fresh.reader.shuffle(fresh.batch(lambda: iter(samples), 8), 4), num_passes=200)
    assert trainer.test(fresh.batch(lambda: iter(samples), 8)).cost < 1e-2
    file = io.BytesIO()
    trainer.save_parameter_to_tar(file)
    file.seek(0)
    loaded = fresh.parameters.Parameters.from_tar(file)
    for name in parameters:
        np.testing.assert_array_equal(loaded[name], parameters[name])
    rows = [(row,) for row, _ in samples]
    value = fresh.infer(output_layer=predicted, parameters=loaded, input=rows)
    np.testing.assert_allclose(value, [y for _, y in samples], atol=0.5)
    model = io.BytesIO()
    fresh.topology.Topology(predicted).serialize_for_inference(model)
    model.seek(0)
    inferer = fresh.inference.Inference(loaded, fileobj=model)
    np.testing.assert_array_equal(inferer.infer(rows), value)


def test_fields_of_an_inference(fresh):
    cost, out, samples = words(fresh)
    parameters = fresh.parameters.create(cost)
    rows = [(word,) for word, _ in samples]
    inferer = fresh.inference.Inference(parameters, out)
    value, ids = inferer.infer(rows, field=["value", "id"])
    np.testing.assert_array_equal(value.argmax(1), ids)
    np.testing.assert_allclose(value.sum(1), 1, rtol=1e-5)
    parts = inferer.infer(rows, flatten_result=False)
    assert len(parts) == 1 and parts[0].shape == (36, 3)
    swapped = inferer.infer([(0, word) for word, in rows], feeding={"word": 1})
    np.testing.assert_array_equal(swapped, value)
    with pytest.raises(ValueError, match="no field 'values'; there are value, id, prob"):
        inferer.infer(rows, field="values")


def test_a_cost_among_extra_layers_is_learnt_and_not_counted(fresh):
    """As GoogLeNet has it: two more costs on the way, whose layers nobody saves."""
    def model():
        cost, _, samples = regression(fresh)
        x = fresh.layer.data(name="x", type=fresh.data_type.dense_vector(3))
        hidden = fresh.layer.fc(input=x, size=2, name="hidden")
        y = fresh.layer.data(name="y", type=fresh.data_type.dense_vector(1))
        out = fresh.layer.fc(input=hidden, size=1, name="out", act=fresh.activation.Linear())
        aside = fresh.layer.fc(input=hidden, size=1, name="aside", act=fresh.activation.Linear())
        return (fresh.layer.square_error_cost(input=out, label=y),
                fresh.layer.square_error_cost(input=aside, label=y, coeff=0.5), samples)
    fresh.init(trainer_count=1)
    cost, extra, samples = model()
    parameters = fresh.parameters.create(cost)
    names = parameters.names()
    assert "_aside.w0" not in names
    before = fresh.trainer.SGD(cost, fresh.parameters.create(cost),
                               fresh.optimizer.Momentum(learning_rate=0.0))
    trainer = fresh.trainer.SGD(cost, parameters, fresh.optimizer.Momentum(learning_rate=0.01),
                                extra_layers=[extra])
    rows = fresh.batch(lambda: iter(samples), 10)
    assert trainer.test(rows).cost == pytest.approx(before.test(rows).cost)
    machine = trainer._machine
    start, weight = machine.get("_aside.w0"), machine.get("_hidden.w0")
    machine.set("_out.w0", np.zeros([2, 1]))  # nothing comes back to hidden from the output
    trainer.train(rows)
    assert not np.array_equal(machine.get("_aside.w0"), start)
    assert not np.array_equal(machine.get("_hidden.w0"), weight)
    assert parameters.names() == names
    file = io.BytesIO()
    trainer.save_parameter_to_tar(file)
    file.seek(0)
    assert fresh.parameters.Parameters.from_tar(file).names() == names


def test_a_learned_model_from_parameters_goes_on(fresh):
    cost, _, samples = words(fresh)
    parameters = fresh.parameters.create(cost)
    adam = fresh.optimizer.Adam(learning_rate=0.1, regularization=fresh.optimizer.L2Regularization(
        1e-4), model_average=fresh.optimizer.ModelAverage(0.5))
    trainer = fresh.trainer.SGD(cost, parameters, adam)
    trainer.train(fresh.batch(lambda: iter(samples), 12), num_passes=20)
    file = io.BytesIO()
    parameters.to_tar(file)
    file.seek(0)
    again = fresh.parameters.create(cost)
    again.init_from_tar(file)
    trainer = fresh.trainer.SGD(cost, again, fresh.optimizer.Adam(learning_rate=0.0))
    assert trainer.test(fresh.batch(lambda: iter(samples), 12)).metrics[
        "classification_error_evaluator"] == 0


def test_networks_of_one_process_may_use_names_again(fresh):
    for _ in range(2):
        cost, _, _ = regression(fresh)
        assert fresh.parameters.create(cost).names() == ["_out.w0", "_out.wbias"]
    x = fresh.layer.data(name="x", type=fresh.data_type.dense_vector(3))
    other = fresh.layer.fc(input=fresh.layer.fc(input=x, size=3, name="out"), size=2, name="out")
    with pytest.raises(ValueError, match="two layers called 'out'"):
        fresh.parameters.create(other)


# ---- parameters ----

def test_parameters_are_a_dict_of_arrays(fresh):
    cost, _, _ = words(fresh)
    parameters = fresh.parameters.create(cost)
    assert parameters.names() == parameters.keys() == ["_proj", "___fc_layer_0__.w0",
                                                       "___fc_layer_0__.wbias"]
    assert parameters.get_shape("_proj") == (12, 5)
    assert parameters.get_shape("___fc_layer_0__.wbias") == (1, 3)
    assert parameters.has_key("_proj") and "x" not in parameters
    trainer = fresh.trainer.SGD(cost, parameters, fresh.optimizer.Momentum(learning_rate=1.0))
    parameters.set("_proj", np.ones((12, 5)))
    start = parameters.get("_proj")
    trainer.train(lambda: iter([[(1, 2)], [(1, 2)]]))
    assert (parameters["_proj"] != start)[1].any()
    assert parameters.get_grad("_proj").shape == (12, 5)
    assert not parameters.get_grad("_proj")[[0, 2]].any()
    with pytest.raises(ValueError, match="no parameter 'proj'; there are _proj"):
        parameters.get("proj")
    with pytest.raises(ValueError, match=r"the shape \[12, 5\]"):
        parameters["_proj"] = np.ones(3)


def test_parameters_may_be_of_more_than_the_model(fresh):
    cost, out, samples = words(fresh)
    both = fresh.parameters.create([cost, fresh.layer.fc(input=out, size=4, name="more")])
    trainer = fresh.trainer.SGD(cost, both, fresh.optimizer.Momentum(learning_rate=1.0))
    start = {name: both[name] for name in both}
    trainer.train(fresh.batch(lambda: iter(samples), 12))
    np.testing.assert_array_equal(both["_more.w0"], start["_more.w0"])
    assert (both["_proj"] != start["_proj"]).any()
    again = fresh.trainer.SGD(cost, both, fresh.optimizer.Momentum(learning_rate=0.0))
    assert again.test(lambda: iter([samples])).cost == pytest.approx(
        trainer.test(lambda: iter([samples])).cost)
    file = io.BytesIO()
    again.save_parameter_to_tar(file)
    assert len(fresh.parameters.Parameters.from_tar(io.BytesIO(file.getvalue()))) == len(both)
    with pytest.raises(ValueError, match="the model has a parameter '_more.w0'"):
        fresh.inference.Inference(fresh.parameters.create(cost),
                                  fresh.layer.fc(input=out, size=4, name="more"))


def field(number, wire, data):
    return bytes([number << 3 | wire]) + data


def test_a_tar_has_v2s_bytes(fresh):
    x = fresh.layer.data(name="x", type=fresh.data_type.dense_vector(4))
    out = fresh.layer.fc(input=x, size=2, bias_attr=fresh.attr.Param(learning_rate=2.0))
    parameters = fresh.parameters.create(out)
    file, again = io.BytesIO(), io.BytesIO()
    parameters.to_tar(file)
    parameters.to_tar(again)
    assert file.getvalue() == again.getvalue()
    tar = tarfile.open(fileobj=io.BytesIO(file.getvalue()))
    members = tar.getmembers()
    w, b = "___fc_layer_0__.w0", "___fc_layer_0__.wbias"
    assert [m.name for m in members] == [w, w + ".protobuf", b, b + ".protobuf"]
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in members} == {
        (0, 0, 0, "", "", 0o644)}
    assert file.getvalue()[257:265] == b"ustar  \0"  # as Python 2 wrote them
    assert tar.extractfile(w).read() == struct.pack("<IIQ", 0, 4, 8) + parameters[w].tobytes()
    double = struct.Struct("<d").pack
    assert tar.extractfile(w + ".protobuf").read() == (
        field(1, 2, bytes([len(w)]) + w.encode()) + field(2, 0, b"\x08")
        + field(5, 1, double(0.0)) + field(6, 1, double(0.5)) + field(9, 0, b"\x04")
        + field(9, 0, b"\x02") + field(11, 0, b"\x00") + field(12, 0, b"\x01"))
    assert tar.extractfile(b + ".protobuf").read() == (
        field(1, 2, bytes([len(b)]) + b.encode()) + field(2, 0, b"\x02")
        + field(3, 1, double(2.0)) + field(5, 1, double(0.0)) + field(6, 1, double(0.0))
        + field(9, 0, b"\x01") + field(9, 0, b"\x02") + field(11, 0, b"\x00")
        + field(12, 0, b"\x00"))


def test_files_may_be_opened_as_text(fresh, tmp_path):
    """As scripts of Python 2 do, where it makes no difference."""
    cost, out, samples = words(fresh)
    parameters = fresh.parameters.create(cost)
    tar, model = str(tmp_path / "p.tar"), str(tmp_path / "model")
    with open(tar, "w") as f, open(model, "w") as m:
        parameters.to_tar(f)
        fresh.topology.Topology(out).serialize_for_inference(m)
    rows = [(word,) for word, _ in samples]
    wanted = fresh.infer(output_layer=out, parameters=parameters, input=rows)
    with open(tar) as f, open(model) as m:
        inferer = fresh.inference.Inference(fresh.parameters.Parameters.from_tar(f), fileobj=m)
    np.testing.assert_array_equal(inferer.infer(rows), wanted)


def test_a_convolutions_weight_has_no_dims_and_is_one_row(fresh):
    pixels = fresh.layer.data(name="pixels", type=fresh.data_type.dense_vector(36))
    conv = fresh.layer.img_conv(input=pixels, filter_size=3, num_channels=1, num_filters=2,
                                name="conv")
    made = fresh.parameters.create(conv)
    assert made.get_shape("_conv.w0") == (1, 18)
    file = io.BytesIO()
    made.to_tar(file)
    file.seek(0)
    again = fresh.parameters.Parameters.from_tar(file)
    assert again.get_shape("_conv.w0") == (1, 18)
    assert (again["_conv.w0"] == made["_conv.w0"]).all()


def test_unknown_fields_of_a_tar_are_kept_and_damage_is_named(fresh):
    name, config = "w", field(1, 2, b"\x01w") + field(2, 0, b"\x03") + field(9, 0, b"\x03")
    config += bytes([24 << 3 & 0xff | 0x80, 24 << 3 >> 7]) + b"\x05"  # parameter_block_size
    values = struct.pack("<IIQ3f", 0, 4, 3, 1, 2, 3)

    def tar_of(**members):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w") as tar:
            for member, data in members.items():
                info = tarfile.TarInfo(member.replace("_", "."))
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        file.seek(0)
        return file
    read = fresh.parameters.Parameters.from_tar
    with pytest.raises(ValueError, match="is no tar file .*to_tar"):
        read(io.BytesIO(b"no tar" * 200))
    loaded = read(tar_of(w=values, w_protobuf=config))
    np.testing.assert_array_equal(loaded[name], [1, 2, 3])
    out = io.BytesIO()
    loaded.to_tar(out)
    out.seek(0)
    assert tarfile.open(fileobj=out).extractfile("w.protobuf").read() == config
    for members, words in [
            (dict(w=values[:-1], w_protobuf=config), "'w': the file ends after 11 of 12 bytes"),
            (dict(w=values[:9], w_protobuf=config), "ends within its header"),
            (dict(w=struct.pack("<IIQ2f", 0, 4, 2, 1, 2), w_protobuf=config), "has 2 numbers"),
            (dict(w=values), "has values of 'w' and no w.protobuf"),
            (dict(w_protobuf=config), "no values of w"),
            (dict(w=values, w_protobuf=config[:-1]), "w.protobuf is no configuration")]:
        with pytest.raises(ValueError, match=words):
            read(tar_of(**members))


# ---- the rest ----

def test_images_and_plots(fresh, tmp_path, monkeypatch):
    image = np.arange(6 * 8 * 3, dtype="uint8").reshape(6, 8, 3)
    assert fresh.image.center_crop(image, 4, is_color=True).shape == (4, 4, 3)
    assert fresh.image.to_chw(fresh.image.resize_short(image, 12)).shape == (3, 12, 16)
    pytest.importorskip("matplotlib")
    monkeypatch.delenv("DISABLE_PLOT", raising=False)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    ploter = fresh.plot.Ploter("train cost", "test cost")
    for i in range(5):
        ploter.append("train cost", i, 1.0 / (i + 1))
    ploter.plot(str(tmp_path / "cost.png"))
    assert (tmp_path / "cost.png").read_bytes()[:4] == b"\x89PNG"


def test_layers_can_be_calculated_with(fresh):
    x = fresh.layer.data(name="x", type=fresh.data_type.dense_vector(3))
    y = fresh.op.exp(x) + 2 * x - 1
    rows = np.array([[0.0, 1.0, -1.0], [0.5, 2.0, 0.25]])
    value = fresh.inference.Inference(fresh.parameters.create(y), y).infer([(r,) for r in rows])
    np.testing.assert_allclose(value, np.exp(rows) + 2 * rows - 1, rtol=1e-5)


def test_a_name_that_is_used_again_has_its_new_place(fresh):
    """In a sample the slots are in the order in which the layers of this model were declared."""
    cost, _, samples = words(fresh)
    label = fresh.layer.data(name="label", type=fresh.data_type.integer_value(3))
    word = fresh.layer.data(name="word", type=fresh.data_type.integer_value(12))
    out = fresh.layer.fc(input=fresh.layer.embedding(input=word, size=5), size=3,
                         act=fresh.activation.Softmax())
    again = fresh.topology.Topology(fresh.layer.classification_cost(input=out, label=label))
    assert [name for name, _ in again.data_type()] == ["label", "word"]
    assert [name for name, _ in fresh.topology.Topology(cost).data_type()] == ["word", "label"]


def test_integers_and_floats_in_each_others_place_are_named(fresh):
    ids = fresh.layer.data(name="word", type=fresh.data_type.integer_value(5))
    row = fresh.layer.data(name="x", type=fresh.data_type.dense_vector(5))
    with pytest.raises(ValueError, match="layer 'a' .fc.*is integers.*put an embedding_layer"):
        fresh.parameters.create(fresh.layer.fc(input=[row, ids], size=2, name="a"))
    with pytest.raises(ValueError, match="layer 'b' .embedding.*of floats, and must be integers"):
        fresh.parameters.create(fresh.layer.embedding(input=row, size=2, name="b"))


def test_a_topology_knows_its_layers(fresh):
    cost, out, _ = words(fresh)
    topology = fresh.topology.Topology(cost)
    assert [name for name, _ in topology.data_type()] == ["word", "label"]
    assert sorted(topology.data_layers()) == ["label", "word"]
    assert topology.get_layer(out.name) is out and topology.get_layer("none") is None
    assert not topology.use_sparse_updater() and topology.proto().SerializeToString()
