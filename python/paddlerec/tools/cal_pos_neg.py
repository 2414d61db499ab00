"""How well scores order the examples of queries: python -m paddlerec.tools.cal_pos_neg FILE

Lines of the file are `query<tab>score<tab>label`; lines of one query stand together, and lines without
three columns are passed over. Of each two examples of a query with different labels the scores are in the
labels' order (pos), or not (neg), or equal."""
import sys

import numpy as np

__all__ = ["count"]


def _read(lines):
    """(scores, labels, the number of each one's query)."""
    scores, labels, numbers, last = [], [], [], None
    for n, line in enumerate(lines, 1):
        columns = line.strip().split("\t")
        if len(columns) != 3:
            continue
        try:
            scores.append(round(float(columns[1]), 6))
            labels.append(int(columns[2]))
        except ValueError:
            raise ValueError("line %d: wanted query, score and label, not %r" % (n, line.strip()))
        numbers.append((numbers[-1] if numbers else -1) + (columns[0] != last))
        last = columns[0]
    return scores, labels, numbers


def count(lines):
    """(queries, pos, neg, equal) of an iterable of lines."""
    import paddle.fluid as fluid
    scores, labels, numbers = _read(lines)
    if not scores:
        return 0, 0, 0, 0
    program = fluid.Program()
    kinds = {"Score": ("float64", scores), "Label": ("float32", labels), "QueryID": ("int64", numbers)}
    with fluid.program_guard(program, fluid.Program()):
        data = {slot: fluid.layers.data(slot, [1], dtype=kind) for slot, (kind, _) in kinds.items()}
        block = program.global_block()
        pairs = {slot: block.create_var(name=slot, dtype="float64", shape=[1])
                 for slot in ("PositivePair", "NegativePair", "NeutralPair")}
        block.append_op(type="positive_negative_pair", inputs=data, outputs=pairs)
    feed = {slot: np.array(values, kind).reshape(-1, 1) for slot, (kind, values) in kinds.items()}
    found = fluid.Executor(fluid.CPUPlace()).run(program, feed, list(pairs.values()),
                                                 scope=fluid.Scope())
    positive, negative, equal = (int(each[0]) for each in found)
    return numbers[-1] + 1, positive, negative - equal, equal  # the op's negative ones hold the equal


def main(argv):
    if argv and argv[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    if len(argv) != 1:
        sys.stderr.write("usage: python -m paddlerec.tools.cal_pos_neg FILE\n")
        return 2
    try:
        with open(argv[0]) as file:
            queries, pos, neg, equal = count(file)
    except (OSError, ValueError) as e:
        sys.stderr.write("cal_pos_neg: %s: %s\n" % (argv[0], e))
        return 2
    if neg > 0:  # else there is no ratio
        pairs = pos + neg + equal
        print("pnr:%s" % (pos / neg))
        print("query_num:%d" % queries)
        print("pair_num:%d , %d" % (pairs, pairs))
        print("equal_num:%d" % equal)
        print("正序率: %s" % (pos / (pos + neg)))
    print("pos_num: %d , neg_num: %d" % (pos, neg))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
