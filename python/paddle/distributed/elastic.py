"""Jobs whose workers come and go: launch_ps --elastic MIN:MAX, and --join, which adds one."""
import os
import time

__all__ = []

FOLDER = "elastic"  # in the log folder, while such a job runs
ANSWER_SECONDS = 10


def parse(text, workers):
    """MIN:MAX as numbers, of a job that begins with so many workers."""
    low, colon, high = text.partition(":")
    if not colon or not low.isdigit() or not high.isdigit() or not 1 <= int(low) <= int(high):
        raise ValueError("--elastic=%s: it is MIN:MAX, the least and the most workers, as 1:4" % text)
    low, high = int(low), int(high)
    if not low <= workers <= high:
        raise ValueError("--worker_num=%d: with --elastic=%s it begins with %d to %d workers"
                         % (workers, text, low, high))
    return low, high


def folder_of(log_dir):
    return os.path.abspath(os.path.join(log_dir, FOLDER))


def join(log_dir, count):
    """Ask the launcher of a running job for so many more workers: what it says of each."""
    folder = folder_of(log_dir)
    if not os.path.isdir(folder):
        raise ValueError("--join=%s: no elastic job runs with its logs there (launch_ps --elastic)"
                         % log_dir)
    names = ["%d-%d" % (os.getpid(), i) for i in range(count)]
    for name in names:
        open(os.path.join(folder, "join." + name), "w").close()
    return [_answer(folder, name) for name in names]


def _answer(folder, name):
    end = time.monotonic() + ANSWER_SECONDS
    asked, answered = (os.path.join(folder, word + name) for word in ("join.", "joined."))
    while os.path.exists(asked) and time.monotonic() < end:
        time.sleep(0.05)
    if os.path.exists(asked):
        os.unlink(asked)
        raise ValueError("--join: nobody answers in %s: was the launcher killed?" % folder)
    try:
        with open(answered) as file:
            text = file.read()
        os.unlink(answered)
    except OSError:
        return "refused: the job has ended"
    return text
