"""Ploter: curves of a training run, drawn by Matplotlib."""
import os

__all__ = ["Ploter"]


class PlotData:
    """One curve."""

    def __init__(self):
        self.step, self.value = [], []

    def append(self, step, value):
        self.step.append(step)
        self.value.append(value)

    def reset(self):
        self.step, self.value = [], []


class Ploter:
    """Ploter("train cost", "test cost"): a curve for each title. With DISABLE_PLOT=True in the
    environment points are taken and nothing is drawn."""

    def __init__(self, *args):
        self._curves = {title: PlotData() for title in args}
        self._disabled = os.environ.get("DISABLE_PLOT") == "True"
        if not self._disabled:
            try:
                import matplotlib.pyplot
            except ImportError:
                raise ImportError("paddle.utils.Ploter draws with Matplotlib: pip install "
                                  "matplotlib, or set DISABLE_PLOT=True")
            self._plt = matplotlib.pyplot

    def append(self, title, step, value):
        if title not in self._curves:
            raise AssertionError("Ploter has no curve %r; it has %s"
                                 % (title, ", ".join(self._curves)))
        self._curves[title].append(step, value)

    def plot(self, path=None):
        """Draw into a file; without a path on the screen, or in the notebook."""
        if self._disabled:
            return
        titles = [title for title, curve in self._curves.items() if curve.step]
        for title in titles:
            self._plt.plot(self._curves[title].step, self._curves[title].value)
        self._plt.legend(titles, loc="upper left")
        if path is not None:
            self._plt.savefig(path)
        elif self._in_notebook():
            from IPython import display
            display.clear_output(wait=True)
            display.display(self._plt.gcf())
        else:
            self._plt.show(block=False)
        self._plt.gcf().clear()

    @staticmethod
    def _in_notebook():
        import sys
        return "ipykernel" in sys.modules

    def reset(self):
        for curve in self._curves.values():
            curve.reset()
