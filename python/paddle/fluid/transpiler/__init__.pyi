# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from . import (collective as collective, details as details, distribute_transpiler as distribute_transpiler, geo_sgd_transpiler as geo_sgd_transpiler, memory_optimization_transpiler as memory_optimization_transpiler, ps_dispatcher as ps_dispatcher)
from paddle.fluid.transpiler.distribute_transpiler import (DistributeTranspiler as DistributeTranspiler, DistributeTranspilerConfig as DistributeTranspilerConfig)
from paddle.fluid.transpiler.memory_optimization_transpiler import (memory_optimize as memory_optimize, release_memory as release_memory)
from paddle.fluid.transpiler.ps_dispatcher import (HashName as HashName, RoundRobin as RoundRobin)

def __getattr__(name: str) -> Any: ...
