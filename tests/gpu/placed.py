"""A pytest plugin (-p placed): paddle._core beside a libregatta_cuda.so whose GPU is emulated
(tests/gpu/emu/module.c), so that CUDAPlace(0) is there. PLACED_BY_DEFAULT=1: every Executor runs on it."""
import importlib.machinery
import importlib.util
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATH = os.path.join(ROOT, "build", "tests", "placed", "_core.abi3.so")

NAME = "paddle._core"
loader = importlib.machinery.ExtensionFileLoader(NAME, PATH)
core = importlib.util.module_from_spec(importlib.util.spec_from_loader(NAME, loader))
loader.exec_module(core)
sys.modules[NAME] = core

if os.environ.get("PLACED_BY_DEFAULT"):
    from paddle.fluid import executor
    _own = executor.Executor.__init__

    def _placed(self, place=None, job=None):
        _own(self, executor.CUDAPlace(0), job)
    executor.Executor.__init__ = _placed
