# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer.PyDataProvider2 import (DataType as DataType, InputType as InputType, SequenceType as SequenceType, dense_slot as _dense_slot, dense_slot as dense_slot, dense_vector_sequence as dense_vector_sequence, dense_vector_sub_sequence as dense_vector_sub_sequence, index_slot as _index_slot, index_slot as index_slot, integer_value_sequence as _integer_value_sequence, integer_value_sequence as integer_value_sequence, integer_value_sub_sequence as integer_value_sub_sequence, sparse_binary_vector_sequence as sparse_binary_vector_sequence, sparse_binary_vector_sub_sequence as sparse_binary_vector_sub_sequence, sparse_non_value_slot as _sparse_non_value_slot, sparse_non_value_slot as sparse_non_value_slot, sparse_value_slot as _sparse_value_slot, sparse_value_slot as sparse_value_slot, sparse_vector_sequence as _sparse_vector_sequence, sparse_vector_sequence as sparse_vector_sequence, sparse_vector_sub_sequence as _sparse_vector_sub_sequence, sparse_vector_sub_sequence as sparse_vector_sub_sequence)

def __getattr__(name: str) -> Any: ...

dense_array = _dense_slot

dense_vector = _dense_slot

integer_sequence = _integer_value_sequence

integer_value = _index_slot

sparse_binary_vector = _sparse_non_value_slot

sparse_float_vector = _sparse_value_slot

sparse_float_vector_sequence = _sparse_vector_sequence

sparse_float_vector_sub_sequence = _sparse_vector_sub_sequence

sparse_vector = _sparse_value_slot
