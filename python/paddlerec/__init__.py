"""PaddleRec: models that a config.yaml describes and `python -m paddlerec.run` runs."""
