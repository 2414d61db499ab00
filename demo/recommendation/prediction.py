"""Ask a trained model how many stars a user will give to a movie.

    python prediction.py output/pass-00009 [--config_args=width=64]

reads pairs of numbers until the input ends. A model that was trained with --config_args is asked with
the same."""
import argparse

from paddle.trainer.config_parser import parse_config
from py_paddle import DataProviderConverter, swig_paddle

import common_utils


def ask(question, known):
    """A number that is in `known`; None at the end of the input."""
    while True:
        try:
            answer = input(question)
        except EOFError:
            return None
        if answer.strip().isdigit() and int(answer) in known:
            return int(answer)
        print("there is no such number; they go from %d to %d" % (
            min(filter(is_number, known)), max(filter(is_number, known))))


def is_number(key):
    return key != "__meta__"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model", help="a folder such as output/pass-00009")
    parser.add_argument("--config_args", default="")
    args = parser.parse_args()
    swig_paddle.initPaddle("--use_gpu=0")
    config = parse_config("trainer_config.py", "is_predict=1," + args.config_args)
    network = swig_paddle.GradientMachine.createFromConfigProto(config.model_config)
    network.loadParameters(args.model)
    meta = common_utils.load_meta()
    kinds = {name: kind for table in ("movie", "user")
             for name, _, kind in common_utils.slots(meta, table)}
    order = list(config.model_config.input_layer_names)
    converter = DataProviderConverter([kinds[name] for name in order])
    while True:
        movie = ask("Input movie_id: ", meta["movie"])
        user = None if movie is None else ask("Input user_id: ", meta["user"])
        if user is None:
            print()
            break
        known = dict(common_utils.features(meta, "movie", movie),
                     **common_utils.features(meta, "user", user))
        arguments = converter.convert([[known[name] for name in order]])
        score = network.forwardTest(arguments)[0]["value"][0][0]
        print("Prediction Score is %.2f" % common_utils.to_stars(score))


if __name__ == "__main__":
    main()
