"""A small v1 job in a folder, and ways to run `paddle train` on it."""
import os
import random
import subprocess
import sys

from built import PADDLE

CONFIG = '''from paddle.trainer_config_helpers import *

is_predict = get_config_arg("is_predict", bool, False)
settings(batch_size=get_config_arg("batch", int, 8),
         learning_rate=get_config_arg("rate", float, 0.01))
x = data_layer("x", size=3)
hidden = fc_layer(input=x, size=get_config_arg("width", int, 4), act=TanhActivation(), name="hidden")
guess = fc_layer(input=hidden, size=1, act=LinearActivation(), name="guess")
if is_predict:
    outputs(guess)
else:
    outputs(mse_cost(input=guess, label=data_layer("y", size=1)))
define_py_data_sources2("train.list", "test.list", module="dataprovider", obj="process",
                        args={"scale": 2, "is_predict": is_predict})
'''
PROVIDER = '''from paddle.trainer.PyDataProvider2 import *


def hook(settings, scale, is_predict, **kwargs):
    settings.scale = scale
    settings.input_types = {"x": dense_vector(3), "y": dense_vector(1)}


@provider(init_hook=hook, cache=CacheType.CACHE_PASS_IN_MEM)
def process(settings, filename):
    for line in open(filename):
        a, b, c = map(float, line.split())
        yield {"x": [a, b, c], "y": [settings.scale * (a - b + c / 2)]}
'''


class Workspace:
    """70 samples to train on, in two files, and 20 to test."""

    def __init__(self, folder, config=CONFIG, provider=PROVIDER):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.write("trainer_config.py", config)
        self.write("dataprovider.py", provider)
        numbers = random.Random(1)
        for name, count in (("a.txt", 40), ("b.txt", 30), ("t.txt", 20)):
            self.write(name, "".join("%f %f %f\n" % tuple(numbers.uniform(-1, 1) for _ in range(3))
                                     for _ in range(count)))
        self.write("train.list", "a.txt\nb.txt\n")
        self.write("test.list", "t.txt\n")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def command(self, *flags, command="train"):
        return [PADDLE, command] + list(flags)

    def environment(self, **more):
        path = "%s:%s" % (os.path.dirname(sys.executable), os.environ["PATH"])
        return dict(dict(os.environ, PATH=path, XDG_CACHE_HOME=str(self.folder / ".cache")), **more)

    def train(self, *flags, status=0, environment=None, config="trainer_config.py"):
        """The log of `paddle train --config=... FLAGS`."""
        done = subprocess.run(self.command("--config=" + config, *flags), cwd=self.folder,
                              env=self.environment(**(environment or {})), timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = done.stdout.decode("utf-8", "replace")
        assert done.returncode == status, text
        return text

    def run(self, command, *arguments, status=0):
        """What another command prints."""
        done = subprocess.run(self.command(*arguments, command=command), cwd=self.folder,
                              env=self.environment(), timeout=120, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert done.returncode == status, done.stderr.decode()
        return done.stdout.decode(), done.stderr.decode()

    def files(self, *below):
        folder = self.folder.joinpath(*below)
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
