# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.activations import (AbsActivation as _AbsActivation, BReluActivation as _BReluActivation, BaseActivation as _BaseActivation, ExpActivation as _ExpActivation, IdentityActivation as _IdentityActivation, LogActivation as _LogActivation, ReciprocalActivation as _ReciprocalActivation, ReluActivation as _ReluActivation, STanhActivation as _STanhActivation, SequenceSoftmaxActivation as _SequenceSoftmaxActivation, SigmoidActivation as _SigmoidActivation, SoftReluActivation as _SoftReluActivation, SoftSignActivation as _SoftSignActivation, SoftmaxActivation as _SoftmaxActivation, SqrtActivation as _SqrtActivation, SquareActivation as _SquareActivation, TanhActivation as _TanhActivation)

def __getattr__(name: str) -> Any: ...

Abs = _AbsActivation

BRelu = _BReluActivation

Base = _BaseActivation

Exp = _ExpActivation

Identity = _IdentityActivation

Linear = _IdentityActivation

Log = _LogActivation

Reciprocal = _ReciprocalActivation

Relu = _ReluActivation

STanh = _STanhActivation

SequenceSoftmax = _SequenceSoftmaxActivation

Sigmoid = _SigmoidActivation

SoftRelu = _SoftReluActivation

SoftSign = _SoftSignActivation

Softmax = _SoftmaxActivation

Sqrt = _SqrtActivation

Square = _SquareActivation

Tanh = _TanhActivation
