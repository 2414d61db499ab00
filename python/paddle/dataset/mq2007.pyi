# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def fetch() -> None:
    """Download and unpack the archive.

    Returns:
        None: nothing.

    Examples:
        # a network is needed
        >>> from paddle.dataset import mq2007  # doctest: +SKIP
        >>> mq2007.fetch()  # doctest: +SKIP
    """
    ...

class Query:
    """A document for a query.

    Args:
        query_id (int): Of the document. Default: -1.
        relevance_score (int): Of the document. Default: -1.
        feature_vector (list of float): Of the document. Default: None.
        description (str): Of the document. Default: ''.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> query = mq2007.Query(query_id=7, relevance_score=2, feature_vector=[0.1, 0.2])
        >>> documents = mq2007.QueryList([query])
        >>> len(documents), documents.query_id
        (1, 7)
    """
    def __init__(self, query_id: int = ..., relevance_score: int = ..., feature_vector: Optional[Sequence[Any]] = ..., description: str = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class QueryList:
    """The documents of one query.

    Args:
        querylist (QueryList): The documents of one query. Default: None.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> query = mq2007.Query(query_id=7, relevance_score=2, feature_vector=[0.1, 0.2])
        >>> documents = mq2007.QueryList([query])
        >>> len(documents), documents.query_id
        (1, 7)
    """
    def __init__(self, querylist: Any = ...) -> None: ...
    def __getitem__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __len__(self, *args: Any, **kwargs: Any) -> int: ...
    def __iter__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def gen_plain_txt(querylist: Any) -> Any:
    """(query, relevance, features) of each document.

    Args:
        querylist (QueryList): The documents of one query.

    Returns:
        iterator: the samples.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> relevance, features = next(mq2007.train(format="pointwise"))
        >>> features.shape
        (46,)
    """
    ...

def gen_point(querylist: Any) -> Any:
    """(relevance, features) of each document.

    Args:
        querylist (QueryList): The documents of one query.

    Returns:
        iterator: the samples.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> relevance, features = next(mq2007.train(format="pointwise"))
        >>> features.shape
        (46,)
    """
    ...

def gen_pair(querylist: Any, partial_order: str = ...) -> Any:
    """([1], features of the better, features of the worse) of all pairs of different relevance, which
    is what "full" says.

    Args:
        querylist (QueryList): The documents of one query.
        partial_order (str): "full" for all pairs, or "neighbour". Default: 'full'.

    Returns:
        iterator: the samples.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> relevance, better, worse = next(mq2007.train(format="pairwise"))
        >>> better.shape
        (46,)
    """
    ...

def gen_list(querylist: Any) -> Any:
    """(relevances in a column, features in rows), once.

    Args:
        querylist (QueryList): The documents of one query.

    Returns:
        iterator: the samples.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> relevance, features = next(mq2007.train(format="pointwise"))
        >>> features.shape
        (46,)
    """
    ...

def query_filter(querylists: Sequence[Any]) -> Sequence[Any]:
    """Those with a relevant document.

    Args:
        querylists (list of QueryList): The documents of several.

    Returns:
        list of QueryList: the queries.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> relevance, better, worse = next(mq2007.train(format="pairwise"))
        >>> better.shape
        (46,)
    """
    ...

def load_from_text(filepath: str, shuffle: bool = ..., fill_missing: float = ...) -> Sequence[Any]:
    """The QueryLists of a file of the cache. Features that are not there are fill_missing.

    Args:
        filepath (str): Its place in the cache.
        shuffle (bool): Whether the order is random. Default: False.
        fill_missing (float): Features that are not there. Default: -1.

    Returns:
        list of QueryList: the queries.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> relevance, better, worse = next(mq2007.train(format="pairwise"))
        >>> better.shape
        (46,)
    """
    ...

def train(*, filepath: str = ..., format: str = ..., shuffle: bool = ..., fill_missing: float = ...) -> Any:
    """The samples of gen_pair ("pairwise"), gen_point ("pointwise": all documents), gen_list
    ("listwise") or gen_plain_txt ("plain_txt") for all queries with a relevant document. Call it to
    read: it is the reader.

    Args:
        filepath (str): Its place in the cache. Default: 'MQ2007/MQ2007/Fold1/train.txt'.
        format (str): "pairwise", "pointwise", "listwise" or "plain_txt". Default: 'pairwise'.
        shuffle (bool): Whether the order is random. Default: False.
        fill_missing (float): Features that are not there. Default: -1.

    Returns:
        iterator: the samples.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> relevance, better, worse = next(mq2007.train(format="pairwise"))
        >>> better.shape
        (46,)
    """
    ...

def test(*, filepath: str = ..., format: str = ..., shuffle: bool = ..., fill_missing: float = ...) -> Any:
    """The part of the set for tests: a reader like that of train().

    Args:
        filepath (str): Its place in the cache. Default: 'MQ2007/MQ2007/Fold1/test.txt'.
        format (str): "pairwise", "pointwise", "listwise" or "plain_txt". Default: 'pairwise'.
        shuffle (bool): Whether the order is random. Default: False.
        fill_missing (float): Features that are not there. Default: -1.

    Returns:
        iterator: the samples.

    Examples:
        >>> from paddle.dataset import mq2007
        >>> relevance, better, worse = next(mq2007.train(format="pairwise"))
        >>> better.shape
        (46,)
    """
    ...
