"""python -m paddle.utils.make_model_diagram CONFIG OUT.dot [ARGS]: what `paddle make_diagram` is."""
import sys

from paddle.trainer.make_diagram import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
