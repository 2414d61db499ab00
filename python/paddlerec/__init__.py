"""PaddleRec: models that a config.yaml describes and `python -m paddlerec.run` runs."""
import paddle  # noqa: F401  its loader gives the modules here their docstrings
