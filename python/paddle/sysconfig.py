"""Where Paddle's C++ headers and libraries are, for custom ops: there are none here."""

__all__ = ["get_include", "get_lib"]


def get_include():
    raise NotImplementedError("paddle.sysconfig.get_include(): custom C++ ops cannot be built "
                              "against Regatta; an op is a C file of its source, in src/ops")


def get_lib():
    raise NotImplementedError("paddle.sysconfig.get_lib(): custom C++ ops cannot be built against "
                              "Regatta; an op is a C file of its source, in src/ops")
