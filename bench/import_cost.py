"""CPU milliseconds of `import paddle.fluid` beyond `import numpy`, and its memory."""
import resource
import time

import numpy  # noqa: F401

cpu = time.process_time()
import paddle.fluid  # noqa: E402,F401
print("import paddle.fluid: %.1f ms beyond numpy (bar 45), %.0f MB" % (
    (time.process_time() - cpu) * 1e3,
    resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0))
