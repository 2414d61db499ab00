# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class BaseGeneratedInput:
    """What a step says, as what the next one sees.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> issubclass(GeneratedInput, BaseGeneratedInput)
        True
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def before_real_step(self) -> Any:
        """Called before the first step is built.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

    def after_real_step(self, *args: Any) -> Any:
        """Called after a step is built.

        Args:
            *args (LayerOutput): More of them.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class GeneratedInput(BaseGeneratedInput):
    """The word before, as a row of the embedding whose parameter is embedding_name; there are `size`
    words.

    Args:
        size (int, optional): The width of the layer.
        embedding_name (str): The parameter of the words' vectors.
        embedding_size (int): Their width.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = GeneratedInput(size=1000, embedding_name="words", embedding_size=16)
    """
    def __init__(self, size: Optional[int], embedding_name: str, embedding_size: int) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def before_real_step(self) -> Any:
        """Called before the first step is built.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

    def after_real_step(self, *outputs: Any) -> Any:
        """Called after a step is built.

        Args:
            *outputs (LayerOutput): What it gives.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

def beam_search(step: Callable[..., Any], input: Union[LayerOutput, Sequence[Any]], bos_id: int, eos_id: int, beam_size: int, max_length: int = ..., name: Optional[str] = ..., num_results_per_sample: Optional[int] = ...) -> LayerOutput:
    """The sentences that the step, which gives the probabilities of the next word, says: the best
    num_results_per_sample (beam_size) of each sample, ended by eos_id or by max_length. input: one
    GeneratedInput, and StaticInputs; anything else is handed to the step as it is.

    Its value, and the field 'id' of an inference: of one result the words, of more for each how
    many words, the words, -1; the field 'prob': the logarithm of each one's probability.

    Args:
        step (callable): Makes one step of one layer for each input.
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        bos_id (int): The id that begins a sentence.
        eos_id (int): The id that ends a sentence.
        beam_size (int): How many prefixes are kept at each step.
        max_length (int): The most words. Default: 500.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        num_results_per_sample (int, optional): How many sentences; None: beam_size. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> state = StaticInput(data_layer("state", size=16))
        >>> word = GeneratedInput(size=100, embedding_name="words", embedding_size=16)
        >>> def start(state, word):
        ...     return fc_layer([state, word], size=100, act=SoftmaxActivation())
        ...
        >>> sentence = beam_search(start, [state, word], bos_id=0, eos_id=1, beam_size=3, max_length=20)
    """
    ...
