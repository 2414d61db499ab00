"""ps_script.py with an optimizer that only tests/plugins/toy_optimizer.c knows of."""
import paddle.fluid as fluid
import ps_script


class Toy(fluid.optimizer.Optimizer):
    type = "toy"

    def _create_accumulators(self, block, parameters):
        for param in parameters:
            self._add_accumulator("speed_moment", param)
            self._add_accumulator("decayed_pow_acc", param, fill_value=1.0, shape=[1])

    def _append_optimize_op(self, block, param_and_grad):
        param, grad = param_and_grad
        speed = self._get_accumulator("speed_moment", param)
        decayed = self._get_accumulator("decayed_pow_acc", param)
        return block.append_op(
            "toy", {"Weights": [param], "Slope": [grad], "Speed": [speed], "Decayed": [decayed],
                    "Rate": [self._create_param_lr(param_and_grad)]},
            {"WeightsOut": [param], "SpeedOut": [speed], "DecayedOut": [decayed]}, {"mu": 0.8})


fluid.optimizer.Toy = Toy
if __name__ == "__main__":
    ps_script.main()
