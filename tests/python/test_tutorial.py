"""docs/tutorial.md and the other pages: what they show runs as it is pasted."""
import ast
import glob
import os
import re
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.dirname(sys.executable)


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        return f.read()


def test_the_tutorial_runs_as_it_is_pasted(tmp_path):
    text = read("docs/tutorial.md")
    env = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"], CPU_NUM="1")
    steps = re.findall(r"^```python\n# (\S+)\n(.*?)^```|^    (python [^\n]*)$", text, re.M | re.S)
    told = {}
    for name, code, command in steps:
        if name:
            (tmp_path / name).write_text(code)
            continue
        out = subprocess.run(command.split(), cwd=tmp_path, env=env, capture_output=True, text=True,
                             timeout=120)
        assert out.returncode == 0, command + "\n" + out.stdout + out.stderr
        told[command] = out.stdout
    assert len(told) == 5
    assert float(told["python first.py"].split()[1]) < 0.01
    # words below 50 are clicked, those above are not
    assert told["python use.py"].split("clicks ")[1].strip() == "[1.0, 0.0]"


# Python on pages that is a part of a script: what stands before it here, or why it is not run.
BEFORE = """
import os
import paddle.distributed
import paddle.fluid as fluid
attr = fluid.ParamAttr(name="table")
ids = fluid.data("ids", [None, 1], "int64")
loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
exe = fluid.Executor()
"""
NOT_RUN = {  # page: {beginning of a block: why}
    "docs/data.md": {"dataset = ": "a worker of a job runs it"},
    "docs/guide-collective.md": {"fleet.init(": "every process of a job runs it"},
    "docs/guide-ctr.md": {"dataset = ": "it reads files of a reader's own"},
    "docs/guide-gpu.md": {"exe = ": "it needs a GPU"},
    "docs/guide-parameter-server.md": {
        "fleet.save_persistables": "a worker of a job runs it",
        'block.append_op("checkpoint_notify"': "a worker of a job runs it",
        "pos, neg = ": "a worker of a job runs it",
        "import paddle.fluid as fluid": "model() is the reader's own",
        "strategy.set_program_config": "a worker of a job runs it"},
    "docs/guide-v1.md": {"@provider": "a config's provider; test_provider.py has such ones"},
    "docs/guide-v2-cluster.md": {
        "mine = ": "a trainer of a job runs it", "paddle.init(": "a trainer of a job runs it",
        "trainer = ": "a trainer of a job runs it", "paddle.layer.embedding": "word is the reader's"},
    "docs/migrate-from-paddle-1.8.md": {"fluid.io.load_persistables": "it loads a reader's model"},
}
TESTED = ("docs/tutorial.md",)  # by tests of their own


def blocks(text):
    """The code of a page: fenced, and indented behind an empty line."""
    fenced = re.findall(r"^```(?:python|pycon)?\n(.*?)^```", text, re.M | re.S)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    indented = re.findall(r"(?:\A|\n)\n((?:    [^\n]*\n|\n(?=    ))+)", text + "\n")
    return fenced + [re.sub(r"^    ", "", block, flags=re.M) for block in indented]


def is_python(block):
    try:
        tree = ast.parse(block)
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(node, (ast.Call, ast.Import, ast.ImportFrom, ast.Assign))
               for node in ast.walk(tree))


PAGES = sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "docs", "*.md")))


@pytest.mark.parametrize("page", [p for p in PAGES + ["README.md"] if p not in TESTED and any(
    is_python(b) for b in blocks(read(p)))])
def test_python_on_pages_runs(page, tmp_path):
    known = NOT_RUN.get(page, {})
    seen = set()
    for block in filter(is_python, blocks(read(page))):
        why = next((start for start in known if block.startswith(start)), None)
        if why:
            seen.add(why)
            continue
        code = block if "import paddle" in block else BEFORE + block
        out = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True,
                             text=True, timeout=120)
        assert out.returncode == 0, "%s\n%s\n%s" % (page, block, out.stderr)
    assert seen == set(known), "blocks that are gone: %s" % (set(known) - seen)
