"""Layer functions of v0.11 that are not there, and why: the one place that says so. A script that
calls one is told at once."""
from ..graph import ConfigError

__all__ = ["priorbox_layer", "multibox_loss_layer", "detection_output_layer", "roi_pool_layer",
           "BeamInput", "cross_entropy_over_beam"]

_DETECTION = ("layers that detect objects in images are not supported; everything else of "
              "trainer_config_helpers.layers is")
_OVER_BEAM = ("a cost over all that a beam search has expanded is not supported; train the step "
              "with classification_cost, and search with beam_search")

REFUSED = {"priorbox_layer": _DETECTION, "multibox_loss_layer": _DETECTION,
           "detection_output_layer": _DETECTION, "roi_pool_layer": _DETECTION,
           "BeamInput": _OVER_BEAM, "cross_entropy_over_beam": _OVER_BEAM}


def _refused(name):
    def function(*args, **kwargs):
        raise ConfigError("%s is refused: %s" % (name, REFUSED[name]))
    function.__name__ = name
    function.__doc__ = "Refused: " + REFUSED[name]
    return function


priorbox_layer = _refused("priorbox_layer")
multibox_loss_layer = _refused("multibox_loss_layer")
detection_output_layer = _refused("detection_output_layer")
roi_pool_layer = _refused("roi_pool_layer")
BeamInput = _refused("BeamInput")
cross_entropy_over_beam = _refused("cross_entropy_over_beam")
