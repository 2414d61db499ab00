# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.evaluator_printers import (classification_error_printer_evaluator as _classification_error_printer_evaluator, gradient_printer_evaluator as _gradient_printer_evaluator, maxframe_printer_evaluator as _maxframe_printer_evaluator, maxid_printer_evaluator as _maxid_printer_evaluator, seqtext_printer_evaluator as _seqtext_printer_evaluator, value_printer_evaluator as _value_printer_evaluator)
from paddle.trainer_config_helpers.evaluators import (auc_evaluator as _auc_evaluator, chunk_evaluator as _chunk_evaluator, classification_error_evaluator as _classification_error_evaluator, column_sum_evaluator as _column_sum_evaluator, ctc_error_evaluator as _ctc_error_evaluator, evaluator_base as evaluator_base, pnpair_evaluator as _pnpair_evaluator, precision_recall_evaluator as _precision_recall_evaluator, sum_evaluator as _sum_evaluator)

def __getattr__(name: str) -> Any: ...

auc = _auc_evaluator

chunk = _chunk_evaluator

classification_error = _classification_error_evaluator

classification_error_printer = _classification_error_printer_evaluator

column_sum = _column_sum_evaluator

ctc_error = _ctc_error_evaluator

gradient_printer = _gradient_printer_evaluator

maxframe_printer = _maxframe_printer_evaluator

maxid_printer = _maxid_printer_evaluator

pnpair = _pnpair_evaluator

precision_recall = _precision_recall_evaluator

seqtext_printer = _seqtext_printer_evaluator

sum = _sum_evaluator

value_printer = _value_printer_evaluator
