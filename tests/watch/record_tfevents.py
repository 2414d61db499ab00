"""Prints a file as PyPI's tensorboard writes it: the bytes that test_watch.c expects.

    python record_tfevents.py"""
import io

from tensorboard.compat.proto import event_pb2
from tensorboard.summary.writer.record_writer import RecordWriter


class Kept(io.BytesIO):
    def close(self):
        pass


def main():
    out = Kept()
    writer = RecordWriter(out)
    first = event_pb2.Event(wall_time=1700000000.5, file_version="brain.Event:2")
    second = event_pb2.Event(wall_time=1700000001.25, step=300)
    for tag, value in (("loss/train", 0.5), ("auc/test", 0.75)):
        second.summary.value.add(tag=tag, simple_value=value)
    for event in (first, second):
        writer.write(event.SerializeToString(deterministic=True))
    text = out.getvalue().hex()
    for i in range(0, len(text), 80):
        print('    "%s"' % text[i:i + 80])


main()
