"""A pytest plugin (-p emulated): the extension whose kernels are those of src/gpu, run by the
emulation of tests/gpu/emu, takes the place of paddle._core before anyone imports it."""
import importlib.machinery
import importlib.util
import sys

from emulated_path import PATH

NAME = "paddle._core"
loader = importlib.machinery.ExtensionFileLoader(NAME, PATH)
core = importlib.util.module_from_spec(importlib.util.spec_from_loader(NAME, loader))
loader.exec_module(core)
sys.modules[NAME] = core
