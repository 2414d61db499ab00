"""A v1 job that learns to copy sentences with attention, then writes them with a beam search: the
shape of v1's translation demo."""
import random

from workspace import Workspace

CONFIG = '''from paddle.trainer_config_helpers import *

is_generating = get_config_arg("gen", bool, False)
define_py_data_sources2(None if is_generating else "train.list",
                        "gen.list" if is_generating else None, module="sentences", obj="process",
                        args={"dict_path": "dict", "is_generating": is_generating})
settings(learning_method=AdamOptimizer(), batch_size=20, learning_rate=2e-2)
words = len(open("dict").readlines())
size = 16
source = embedding_layer(input=data_layer(name="source", size=words), size=size)
forward = simple_gru(input=source, size=size)
backward = simple_gru(input=source, size=size, reverse=True)
encoded = concat_layer(input=[forward, backward])
with mixed_layer(size=size) as projected:
    projected += full_matrix_projection(input=encoded)
with mixed_layer(size=size, act=TanhActivation()) as boot:
    boot += full_matrix_projection(input=first_seq(input=backward))


def step(encoded, projected, word):
    state = memory(name="decoder", size=size, boot_layer=boot)
    context = simple_attention(encoded_sequence=encoded, encoded_proj=projected,
                               decoder_state=state)
    with mixed_layer(size=size * 3) as both:
        both += full_matrix_projection(input=context)
        both += full_matrix_projection(input=word)
    made = gru_step_layer(name="decoder", input=both, output_mem=state, size=size)
    with mixed_layer(size=words, bias_attr=True, act=SoftmaxActivation()) as out:
        out += full_matrix_projection(input=made)
    return out


seen = [StaticInput(input=encoded, is_seq=True), StaticInput(input=projected, is_seq=True)]
if not is_generating:
    seen.append(embedding_layer(input=data_layer(name="target", size=words), size=size,
                                param_attr=ParamAttr(name="target_words")))
    decoder = recurrent_group(name="group", step=step, input=seen)
    outputs(classification_cost(input=decoder, label=data_layer(name="next", size=words)))
else:
    seen.append(GeneratedInput(size=words, embedding_name="target_words", embedding_size=size))
    found = beam_search(name="group", step=step, input=seen, bos_id=0, eos_id=1, beam_size=3,
                        max_length=12)
    seqtext_printer_evaluator(input=found, id_input=data_layer(name="sent_id", size=1),
                              dict_file="dict", result_file="written")
    outputs(found)
'''
PROVIDER = '''from paddle.trainer.PyDataProvider2 import *


def hook(settings, dict_path, is_generating, file_list, **kwargs):
    settings.learns = not is_generating
    words = integer_value_sequence(len(open(dict_path).readlines()))
    settings.slots = {"source": words, "target": words, "next": words} if settings.learns else \\
        {"source": words, "sent_id": integer_value_sequence(len(open(file_list[0]).readlines()))}


@provider(init_hook=hook, pool_size=1000)
def process(settings, file_name):
    for number, line in enumerate(open(file_name)):
        words = [int(w) for w in line.split()]
        sample = {"source": [0] + words + [1], "sent_id": [number]}
        if settings.learns:
            sample.update(target=[0] + words, next=words + [1])
        yield sample
'''


def test_sentences_are_learnt_and_written_by_a_beam_search(tmp_path):
    job = Workspace(tmp_path / "job", CONFIG, "")
    job.write("sentences.py", PROVIDER)
    names = ["<s>", "<e>", "<unk>"] + ["w%d" % n for n in range(8)]
    job.write("dict", "".join(name + "\n" for name in names))
    numbers = random.Random(1)

    def sentences(count):
        return [[numbers.randrange(3, 11) for _ in range(numbers.randrange(1, 4))]
                for _ in range(count)]
    given = sentences(10)
    for name, lines in (("learn", sentences(200)), ("ask", given)):
        job.write(name, "".join(" ".join(map(str, line)) + "\n" for line in lines))
    job.write("train.list", "learn\n")
    job.write("gen.list", "ask\n")
    job.train("--num_passes=15", "--save_dir=output", "--saving_period=15")
    job.train("--job=test", "--config_args=gen=1", "--init_model_path=output/pass-00014")
    blocks = (job.folder / "written").read_text().strip().split("\n\n")
    assert len(blocks) == 10
    right = 0
    for number, block in enumerate(blocks):
        lines = block.split("\n")
        assert lines[0] == str(number) and len(lines) == 4
        scores = [float(line.split("\t")[1]) for line in lines[1:]]
        assert scores == sorted(scores, reverse=True)
        right += lines[1].split("\t")[2].split() == [names[w] for w in given[number]] + ["<e>"]
    assert right >= 7
