"""Where the build puts the extension with emulated kernels."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATH = os.path.join(ROOT, "build", "tests", "emulated", "_core.abi3.so")
