"""--log_clipping and --log_error_clipping: which gradients go beyond their thresholds, in which steps.

A step fetches what is clipped, as it is before that, so it costs time; without the flags nothing
is looked at."""
import numpy as np

from paddle.trainer_config_helpers.graph import ConfigError

from .log import Log

__all__ = ["ClippingLog", "clipping_kinds"]


def clipping_kinds(flags):
    """What flags, by name, ask to be logged."""
    return [kind for name, kind in (("log_clipping", "parameters"), ("log_error_clipping", "errors"))
            if flags[name]]


def _of_parameters(settings, params_grads, configs):
    """[(what, variable, threshold)]"""
    return [("parameter=%s" % p.name, g, configs[p.name].attr.gradient_clipping_threshold
             or settings.clip) for p, g in params_grads if g is not None]


def _of_layers(network):
    found = []
    for layer, value, threshold in network.clipped:
        if layer.group is not None:
            raise ConfigError("log_error_clipping: the layer %r has error_clipping_threshold, and "
                              "what is clipped inside the recurrent group %r is not logged; leave "
                              "log_error_clipping out" % (layer.name, layer.group.name))
        grad = network.main.global_block().vars.get(value.name + "@GRAD")
        if grad is not None:
            found.append(("layer=%s" % layer.name, grad, threshold))
    return found


def _absolute(value):
    rows = value.get_tensor() if hasattr(value, "rows") else value
    return np.abs(np.array(rows))


class ClippingLog:
    """parameters, errors: which of the two is logged. variables: what steps have to fetch."""

    def __init__(self, network, settings, params_grads, parameters, errors, log=None):
        watched = _of_parameters(settings, params_grads, network.parameters) if parameters else []
        watched += _of_layers(network) if errors else []
        self._watched = [each for each in watched if each[2]]
        self._log = log
        self.variables = [variable for _, variable, _ in self._watched]

    def look(self, values):
        """Of a step: for each variable a list, its value in each thread."""
        for (what, _, threshold), of_threads in zip(self._watched, values):
            sizes = [_absolute(each) for each in of_threads]
            most = max((float(each.max()) for each in sizes if each.size), default=0.0)
            if not most <= threshold:
                self._log = self._log or Log()
                self._log.info("%s need clipping, threshold=%g max grad=%g avg grad=%g" % (
                    what, threshold, most, np.mean([each.mean() for each in sizes if each.size])))
