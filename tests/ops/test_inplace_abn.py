"""inplace_abn. Real Paddle takes it only where Y is X's own variable; those cases are compared with
it, the others by differences alone."""
from opcase import case, check, rand, refused

OUTPUTS = ["Y", "MeanOut", "VarianceOut", "SavedMean", "SavedVariance"]
RUNNING = ["Y", "MeanOut", "VarianceOut"]


def _abn(name, shape, act, alpha=0.3, compare=OUTPUTS, in_place=True, golden_grads=True, **attrs):
    c = shape[-1] if attrs.get("data_layout") == "NHWC" else shape[1]
    inputs = {"X": rand(*shape), "Scale": rand(c, low=0.5, high=1.5), "Bias": rand(c),
              "Mean": rand(c), "Variance": rand(c, low=0.5, high=1.5)}
    same = {"MeanOut": "Mean", "VarianceOut": "Variance"}
    if in_place:
        same["Y"] = "X"
    return case(name, "inplace_abn", inputs, dict(attrs, activation=act, alpha=alpha),
                outputs=OUTPUTS, inplace=same, grads=["X", "Scale", "Bias"], compare=compare,
                atol=5e-5, rtol=1e-4, golden=in_place, golden_grads=golden_grads,
                numeric=not in_place, ignore_grad_of=OUTPUTS[1:])


CASES = []
for in_place in (True, False):
    kw = {"in_place": in_place}
    CASES += [_abn(name + ("" if in_place else ", apart"), *args, **dict(more, **kw))
              for name, args, more in (
        ("identity", ((3, 4, 5, 6), "identity"), {}),
        ("leaky", ((3, 4, 5, 6), "leaky_relu"), {}),
        ("elu", ((3, 4, 5, 6), "elu", 1.0), {}),
        ("elu of rows", ((7, 5), "elu", 0.5), {}),
        ("channels last", ((3, 5, 6, 4), "leaky_relu"), {"data_layout": "NHWC"}),
        # What is saved where nothing of the batch is used is not set by real Paddle.
        ("test", ((3, 4, 5, 6), "leaky_relu"),
         {"compare": RUNNING, "is_test": True, "golden_grads": False}),
        ("running", ((3, 4, 5, 6), "leaky_relu"),
         {"compare": RUNNING, "use_global_stats": True}))]
test = check(__file__, CASES)

test_refusals = refused(
    ("activation relu: identity, leaky_relu or elu", _abn("x", (3, 4), "relu")),
    ("alpha is 0, and must be above 0", _abn("x", (3, 4), "leaky_relu", 0.0)),
    ("use_sync_bn is set", _abn("x", (3, 4), "elu", use_sync_bn=True)))
