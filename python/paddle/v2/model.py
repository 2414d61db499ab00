"""save_model of v2's cloud jobs, where a master picks the trainer that saves."""
__all__ = ["save_model"]


def save_model(parameters, path):
    raise NotImplementedError(
        "paddle.v2.model.save_model: there is no master here that picks who saves. Let trainer 0 "
        "save: with open(path, 'wb') as f: trainer.save_parameter_to_tar(f)")
