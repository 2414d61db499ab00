"""The layers of nets built from YAML: refused by name."""
from paddlerec.core import refused

refused.add(globals(), refused.YAML_NETS, "EmbeddingFuseLayer", "FCLayer", "LabelInputLayer",
            "LogLossLayer", "NormalizationLayer", "ParamLayer", "SummaryLayer", "TagInputLayer")
