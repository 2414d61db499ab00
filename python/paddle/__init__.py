"""PaddlePaddle's distributed training, on Regatta's C core."""
