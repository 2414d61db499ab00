# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from . import (creator as creator, decorator as decorator, pipe as pipe)
from paddle.reader.decorator import (ComposeNotAligned as ComposeNotAligned, buffered as buffered, cache as cache, chain as chain, compose as compose, firstn as firstn, map_readers as map_readers, multiprocess_reader as multiprocess_reader, shuffle as shuffle, xmap_readers as xmap_readers)

def __getattr__(name: str) -> Any: ...
