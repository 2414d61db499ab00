"""The model of this folder in paddle.v2, straight from paddle.dataset.movielens: no preprocess.sh.

    python api_train_v2.py [--num_passes 3] [--model FILE.tar.gz]

Without a network the ratings are generated ones (docs/datasets.md)."""
import argparse
import gzip
import math

import paddle.v2 as paddle
from paddle.dataset.common import fetch_or_synthetic

FEEDING = {"user_id": 0, "gender_id": 1, "age_id": 2, "job_id": 3, "movie_id": 4,
           "category_id": 5, "movie_title": 6, "score": 7}  # places in a sample


def number_vector(name, count, width):
    """A number below `count` as a vector."""
    data = paddle.layer.data(name=name, type=paddle.data_type.integer_value(count))
    return paddle.layer.fc(input=paddle.layer.embedding(input=data, size=width), size=width)


def user_vector(movielens, width):
    parts = [number_vector("user_id", movielens.max_user_id() + 1, width),
             number_vector("gender_id", 2, width // 2),
             number_vector("age_id", len(movielens.age_table), width // 2),
             number_vector("job_id", movielens.max_job_id() + 1, width // 2)]
    return paddle.layer.fc(input=parts, size=200, act=paddle.activation.Tanh())


def movie_vector(movielens, width):
    categories = paddle.layer.data(name="category_id", type=paddle.data_type.sparse_binary_vector(
        len(movielens.movie_categories())))
    words = paddle.layer.data(name="movie_title", type=paddle.data_type.integer_value_sequence(
        len(movielens.get_movie_title_dict())))
    title = paddle.networks.sequence_conv_pool(
        input=paddle.layer.embedding(input=words, size=width), hidden_size=width, context_len=3)
    parts = [number_vector("movie_id", movielens.max_movie_id() + 1, width),
             paddle.layer.fc(input=categories, size=width), title]
    return paddle.layer.fc(input=parts, size=200, act=paddle.activation.Tanh())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--num_passes", type=int, default=3)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--model", default="recommendation.tar.gz", metavar="FILE.tar.gz")
    args = parser.parse_args()
    paddle.init(use_gpu=False, trainer_count=1)
    movielens = paddle.dataset.movielens
    fetch_or_synthetic(movielens)
    similarity = paddle.layer.cos_sim(a=user_vector(movielens, args.width),
                                      b=movie_vector(movielens, args.width), size=1, scale=5)
    score = paddle.layer.data(name="score", type=paddle.data_type.dense_vector(1))
    cost = paddle.layer.mse_cost(input=similarity, label=score)
    trainer = paddle.trainer.SGD(cost=cost, parameters=paddle.parameters.create(cost),
                                 update_equation=paddle.optimizer.Adam(learning_rate=1e-3))

    def event_handler(event):
        if isinstance(event, paddle.event.EndPass):
            tested = trainer.test(reader=paddle.batch(movielens.test(), batch_size=256),
                                  feeding=FEEDING)
            print("Pass %d, Test Cost %f: off by %.2f stars" % (
                event.pass_id, tested.cost, math.sqrt(tested.cost) / 2), flush=True)

    shuffled = paddle.reader.shuffle(movielens.train(), buf_size=8192)
    trainer.train(reader=paddle.batch(shuffled, batch_size=256), event_handler=event_handler,
                  feeding=FEEDING, num_passes=args.num_passes)
    with gzip.open(args.model, "wb") as f:
        trainer.save_parameter_to_tar(f)

    with gzip.open(args.model, "rb") as f:
        parameters = paddle.parameters.Parameters.from_tar(f)
    samples = list(paddle.reader.firstn(movielens.test(), 5)())
    feeding = {name: place for name, place in FEEDING.items() if name != "score"}
    found = paddle.infer(output_layer=similarity, parameters=parameters,
                         input=[sample[:-1] for sample in samples], feeding=feeding)
    for sample, label in zip(samples, found):
        print("user %d, movie %d: %d stars, predicted %.2f" % (
            sample[0], sample[4], (sample[-1][0] + 5) / 2, (label[0] + 5) / 2))


if __name__ == "__main__":
    main()
