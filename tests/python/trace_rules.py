"""What must hold of a file in the trace event format, so that viewers show it rightly."""
import json


def read_trace(path):
    """Its events, after the rules of the format were checked."""
    with open(path) as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    begun = {}
    for e in events:
        assert {"name", "ph", "pid", "tid"} <= set(e), e
        assert isinstance(e["pid"], int) and isinstance(e["tid"], int) and e["name"]
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name", "process_sort_index") and e["args"]
            continue
        assert e["ts"] >= 0 and e["cat"], e
        if e["ph"] == "X":
            assert e["dur"] >= 0, e
        else:  # asynchronous: a begin and an end of one id, in this order
            assert e["ph"] in "be", e
            key = e["cat"], e["id"]
            assert (e["ph"] == "e") == (key in begun), e
            if e["ph"] == "e":
                assert begun.pop(key) <= e["ts"]
            else:
                begun[key] = e["ts"]
    assert not begun
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"} <= named
    check_nesting(events)
    return events


def check_nesting(events):
    """Of one thread two spans lie side by side, or one in the other."""
    slack = 0.002  # a microsecond has three digits
    threads = {}
    for e in events:
        if e["ph"] == "X":
            threads.setdefault((e["pid"], e["tid"]), []).append((e["ts"], -e["dur"], e["name"]))
    for spans in threads.values():
        open_ends = []
        for start, negative, name in sorted(spans):
            end = start - negative
            while open_ends and open_ends[-1][0] <= start + slack:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1][0] + slack, (name, open_ends[-1])
            open_ends.append((end, name))
