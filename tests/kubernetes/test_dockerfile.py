"""The image is built where there is a Docker, which is not here: but what it installs can be
compared with what the project needs."""
import os
import re
import shutil
import subprocess

import pytest

from built import PADDLE, ROOT


def read(*path):
    with open(os.path.join(ROOT, *path)) as file:
        return file.read()


def stages():
    """Packages of each stage."""
    text = re.sub(r"\\\n", " ", read("docker", "Dockerfile"))
    found = re.findall(r"apt-get install -y --no-install-recommends (.*?)&&", text)
    assert len(found) == 2
    return [set(packages.split()) for packages in found]


def test_the_first_stage_can_build():
    """As setup.sh has it, less what only people and tests need."""
    packages = re.search(r"^packages=\((.*?)\)", read("tools", "setup.sh"), re.S | re.M).group(1)
    wanted = set(packages.split()) - {"make", "git", "libcmocka-dev"}
    assert wanted == stages()[0]


def test_the_second_stage_can_run():
    """Every library that the command links comes from one of its packages."""
    if shutil.which("dpkg") is None:
        pytest.skip("no Debian")
    listed = subprocess.run(["ldd", PADDLE], stdout=subprocess.PIPE, text=True, check=True).stdout
    direct = subprocess.run(["readelf", "-d", PADDLE], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    names = set(re.findall(r"NEEDED.*\[(.*?)\]", direct))
    for name, path in re.findall(r"(\S+) => (/\S+)", listed):
        if name not in names:
            continue  # comes along with one that is
        file = os.path.basename(os.path.realpath(path))
        owner = subprocess.run(["dpkg", "-S", "*/" + file], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True).stdout
        owners = set(re.findall(r"^([^:, ]+)", owner, re.M))
        if owners:  # not built here
            assert owners & (stages()[1] | {"libc6"}), "%s is in %s" % (name, owners)


def test_the_readme_names_the_same_libraries():
    line = re.search(r"`apt install (.*?)`", read("README.md")).group(1)
    assert set(line.split()) == stages()[1] - {"python3", "python3-venv"}
