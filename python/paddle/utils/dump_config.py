"""python -m paddle.utils.dump_config CONFIG [ARGS]: what `paddle dump_config` is."""
import sys

from paddle.trainer.dump_config import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
