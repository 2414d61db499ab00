# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def priorbox_layer(*args: Any, **kwargs: Any) -> Any:
    """Refused: layers that detect objects in images are not supported; everything else of
    trainer_config_helpers.layers is.
    """
    ...

def multibox_loss_layer(*args: Any, **kwargs: Any) -> Any:
    """Refused: layers that detect objects in images are not supported; everything else of
    trainer_config_helpers.layers is.
    """
    ...

def detection_output_layer(*args: Any, **kwargs: Any) -> Any:
    """Refused: layers that detect objects in images are not supported; everything else of
    trainer_config_helpers.layers is.
    """
    ...

def roi_pool_layer(*args: Any, **kwargs: Any) -> Any:
    """Refused: layers that detect objects in images are not supported; everything else of
    trainer_config_helpers.layers is.
    """
    ...

def BeamInput(*args: Any, **kwargs: Any) -> Any:
    """Refused: a cost over all that a beam search has expanded is not supported; train the step with
    classification_cost, and search with beam_search.
    """
    ...

def cross_entropy_over_beam(*args: Any, **kwargs: Any) -> Any:
    """Refused: a cost over all that a beam search has expanded is not supported; train the step with
    classification_cost, and search with beam_search.
    """
    ...
