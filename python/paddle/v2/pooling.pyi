# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.poolings import (AvgPooling as _AvgPooling, BasePoolingType as _BasePoolingType, CudnnAvgInclPadPooling as _CudnnAvgInclPadPooling, CudnnAvgPooling as _CudnnAvgPooling, CudnnMaxPooling as _CudnnMaxPooling, MaxPooling as _MaxPooling, MaxWithMaskPooling as _MaxWithMaskPooling, SquareRootNPooling as _SquareRootNPooling, SumPooling as _SumPooling)

def __getattr__(name: str) -> Any: ...

BasePool = _BasePoolingType

Avg = _AvgPooling

CudnnAvg = _CudnnAvgPooling

CudnnAvgInclPad = _CudnnAvgInclPadPooling

CudnnMax = _CudnnMaxPooling

Max = _MaxPooling

MaxWithMask = _MaxWithMaskPooling

SquareRootN = _SquareRootNPooling

Sum = _SumPooling
