"""Metrics that models use: RecallK, PosNegRatio, PrecisionRecall, AUC."""
from .auc import AUC
from .pairwise_pn import PosNegRatio
from .precision_recall import PrecisionRecall
from .recall_k import RecallK

__all__ = ["RecallK", "AUC", "PosNegRatio", "PrecisionRecall"]
