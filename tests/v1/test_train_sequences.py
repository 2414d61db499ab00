"""`paddle train` with models of sequences: a tagger, and a translator that is trained and then
generates with the same config."""
import random
import re

from workspace import Workspace

TAGGER = '''from paddle.trainer_config_helpers import *

settings(batch_size=20, learning_rate=0.02, learning_method=AdamOptimizer())
define_py_data_sources2("train.list", "test.list", module="tags", obj="process")
words = embedding_layer(input=data_layer("words", size=20), size=8)
label = data_layer("label", size=5)
seen = bidirectional_gru(input=words, size=6, return_seq=True)
scores = fc_layer(input=seen, size=5, act=LinearActivation())
cost = crf_layer(input=scores, label=label, param_attr=ParamAttr(name="crfw"))
path = crf_decoding_layer(input=scores, size=5, param_attr=ParamAttr(name="crfw"))
chunk_evaluator(name="chunks", input=path, label=label, chunk_scheme="IOB", num_chunk_types=2)
outputs(cost)
'''
TAGS = '''from paddle.trainer.PyDataProvider2 import *


@provider(input_types={"words": integer_value_sequence(20), "label": integer_value_sequence(5)})
def process(settings, filename):
    for line in open(filename):
        words = [int(w) for w in line.split()]
        # Words 0-4 are a name of type 0, 5-9 of type 1: what follows one of its kind goes on.
        kinds = [w // 5 for w in words]
        tags = [4 if k > 1 else 2 * k + (i > 0 and kinds[i - 1] == k)
                for i, k in enumerate(kinds)]
        yield {"words": words, "label": tags}
'''


def _texts(job, counts):
    numbers = random.Random(4)
    for name, count in counts:
        job.write(name, "".join(
            " ".join(str(numbers.randrange(20)) for _ in range(numbers.randrange(1, 9))) + "\n"
            for _ in range(count)))
    job.write("train.list", counts[0][0] + "\n")
    job.write("test.list", counts[1][0] + "\n")


def test_a_tagger_learns_and_its_chunks_are_in_the_log(tmp_path):
    job = Workspace(tmp_path / "job", TAGGER, "")
    job.write("tags.py", TAGS)
    _texts(job, (("a.txt", 200), ("t.txt", 60)))
    log = job.train("--num_passes=8", "--save_dir=output")
    tests = re.findall(r" Test samples=60 cost=(\S+) Eval: chunks.precision=\S+ +"
                       r"chunks.recall=\S+ +chunks.F1-score=(\S+) ", log)
    assert len(tests) == 8, log
    assert float(tests[-1][0]) < 0.3 * float(tests[0][0]) and float(tests[-1][1]) > 0.9
    assert "output/pass-00007/crfw" in "\n".join("output/" + f for f in job.files("output"))
    threads = job.train("--num_passes=2", "--trainer_count=2")
    assert " Pass=1 " in threads


def test_the_gradients_of_a_tagger_are_right(tmp_path):
    job = Workspace(tmp_path / "job", TAGGER, "")
    job.write("tags.py", TAGS)
    _texts(job, (("a.txt", 20), ("t.txt", 20)))
    log = job.train("--job=checkgrad")
    assert "***" not in log and "param=crfw" in log


TRANSLATOR = '''from paddle.trainer_config_helpers import *

generating = get_config_arg("generating", bool, False)
settings(batch_size=16, learning_rate=0.02, learning_method=AdamOptimizer())
define_py_data_sources2("train.list", "test.list", module="pairs",
                        obj="generate" if generating else "process")
source = data_layer("source", size=8)
seen = simple_gru(input=embedding_layer(input=source, size=8, name="words"), size=16, name="read")
start = fc_layer(input=last_seq(input=seen), size=16, name="start")
proj = fc_layer(input=seen, size=16, act=LinearActivation(), name="proj")


def step(seen, proj, word):
    before = memory(name="state", size=16, boot_layer=start)
    context = simple_attention(encoded_sequence=seen, encoded_proj=proj, decoder_state=before,
                               name="attention")
    state = fc_layer(input=[context, word, before], size=16, name="state")
    return fc_layer(input=state, size=8, act=SoftmaxActivation(), name="say")


inputs_of_step = [StaticInput(input=seen, is_seq=True), StaticInput(input=proj, is_seq=True)]
if generating:
    inputs_of_step.append(GeneratedInput(size=8, embedding_name="said", embedding_size=8))
    said = beam_search(name="decoder", step=step, input=inputs_of_step, bos_id=0, eos_id=1,
                       beam_size=2, max_length=6)
    seqtext_printer_evaluator(input=said, id_input=data_layer("id", size=1000),
                              dict_file="words.txt", result_file="said.txt")
    outputs(said)
else:
    word = embedding_layer(input=data_layer("target", size=8), size=8,
                           param_attr=ParamAttr(name="said"))
    inputs_of_step.append(word)
    following = recurrent_group(name="decoder", step=step, input=inputs_of_step)
    outputs(classification_cost(input=following, label=data_layer("next", size=8)))
'''
PAIRS = '''from paddle.trainer.PyDataProvider2 import *

SOURCE = integer_value_sequence(8)


def pairs(filename):
    for line in open(filename):
        words = [2 + int(w) % 6 for w in line.split()][:3]
        yield words, [2 + (w - 1) % 6 for w in words]


@provider(input_types={"source": SOURCE, "target": SOURCE, "next": SOURCE})
def process(settings, filename):
    for source, target in pairs(filename):
        yield {"source": source, "target": [0] + target, "next": target + [1]}


@provider(input_types={"source": SOURCE, "id": integer_value(1000)}, should_shuffle=False)
def generate(settings, filename):
    for number, (source, _) in enumerate(pairs(filename)):
        yield {"source": source, "id": 100 + number}
'''


def test_a_translator_is_trained_and_says_what_it_has_learnt(tmp_path):
    job = Workspace(tmp_path / "job", TRANSLATOR, "")
    job.write("pairs.py", PAIRS)
    job.write("words.txt", "<s>\n<e>\na\nb\nc\nd\ne\nf\n")
    _texts(job, (("a.txt", 300), ("t.txt", 5)))
    job.train("--num_passes=30", "--save_dir=output")
    job.train("--job=test", "--config_args=generating=1", "--init_model_path=output/pass-00029")
    said, right = (job.folder / "said.txt").read_text().split("\n\n"), 0
    for number, line in enumerate(open(str(job.folder / "t.txt"))):
        words = [2 + int(w) % 6 for w in line.split()][:3]
        best = said[number].splitlines()
        assert best[0] == str(100 + number) and len(best) == 3
        wanted = ["<s> <e> a b c d e f".split()[2 + (w - 1) % 6] for w in words] + ["<e>"]
        right += best[1].split("\t")[2].split() == wanted
    assert right == 5, said
