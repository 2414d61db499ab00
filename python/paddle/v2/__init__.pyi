# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.batch import (batch as batch)
from paddle.fluid.framework import (default_main_program as default_main_program, default_startup_program as default_startup_program)
from . import (activation as activation, attr as attr, config_base as config_base, data_feeder as data_feeder, data_type as data_type, evaluator as evaluator, event as event, flags as flags, image as image, inference as inference, layer as layer, master as master, minibatch as minibatch, model as model, networks as networks, op as op, optimizer as optimizer, param_conf as param_conf, parameters as parameters, plot as plot, pooling as pooling, topology as topology, trainer as trainer)
from paddle.v2.flags import (init as init)
from paddle.v2.inference import (infer as infer)

def __getattr__(name: str) -> Any: ...
