"""Models that a YAML file describes whole: refused by name."""
from paddlerec.core import refused

refused.add(globals(), refused.YAML_NETS, "YamlModel", "create")
