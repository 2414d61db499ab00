"""The first state: who takes part."""
__all__ = ["InstanceBase", "SingleInstance", "PSInstance", "PslibInstance",
           "CollectiveInstance"]


class InstanceBase(object):
    def __init__(self, context):
        pass

    def instance(self, context):
        """Leaves context["fleet"] where there is one, and the status network_pass."""


class SingleInstance(InstanceBase):
    def instance(self, context):
        context["status"] = "network_pass"


class PSInstance(InstanceBase):
    def instance(self, context):
        from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker
        from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
        fleet.init(PaddleCloudRoleMaker())
        context["fleet"] = fleet
        context["status"] = "network_pass"


class PslibInstance(PSInstance):
    """fleet_mode pslib: the same servers, whose tables grow by the rows that are used."""


class CollectiveInstance(InstanceBase):
    """fleet_mode collective: workers without servers."""

    def instance(self, context):
        from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker
        from paddle.fluid.incubate.fleet.collective import fleet
        fleet.init(PaddleCloudRoleMaker(is_collective=True))
        context["fleet"] = fleet
        context["status"] = "network_pass"
