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
    """As setup.sh has it, less what only people and tests need, or what is loaded when it is asked
    for: the second stage has that."""
    packages = re.search(r"^packages=\((.*?)\)", read("tools", "setup.sh"), re.S | re.M).group(1)
    wanted = set(packages.split()) - {"make", "git", "libcmocka-dev", "librocksdb-dev"}
    assert wanted == stages()[0]


def libraries():
    """Names of those that the command links, or loads when it needs them. Open MPI's is loaded by
    who was started by mpirun, which brings it; sanitizers are in no image."""
    with open(PADDLE, "rb") as file:
        names = set(re.findall(rb"(?<=\0)lib[\w+-]+\.so\.\d+(?=\0)", file.read()))
    return {name.decode() for name in names
            if not name.startswith((b"libmpi.", b"libasan.", b"libubsan."))}


def test_the_second_stage_can_run():
    """Each comes from one of its packages."""
    if shutil.which("dpkg") is None:
        pytest.skip("no Debian")
    known = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    assert {"libuv.so.1", "libopenblas.so.0"} <= libraries()
    files = {}
    for name in libraries():
        path = re.search(r"^\s*%s .*=> (\S+)" % re.escape(name), known, re.M)
        assert path, "%s is not known here" % name
        files[name] = os.path.basename(os.path.realpath(path.group(1)))
    owned = subprocess.run(["dpkg", "-S"] + ["*/" + file for file in files.values()],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for name, file in files.items():
        owners = set(re.findall(r"^([^:, ]+).*/%s$" % re.escape(file), owned, re.M))
        if owners:  # not built here
            assert owners & (stages()[1] | {"libc6"}), "%s is in %s" % (name, owners)


def test_the_readme_names_the_same_libraries():
    line = re.search(r"`apt install (.*?)`", read("README.md")).group(1)
    assert set(line.split()) == stages()[1] - {"python3", "python3-venv"}
