"""Readers for several trainers."""
import os

__all__ = ["distributed_batch_reader"]
__path__ = []  # real Paddle has a package here; _names.py answers for what is in it


def distributed_batch_reader(batch_reader):
    """Of every PADDLE_TRAINERS_NUM batches the one that is this trainer's. The batches at the
    end that do not suffice for all trainers are left out, so that all see as many."""
    def read():
        trainers = int(os.environ.get("PADDLE_TRAINERS_NUM", 1))
        trainer = int(os.environ.get("PADDLE_TRAINER_ID", 0))
        if not 0 <= trainer < trainers:
            raise ValueError("PADDLE_TRAINER_ID is %d, and there are PADDLE_TRAINERS_NUM=%d "
                             "trainers" % (trainer, trainers))
        mine = None
        for i, batch in enumerate(batch_reader()):
            if i % trainers == trainer:
                mine = batch
            if i % trainers == trainers - 1:
                yield mine
    return read
