"""What the benchmark scripts share: a timed repeat, and one line of JSON for the runner."""
import json
import resource
import time


def repeat(step, count, reps=5, warm_up=None):
    """Units a CPU-second of each repeat: `count` calls of step(i) each."""
    for i in range(warm_up if warm_up is not None else max(1, count // 10)):
        step(i)
    out = []
    for _ in range(reps):
        cpu = time.process_time()
        for i in range(count):
            last = step(i)
        out.append(count / (time.process_time() - cpu))
    return sorted(out), last


def report(name, rates, **more):
    """Best and median rate; the runner takes the ratio of medians, or of bests."""
    print(json.dumps(dict(more, name=name, best=rates[-1], median=rates[len(rates) // 2],
                          rss_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0)))
