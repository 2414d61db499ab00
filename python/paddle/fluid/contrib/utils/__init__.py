"""fluid.contrib.utils: files of HDFS."""
from . import hdfs_utils
from .hdfs_utils import *  # noqa: F401,F403

__all__ = list(hdfs_utils.__all__)
