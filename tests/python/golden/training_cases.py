"""Small models trained for some steps, the same under real Paddle 1.8.5 and under Regatta.

A case builds an optimizer over a loss; run() trains from given parameters on given batches
and returns every persistable variable after the last step, by name, and what the case adds.
record_training.py writes what real Paddle gives into training.npz, and
../test_training_parity.py compares."""
import numpy as np

STEPS = 15


class Case:
    def __init__(self, name, build, model="dense", tolerance=1e-5):
        self.name, self.build, self.model = name, build, model
        self.tolerance = tolerance


# ---- models ----

def dense(fluid, **attrs):
    """Two layers; a parameter of every rank that fc makes."""
    layers = fluid.layers
    x = layers.data("x", [4])
    hidden = layers.fc(x, 3, act="tanh", param_attr=attrs.get("w"), bias_attr=attrs.get("b"))
    return layers.mean(layers.square_error_cost(layers.fc(hidden, 1), layers.data("y", [1])))


def sparse(fluid):
    """A table of 10 rows: every batch names some of them, some more than once."""
    layers = fluid.layers
    block = fluid.default_main_program().global_block()
    table = fluid.layer_helper.LayerHelper("table").create_parameter(
        attr=fluid.ParamAttr(name="table"), shape=[10, 3], dtype="float32")
    rows = block.create_var(name="rows", dtype="float32")
    block.append_op(type="lookup_table",
                    inputs={"W": [table], "Ids": [layers.data("id", [1], dtype="int64")]},
                    outputs={"Out": [rows]}, attrs={"is_sparse": True})
    return layers.mean(layers.square_error_cost(layers.fc(rows, 1), layers.data("y", [1])))


def batches():
    rng = np.random.RandomState(5)
    for _ in range(STEPS):
        yield {"x": rng.uniform(-1, 1, (8, 4)).astype("float32"),
               "y": rng.uniform(-2, 2, (8, 1)).astype("float32"),
               "id": rng.randint(0, 8, (8, 1)).astype("int64")}


# ---- running ----

def _tensor(fluid, name):
    return fluid.global_scope().find_var(name).get_tensor()


def _set_parameters(fluid, program):
    """Given ones, whatever the initializers drew."""
    rng = np.random.RandomState(9)
    for param in sorted(program.all_parameters(), key=lambda p: p.name):
        value = rng.uniform(-1, 1, param.shape).astype("float32")
        for name in (param.name, param.name + "@SLOW"):
            if fluid.global_scope().find_var(name) is not None:
                _tensor(fluid, name).set(value, fluid.CPUPlace())


def _kept(fluid, program):
    kinds = fluid.core.VarDesc.VarType
    return {v.name: np.array(_tensor(fluid, v.name)) for v in program.global_block().vars.values()
            if v.persistable and v.type == kinds.LOD_TENSOR}


class Training:
    """What a case's build() gets: fluid, the loss, and ways to add to what is compared."""

    def __init__(self, fluid, loss):
        self.fluid, self.loss = fluid, loss
        self.fetches = {}   # name -> variable, kept of every step
        self.after = []     # functions of (executor, out), called after the last step

    def minimize(self, optimizer):
        return optimizer.minimize(self.loss)

    def rate(self, rate):
        self.fetches["rate"] = rate
        return rate


def run(fluid, case):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.core.Scope()):
        loss = None if callable(case.model) else {"dense": dense, "sparse": sparse}[case.model](
            fluid)
        loss = case.model(fluid) if loss is None else loss
        training = Training(fluid, loss)
        case.build(training)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        _set_parameters(fluid, main)
        fetches = dict(training.fetches, loss=loss)
        steps = {name: [] for name in fetches}
        for feed in batches():
            feed = {k: v for k, v in feed.items() if main.global_block().has_var(k)}
            for name, value in zip(fetches, exe.run(main, feed, list(fetches.values()))):
                steps[name].append(value)
        out = {name: np.array(values) for name, values in steps.items()}
        out.update(_kept(fluid, main))
        for function in training.after:
            function(exe, out)
        return out


# ---- the cases ----

CASES = []


def _optimizers(cases, model, **more):
    for name, make, tolerance in cases:
        CASES.append(Case("%s %s" % (name, model), lambda t, make=make: t.minimize(make(
            t.fluid.optimizer)), model, tolerance=tolerance, **more))


_optimizers([
    ("sgd", lambda o: o.SGD(0.1), 1e-5),
    ("momentum", lambda o: o.Momentum(0.05, 0.9), 1e-5),
    ("nesterov", lambda o: o.Momentum(0.05, 0.9, use_nesterov=True), 1e-5),
    ("lars", lambda o: o.LarsMomentum(0.5, 0.9, lars_coeff=0.1), 1e-5),
    ("adagrad", lambda o: o.Adagrad(0.1), 1e-5),
    ("adagrad from 0.5", lambda o: o.Adagrad(0.1, initial_accumulator_value=0.5), 1e-5),
    ("adam", lambda o: o.Adam(0.05), 1e-6),
    ("adam named", lambda o: o.Adam(0.05, beta1=0.8, beta2=0.9, epsilon=1e-3, name="mine"), 1e-6),
    ("adamax", lambda o: o.Adamax(0.05), 1e-5),
    ("decayed adagrad", lambda o: o.DecayedAdagrad(0.05), 1e-5),
    ("adadelta", lambda o: o.Adadelta(0.1), 1e-5),
    ("rmsprop", lambda o: o.RMSPropOptimizer(0.02), 1e-5),
    ("rmsprop centered", lambda o: o.RMSPropOptimizer(0.02, momentum=0.5, centered=True), 1e-5),
    ("ftrl", lambda o: o.Ftrl(0.1), 1e-5),
    ("ftrl l1 l2", lambda o: o.Ftrl(0.1, l1=0.05, l2=0.05), 1e-5),
    ("ftrl power", lambda o: o.Ftrl(0.1, l1=0.05, l2=0.05, lr_power=-0.4), 1e-5),
    ("lamb", lambda o: o.LambOptimizer(0.05), 1e-5),
    ("lamb excluding", lambda o: o.LambOptimizer(
        0.05, 0.1, exclude_from_weight_decay_fn=lambda p: p.name.endswith(".b_0")), 1e-5),
    ("dpsgd", lambda o: o.Dpsgd(0.1, clip=0.5, batch_size=8.0, sigma=1e-8), 1e-5),
], "dense")
_optimizers([
    ("sgd", lambda o: o.SGD(0.1), 1e-5),
    ("momentum", lambda o: o.Momentum(0.05, 0.9), 1e-5),
    ("nesterov", lambda o: o.Momentum(0.05, 0.9, use_nesterov=True), 1e-5),
    ("adagrad", lambda o: o.Adagrad(0.1), 1e-5),
    ("adam", lambda o: o.Adam(0.05), 1e-6),
    ("adam lazy", lambda o: o.Adam(0.05, lazy_mode=True), 1e-6),
    ("rmsprop", lambda o: o.RMSPropOptimizer(0.02), 1e-5),
    ("rmsprop centered", lambda o: o.RMSPropOptimizer(0.02, momentum=0.5, centered=True), 1e-5),
    ("lamb", lambda o: o.LambOptimizer(0.05), 1e-5),
], "sparse")


def case(model="dense", tolerance=1e-5):
    def add(build):
        CASES.append(Case(build.__name__.strip("_"), build, model, tolerance))
        return build
    return add


@case(tolerance=1e-6)
def adam_with_betas_as_variables(t):
    betas = [t.fluid.layers.create_global_var([1], v, "float32", persistable=True, name=n)
             for n, v in (("b1", 0.8), ("b2", 0.7))]
    t.minimize(t.fluid.optimizer.Adam(0.05, beta1=betas[0], beta2=betas[1]))


@case(lambda fluid: dense(fluid, w=fluid.ParamAttr(learning_rate=0.5),
                          b=fluid.ParamAttr(learning_rate=2.0)))
def parameter_rates(t):
    t.minimize(t.fluid.optimizer.Momentum(0.05, 0.9))


@case(lambda fluid: dense(fluid, w=fluid.ParamAttr(trainable=False)))
def frozen_parameter(t):
    t.minimize(t.fluid.optimizer.Adagrad(0.1))


# ---- regularizers ----

def _regularized(name, make, model="dense"):
    CASES.append(Case(name, lambda t: t.minimize(make(t.fluid)), model))


_regularized("l1", lambda f: f.optimizer.SGD(0.1, regularization=f.regularizer.L1Decay(0.05)))
_regularized("l2", lambda f: f.optimizer.Momentum(
    0.05, 0.9, regularization=f.regularizer.L2Decay(0.05)))
_regularized("l1 sparse", lambda f: f.optimizer.SGD(
    0.1, regularization=f.regularizer.L1Decay(0.05)), "sparse")
_regularized("l2 sparse", lambda f: f.optimizer.Adam(
    0.05, regularization=f.regularizer.L2Decay(0.05)), "sparse")
_regularized("l2 of a parameter's own", lambda f: f.optimizer.SGD(
    0.1, regularization=f.regularizer.L2Decay(0.01)), lambda f: dense(
        f, w=f.ParamAttr(regularizer=f.regularizer.L1Decay(0.05)),
        b=f.ParamAttr(regularizer=f.regularizer.L2Decay(0.1))))


# ---- clips ----

def _clipped(name, clip, model="dense"):
    def build(t):
        t.minimize(t.fluid.optimizer.Momentum(0.05, 0.9, grad_clip=clip(t.fluid.clip)))
    CASES.append(Case("clip %s %s" % (name, model), build, model))


def _no_bias(param):
    return not param.name.endswith(".b_0")


_clipped("by value", lambda c: c.GradientClipByValue(0.1))
_clipped("by value", lambda c: c.GradientClipByValue(0.1), "sparse")
_clipped("by value min", lambda c: c.GradientClipByValue(max=0.2, min=-0.05))
_clipped("by norm", lambda c: c.GradientClipByNorm(0.2))
_clipped("by norm", lambda c: c.GradientClipByNorm(0.2), "sparse")
_clipped("by global norm", lambda c: c.GradientClipByGlobalNorm(0.3))
_clipped("by global norm large", lambda c: c.GradientClipByGlobalNorm(100.0))
_clipped("by global norm", lambda c: c.GradientClipByGlobalNorm(0.3), "sparse")
_clipped("by global norm needed", lambda c: c.GradientClipByGlobalNorm(0.3, need_clip=_no_bias))
_clipped("by norm needed", lambda c: c.GradientClipByNorm(0.2, need_clip=_no_bias))


@case("sparse")
def clip_and_regularizer(t):
    t.minimize(t.fluid.optimizer.SGD(
        0.1, regularization=t.fluid.regularizer.L2Decay(0.05),
        grad_clip=t.fluid.clip.GradientClipByGlobalNorm(0.3)))


@case("sparse")
def set_gradient_clip(t):
    t.fluid.clip.set_gradient_clip(t.fluid.clip.GradientClipByGlobalNorm(0.3))
    t.minimize(t.fluid.optimizer.Adam(0.05))


@case()
def error_clip(t):
    hidden = t.fluid.default_main_program().global_block().var("fc_0.tmp_1")
    hidden._set_error_clip(t.fluid.clip.ErrorClipByValue(max=0.01, min=-0.02))
    t.minimize(t.fluid.optimizer.SGD(0.1))


# ---- schedules ----

def _scheduled(name, schedule):
    def build(t):
        t.minimize(t.fluid.optimizer.SGD(t.rate(schedule(t.fluid.layers))))
    CASES.append(Case("rate " + name, build))


_scheduled("exponential", lambda f: f.exponential_decay(0.1, 4, 0.5))
_scheduled("exponential stairs", lambda f: f.exponential_decay(0.1, 4, 0.5, staircase=True))
_scheduled("natural exp", lambda f: f.natural_exp_decay(0.1, 4, 0.5))
_scheduled("natural exp stairs", lambda f: f.natural_exp_decay(0.1, 4, 0.5, staircase=True))
_scheduled("inverse time", lambda f: f.inverse_time_decay(0.1, 4, 0.5))
_scheduled("inverse time stairs", lambda f: f.inverse_time_decay(0.1, 4, 0.5, staircase=True))
_scheduled("polynomial", lambda f: f.polynomial_decay(0.1, 10, 0.01, power=2.0))
_scheduled("polynomial cycle", lambda f: f.polynomial_decay(0.1, 4, 0.01, power=2.0, cycle=True))
_scheduled("piecewise", lambda f: f.piecewise_decay([3, 7, 8], [0.1, 0.05, 0.2, 0.01]))
_scheduled("noam", lambda f: f.noam_decay(16, 5))
_scheduled("cosine", lambda f: f.cosine_decay(0.1, 3, 6))
_scheduled("warmup", lambda f: f.linear_lr_warmup(0.1, 6, 0.01, 0.2))
_scheduled("warmup of a schedule", lambda f: f.linear_lr_warmup(
    f.exponential_decay(0.1, 4, 0.5), 6, 0.01, 0.2))


@case()
def schedule_and_parameter_rates(t):
    rate = t.rate(t.fluid.layers.exponential_decay(0.1, 4, 0.5))
    for param in t.fluid.default_main_program().all_parameters():
        param.optimize_attr["learning_rate"] = 2.0
    t.minimize(t.fluid.optimizer.Adam(rate))


# ---- several losses ----

@case()
def two_losses_of_shared_parameters(t):
    """Both are computed before either is minimized: the second gradient reads the parameters that
    the first has left."""
    layers, program = t.fluid.layers, t.fluid.default_main_program()
    again = layers.fc(program.global_block().var("fc_0.tmp_2"), 1, param_attr="fc_1.w_0",
                      bias_attr=False)
    second = layers.mean(layers.square(again - 1.0))
    t.minimize(t.fluid.optimizer.SGD(0.1))
    t.fluid.optimizer.SGD(0.1).minimize(second)


# ---- averages and wrappers ----

def _applied(t, average, times=1):
    """Keep the parameters inside and after apply()."""
    fluid, program = t.fluid, t.fluid.default_main_program()

    def after(exe, out):
        def keep(label):
            out.update({p.name + label: np.array(_tensor(fluid, p.name))
                        for p in program.all_parameters()})
        for i in range(times):
            with average.apply(exe):
                keep("@APPLIED%d" % i)
            keep("@RESTORED%d" % i)
        with average.apply(exe, need_restore=False):
            pass
        keep("@LEFT")
        average.restore(exe)
        keep("@RESTORED")
    t.after.append(after)


@case()
def model_average(t):
    t.minimize(t.fluid.optimizer.Momentum(0.05, 0.9))
    _applied(t, t.fluid.optimizer.ModelAverage(0.5, min_average_window=2, max_average_window=4))


@case()
def model_average_long(t):
    t.minimize(t.fluid.optimizer.SGD(0.1))
    _applied(t, t.fluid.optimizer.ModelAverage(0.15, min_average_window=100,
                                               max_average_window=200))


@case()
def lookahead(t):
    t.fluid.optimizer.LookaheadOptimizer(
        t.fluid.optimizer.Momentum(0.05, 0.9), alpha=0.3, k=4).minimize(t.loss)


@case()
def decoupled_weight_decay(t):
    AdamW = t.fluid.contrib.extend_optimizer.extend_with_decoupled_weight_decay(
        t.fluid.optimizer.Adam)
    t.minimize(AdamW(weight_decay=0.05, learning_rate=0.05,
                     apply_decay_param_fun=lambda name: not name.endswith(".b_0")))


@case()
def recompute(t):
    optimizer = t.fluid.optimizer.RecomputeOptimizer(t.fluid.optimizer.Adagrad(0.1))
    optimizer._set_checkpoints([t.fluid.default_main_program().global_block().var("fc_0.tmp_2")])
    t.minimize(optimizer)
