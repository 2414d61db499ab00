"""The last state."""
__all__ = ["TerminalBase", "PSTerminal"]


class TerminalBase(object):
    def __init__(self, context):
        pass

    def terminal(self, context):
        print("PaddleRec Finish")


class PSTerminal(TerminalBase):
    def terminal(self, context):
        context["fleet"].stop_worker()
        print("PaddleRec Finish")
