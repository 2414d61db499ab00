# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from . import (auc as auc, pairwise_pn as pairwise_pn, precision_recall as precision_recall, recall_k as recall_k)
from paddlerec.core.metrics.auc import (AUC as AUC)
from paddlerec.core.metrics.pairwise_pn import (PosNegRatio as PosNegRatio)
from paddlerec.core.metrics.precision_recall import (PrecisionRecall as PrecisionRecall)
from paddlerec.core.metrics.recall_k import (RecallK as RecallK)

def __getattr__(name: str) -> Any: ...
