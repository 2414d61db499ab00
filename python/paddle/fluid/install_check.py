"""run_check: does the installation compute?"""

__all__ = ["run_check"]


def run_check():
    """Train a tiny model for one step and compare with numbers worked out by hand."""
    import numpy as np

    from .. import _core
    from . import layers, optimizer, unique_name
    from .core import CPUPlace, Scope
    from .executor import Executor, scope_guard
    from .framework import Program, program_guard
    from .initializer import Constant
    from .param_attr import ParamAttr

    print("Running Verify Fluid Program ... ")
    main, startup = Program(), Program()
    with program_guard(main, startup), unique_name.guard(), scope_guard(Scope()):
        x = layers.data("x", shape=[2], dtype="float32")
        y = layers.fc(x, size=1, param_attr=ParamAttr(name="w", initializer=Constant(0.5)),
                      bias_attr=ParamAttr(name="b", initializer=Constant(0.0)))
        loss = layers.mean(y)
        optimizer.SGD(learning_rate=0.1).minimize(loss)
        exe = Executor(CPUPlace())
        exe.run(startup)
        feed = {"x": np.array([[1, 2], [3, 4]], "float32")}
        values = exe.run(main, feed=feed, fetch_list=[loss, "w@GRAD", "w", "b"])
        exe.close()
    wanted = ([2.5], [2, 3], [0.3, 0.2], [-0.1])
    for name, got, want in zip(("loss", "gradient", "weight", "bias"), values, wanted):
        if not np.allclose(np.ravel(got), want, rtol=1e-5):
            raise RuntimeError("install_check: the %s is %s instead of %s: this installation of "
                               "Regatta does not compute rightly here; please report it with the "
                               "CPU's name" % (name, np.ravel(got), want))
    print("Your Paddle Fluid works well on SINGLE GPU or CPU.")
    print("Your Paddle Fluid is installed successfully! (Regatta %s, on the CPU)" % _core.version)
