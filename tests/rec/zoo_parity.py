"""Models as users of PaddleRec 1.8 wrote them (zoo/NAME: model.py, config.yaml, reader.py), from
the same starting parameters on the same data: what record_zoo.py has real PaddleRec do, and
test_rec_zoo.py this one."""
import json
import os
import random
import re
import shutil
import subprocess
import sys

import rec_parity

HERE = os.path.dirname(os.path.abspath(__file__))
ZOO = os.path.join(HERE, "zoo")
NAMES = sorted(name for name in os.listdir(ZOO) if os.path.isdir(os.path.join(ZOO, name)))
ROWS = 96


def fields(draw):
    """A label, six ids, and a value for each."""
    ids = [draw.randrange(1, 300) for _ in range(6)]
    words = ["label:%d" % (sum(ids) % 5 < 2)] + ["feat_idx:%d" % i for i in ids]
    return " ".join(words + ["feat_value:%.3f" % draw.random() for _ in range(6)])


def slots(draw):
    """Six slots, some with several ids, and three dense values."""
    words, total = [], 0
    for slot in range(1, 7):
        for _ in range(draw.choice((1, 1, 2))):
            total += draw.randrange(50)
            words.append("%d:%d" % (slot, (slot - 1) * 50 + total % 50))
    return " ".join(["click:%d" % (total % 3 == 0)] +
                    ["dense_var:%.3f" % draw.random() for _ in range(3)] + words)


def history(draw):
    """Items and their kinds at their places, and one that is offered."""
    items = [draw.randrange(60) for _ in range(draw.randint(2, 6))]
    target = draw.randrange(60)
    words = ["label:%d" % (any(i % 10 == target % 10 for i in items))]
    for n, i in enumerate(items):
        words += ["history:%d" % i, "history_cat:%d" % (i % 10), "position:%d" % n]
    return " ".join(words + ["target:%d" % target, "target_cat:%d" % (target % 10),
                             "target_position:%d" % len(items)])


def history_text(draw):
    items = [draw.randrange(60) for _ in range(draw.randint(2, 6))]
    target = draw.randrange(60)
    return "%s;%s;%d;%d;%d" % (" ".join(map(str, items)), " ".join(str(i % 10) for i in items),
                               target, target % 10, any(i % 10 == target % 10 for i in items))


def ratings(draw):
    user, item = draw.randrange(50), draw.randrange(80)
    return "%d,%d,%d" % (user, item, user % 4 == item % 4)


def visit(draw):
    first = draw.randrange(60)
    return " ".join(str((first + 2 * n) % 60) for n in range(draw.randint(3, 6)))


def session(draw):
    first = draw.randrange(60)
    items = [str((first + draw.choice((2, 2, 0))) % 60 + 1) for n in range(draw.randint(2, 6))]
    return "%s\t%d" % (",".join(items), (first + 2) % 60 + 1)


def two_texts(draw):
    return "\t".join(",".join(str(draw.randrange(80)) for _ in range(n)) for n in (6, 9))


def wanted(draw):
    item = draw.randrange(8)
    return "%s\t%d" % (" ".join("%.3f" % (draw.gauss(0, 0.3) + (item >> n % 3 & 1))
                                for n in range(6)), item)


def sentence(draw):
    first = draw.randrange(60)
    return " ".join(str((first + draw.randrange(4)) % 60) for n in range(draw.randint(3, 6)))


def person(draw):
    x = [draw.uniform(-1, 1) for _ in range(8)]
    return ",".join(["%d" % (x[0] > x[1]), "%d" % (x[2] > x[3])] + ["%.3f" % v for v in x])


def tagged(draw):
    tag = draw.randrange(8)
    return "%d,%s" % (tag, " ".join(str(tag * 10 + draw.randrange(10))
                                    for _ in range(draw.randint(3, 7))))


def seeds(draw):
    user = draw.randrange(60)
    found = [draw.randrange(60) for _ in range(draw.randint(1, 6))]
    return "label:%d user:%d %s" % (any(i % 6 == user % 6 for i in found), user,
                                    " ".join("seeds:%d" % i for i in found))


def rating(draw):
    user, film = draw.randrange(60), draw.randrange(60)
    return "label:%d userid:%d gender:%d movieid:%d %s" % (
        1 + (user + film) % 5, user, 60 + user % 2, 70 + film,
        " ".join("title:%d" % (130 + draw.randrange(60)) for _ in range(draw.randint(1, 4))))


def opinion(draw):
    kind = draw.randrange(3)
    words = [kind * 25 + draw.randrange(25) if draw.random() < 0.6 else draw.randrange(80)
             for _ in range(draw.randint(2, 8))]
    return " ".join(map(str, words + [kind]))


LINES = {"senti": opinion, "tagspace": tagged, "look_alike": seeds, "movie": rating, "tdm": wanted, "word2vec": sentence, "ple": person, "fibinet": slots, "flen": slots, "bst": history, "dien": history_text, "ncf": ratings,
         "ssr": visit, "gnn": session, "match_pyramid": two_texts}


def write_data(folder, name):
    draw = random.Random(11)
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    line = LINES.get(name, fields)
    for part in range(2):
        with open(os.path.join(folder, "data", "part-%d" % part), "w") as f:
            for _ in range(ROWS):
                f.write(line(draw) + "\n")


def flat(value):
    return [x for v in value for x in flat(v)] if isinstance(value, list) else [value]


def results_of(path):
    """How many batches there were, the names of what was fetched, and what the last two gave."""
    with open(path) as f:
        batches = json.load(f)
    return {"batches": len(batches), "names": list(batches[0]),
            "last": [[round(x, 6) for x in flat(list(batch.values()))[:20]]
                     for batch in batches[-2:]]}


def run(folder, name):
    """What the last epoch of training gave, and what judging it did."""
    folder = str(folder)
    for file in os.listdir(os.path.join(ZOO, name)):
        if file.endswith((".py", ".yaml")):
            shutil.copy(os.path.join(ZOO, name, file), folder)
    write_data(folder, name)
    with open(os.path.join(folder, "start.py"), "w") as f:
        f.write(rec_parity.START)
    with open(os.path.join(folder, "config.yaml")) as f:
        config = f.read()
    config = re.sub(r"(?m)^workspace:.*", 'workspace: "%s"' % folder, config)
    for runner in ("train", "infer"):
        extra = '\n  runner_result_dump_path: "{workspace}/%s"' % runner
        if runner == "train" and "startup_class_path" not in config:
            extra += '\n  startup_class_path: "{workspace}/start.py"'
        config = config.replace("- name: %s_runner" % runner, "- name: %s_runner%s" % (runner, extra))
    with open(os.path.join(folder, "config.yaml"), "w") as f:
        f.write(config)
    done = subprocess.run([sys.executable, "-m", "paddlerec.run", "-m", "config.yaml"],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300)
    assert done.returncode == 0, done.stdout.decode()
    return {"train": results_of(os.path.join(folder, "train_epoch_1")),
            "infer": results_of(os.path.join(folder, "infer"))}
