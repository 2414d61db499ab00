# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train(**kwargs: Any) -> Callable[..., Any]:
    """A reader of [user number, gender, age group, job, film number, category numbers, title word
    numbers, [rating from -3 to 5]]. test_ratio=0.1 and rand_seed=0 say which share is for test().

    Args:
        **kwargs (dict): Test_ratio and rand_seed.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> sample = next(paddle.dataset.movielens.train()())
        >>> len(sample)
        8
    """
    ...

def test(**kwargs: Any) -> Callable[..., Any]:
    """The part of the set for tests: a reader like that of train().

    Args:
        **kwargs (dict): Test_ratio and rand_seed.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> sample = next(paddle.dataset.movielens.train()())
        >>> len(sample)
        8
    """
    ...

def get_movie_title_dict() -> Dict[Any, Any]:
    """word -> number.

    Returns:
        dict: as the first line says.

    Examples:
        >>> import paddle
        >>> len(paddle.dataset.movielens.movie_categories()) > 0
        True
    """
    ...

def max_movie_id() -> int:
    """The largest number of a film.

    Returns:
        int: the number.

    Examples:
        >>> import paddle
        >>> paddle.dataset.movielens.max_user_id() > 0
        True
    """
    ...

def max_user_id() -> int:
    """The largest number of a user.

    Returns:
        int: the number.

    Examples:
        >>> import paddle
        >>> paddle.dataset.movielens.max_user_id() > 0
        True
    """
    ...

def movie_categories() -> Dict[Any, Any]:
    """category -> number.

    Returns:
        dict: as the first line says.

    Examples:
        >>> import paddle
        >>> len(paddle.dataset.movielens.movie_categories()) > 0
        True
    """
    ...

def max_job_id() -> int:
    """The largest number of a job.

    Returns:
        int: the number.

    Examples:
        >>> import paddle
        >>> paddle.dataset.movielens.max_user_id() > 0
        True
    """
    ...

def user_info() -> Dict[Any, Any]:
    """number -> UserInfo.

    Returns:
        dict: as the first line says.

    Examples:
        >>> import paddle
        >>> user = paddle.dataset.movielens.user_info()[1]
        >>> type(user).__name__
        'UserInfo'
    """
    ...

def movie_info() -> Dict[Any, Any]:
    """number -> MovieInfo.

    Returns:
        dict: as the first line says.

    Examples:
        >>> import paddle
        >>> user = paddle.dataset.movielens.user_info()[1]
        >>> type(user).__name__
        'UserInfo'
    """
    ...

age_table: Any
