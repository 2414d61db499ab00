"""Which ops have a kernel in src/gpu, and what is read by name there."""
import glob
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KERNEL = re.compile(r'const rg_kernel rg_kernel_\w+ =\s*\{\s*"(\w+)",\s*"gpu",\s*(\w+)')
FUNCTION = re.compile(r"^(?:__attribute__\(\(unused\)\) )?static [\w ]+?[ *](\w+)\([^;{]*\)\n\{\n(.*?)^\}",
                      re.M | re.S)


def sources():
    return sorted(glob.glob(os.path.join(ROOT, "src", "gpu", "op_*.c")))


def read(path):
    with open(path) as f:
        return f.read()


def types():
    """{"relu", ...}"""
    return {kind for path in sources() for kind, _ in KERNEL.findall(read(path))}
