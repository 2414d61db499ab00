"""CPU-seconds of each model of paddlerec/models, whole runs with start, here and under paddle-rec
1.8.5.1 on Paddle 1.8.5: the same model.py, config.yaml and data.

    models.py THEIR-PYTHON [MODEL...]

sample: the model's own config.yaml and sample data, some seconds of start and little else.
large: the sizes that such models have in use, on generated data, so that the start does not
decide. paddle-rec is run once of each, ours ROUNDS (3) times, and the best counts."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
MODELS = os.path.join(ROOT, "python", "paddlerec", "models")
OURS = os.path.join(ROOT, ".venv", "bin", "python")
BAR = 2.0

CTR = {"batch": 512, "rows": 150000, "spread": ({"1", "2", "3", "4", "5", "6"}, 1000)}
PEOPLE = {"batch": 512, "rows": 200000}

# batch, rows; spread: slots whose ids become so many times as many; hyper: hyper_parameters.
LARGE = {
    "rank.dnn": {"batch": 512, "rows": 40000, "hyper": {}},
    "rank.logistic_regression": dict(CTR, hyper={"sparse_feature_number": 120000}),
    "rank.fm": dict(CTR, hyper={"sparse_feature_number": 60000, "sparse_feature_dim": 10}),
    "rank.deepfm": dict(CTR, hyper={"sparse_feature_number": 60000, "sparse_feature_dim": 10,
                                    "fc_sizes": [400, 400, 400]}),
    "rank.xdeepfm": dict(CTR, rows=50000, hyper={
        "sparse_feature_number": 60000, "sparse_feature_dim": 10, "fc_sizes": [400, 400],
        "cin_sizes": [100, 100]}),
    "rank.wide_deep": dict(CTR, hyper={"sparse_feature_number": 120000, "sparse_feature_dim": 8,
                                       "fc_sizes": [75, 50, 25]}),
    "rank.dcn": dict(CTR, hyper={"sparse_feature_number": 120000, "sparse_feature_dim": 10,
                                 "fc_sizes": [512, 256, 128]}),
    "rank.din": {"batch": 128, "rows": 80000, "spread": ({"had", "item"}, 1000), "hyper": {
        "item_count": 50000, "item_emb_size": 64, "cat_emb_size": 64, "attention_sizes": [80, 40],
        "fc_sizes": [80, 40]}},
    "recall.word2vec": {"batch": 500, "rows": 10000, "hyper": {
        "sparse_feature_number": 100000, "sparse_feature_dim": 64}},
    "recall.youtube_dnn": {"batch": 128, "rows": 60000, "spread": ({"watched", "searched"}, 20),
                           "hyper": {"video_number": 1600, "word_number": 1600, "watched_dim": 64,
                                     "searched_dim": 64, "fc_sizes": [128, 64, 32]}},
    "recall.gru4rec": {"batch": 50, "rows": 20000, "spread": ({"item", "next_item"}, 20),
                       "hyper": {"item_number": 1200, "hidden_dim": 100}},
    "match.dssm": {"batch": 64, "rows": 30000,
                   "spread": ({"query", "pos", "neg_1", "neg_2", "neg_3", "neg_4"}, 100),
                   "hyper": {"trigram_number": 20000, "fc_sizes": [300, 300, 128]}},
    "match.multiview-simnet": {
        "batch": 64, "rows": 50000,
        "spread": ({"query_1", "query_2", "title_pos", "title_neg"}, 100),
        "hyper": {"sparse_feature_number": 20000, "embedding_dim": 128, "hidden_size": 128}},
    "multitask.esmm": dict(CTR, hyper={"sparse_feature_number": 60000, "sparse_feature_dim": 12,
                                       "fc_sizes": [360, 200, 80]}),
    "multitask.mmoe": dict(PEOPLE, hyper={"expert_num": 8}),
    "multitask.share-bottom": dict(PEOPLE, hyper={"bottom_size": 117}),
    "contentunderstanding.textcnn": {"batch": 64, "rows": 50000, "hyper": {
        "dict_dim": 50000, "emb_dim": 128, "cnn_dim": 128, "hid_dim": 96}},
    "contentunderstanding.tagspace": {"batch": 64, "rows": 80000, "spread": ({"word"}, 100), "hyper": {
        "vocab_text_size": 20000, "emb_dim": 10, "hid_dim": 1000, "window_size": 5}},
}

# Models of tests/rec/zoo, as users wrote them: two kinds that cost most by the number of their ops.
USERS = {
    "user.ffm": {"rows": 4000, "hyper": {"sparse_feature_dim": 4}},
    "user.autoint": {"rows": 30000, "hyper": {
        "sparse_feature_dim": 16, "d_key": 16, "d_value": 16, "n_interacting_layers": 3}},
}
FIELDS = 39


def prepare_user(folder, model):
    source = os.path.join(ROOT, "tests", "rec", "zoo", model.split(".")[1])
    shutil.copy(os.path.join(source, "model.py"), folder)
    with open(os.path.join(source, "config.yaml")) as f:
        config = yaml.safe_load(f)
    config["workspace"], config["mode"] = folder, "train_runner"
    config["hyper_parameters"].update({"num_field": FIELDS, "sparse_feature_number": 100000},
                                      **USERS[model]["hyper"])
    for data in config["dataset"]:
        data["batch_size"], data["dense_slots"] = 128, "feat_value:%d" % FIELDS
    config["runner"][0]["epochs"] = 1
    os.mkdir(os.path.join(folder, "data"))
    draw = random.Random(3)
    with open(os.path.join(folder, "data", "part-0"), "w") as f:
        for _ in range(USERS[model]["rows"]):
            ids = [min(int(draw.paretovariate(0.3)), 100000) for _ in range(FIELDS)]
            f.write(" ".join(["label:%d" % (ids[0] % 3 == 0)] + ["feat_idx:%d" % i for i in ids] +
                             ["feat_value:%.3f" % draw.random() for _ in ids]) + "\n")
    with open(os.path.join(folder, "config.yaml"), "w") as f:
        yaml.safe_dump(config, f)


def spread(line, slots, times, n):
    """More ids, by the line's number: the same under both."""
    words = []
    for i, word in enumerate(line.split()):
        slot, value = word.split(":")
        if slot in slots:
            value = int(value) * times + (n * 7919 + i * 31) % times
        words.append("%s:%s" % (slot, value))
    return " ".join(words) + "\n"


def prepare(folder, model, case):
    """model.py, config.yaml and data of a case, as a user has them."""
    source = os.path.join(MODELS, *model.split("."))
    for name in ("model.py", "reader.py"):
        if os.path.exists(os.path.join(source, name)):
            shutil.copy(os.path.join(source, name), folder)
    with open(os.path.join(source, "config.yaml")) as f:
        config = yaml.safe_load(f)
    config["workspace"] = folder
    config["mode"] = "single_cpu_train"
    if case == "sample":
        shutil.copytree(os.path.join(source, "data"), os.path.join(folder, "data"))
    else:
        large = LARGE[model]
        data = config["dataset"][0]
        data["batch_size"] = large["batch"]
        data["data_path"] = "{workspace}/large"
        config["hyper_parameters"].update(large["hyper"])
        runner = next(r for r in config["runner"] if r["name"] == config["mode"])
        runner["epochs"], runner["print_interval"] = 1, 100
        os.mkdir(os.path.join(folder, "large"))
        made = subprocess.run([OURS, os.path.join(source, "data", "generate.py"),
                               str(large["rows"]), "5"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.splitlines(True)
        with open(os.path.join(folder, "large", "part-0"), "w") as f:
            slots, times = large.get("spread", ((), 1))
            for n, line in enumerate(made):
                f.write(spread(line, slots, times, n) if slots else line)
    with open(os.path.join(folder, "config.yaml"), "w") as f:
        yaml.safe_dump(config, f)


def measure(folder, python, *run):
    """CPU-seconds of a run and of all it started, and its loss."""
    env = dict(os.environ, OMP_NUM_THREADS="1", CPU_NUM="1", GLOG_v="0",
               PATH=os.path.dirname(python) + ":" + os.environ["PATH"])
    with open(os.path.join(folder, "said"), "w+") as said:
        child = subprocess.Popen([python] + list(run) + ["-m", "config.yaml"], cwd=folder, env=env,
                                 stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        said.seek(0)
        text = said.read()
    if status:
        return None, text[-2000:]
    loss = re.findall(r"(?:LOSS|[^_]AUC)=\[?([0-9.e+-]+)", text)
    return used.ru_utime + used.ru_stime, loss[-1] if loss else "?"


def compare(theirs, model, case):
    with tempfile.TemporaryDirectory() as folder:
        if model in USERS:
            prepare_user(folder, model)
        else:
            prepare(folder, model, case)
        ours = [measure(folder, OURS, "-m", "paddlerec.run")
                for _ in range(int(os.environ.get("ROUNDS", 3)))]
        real = theirs and measure(folder, theirs, os.path.join(HERE, "theirs.py"))
    if any(seconds is None for seconds, _ in ours):
        return "%s, %s: failed\n%s" % (model, case, ours[0][1])
    best, loss = min(ours)
    if not real:
        return "%s, %s: ours %.2f CPU-s; no paddle-rec to compare with" % (model, case, best)
    if real[0] is None:
        return "%s, %s: ours %.2f CPU-s; paddle-rec failed\n%s" % (model, case, best, real[1])
    return "paddlerec %s, %s: ours %.2f, paddle-rec 1.8.5.1 %.2f CPU-s: %.1fx (bar %gx); " \
        "loss %s and %s" % (model, case, best, real[0], real[0] / best, BAR, loss, real[1])


if __name__ == "__main__":
    for one in sys.argv[2:] or sorted(LARGE) + sorted(USERS):
        for kind in ("sample", "large") if one in LARGE else ("large",):
            print(compare(sys.argv[1], one, kind), flush=True)
