"""PaddleRec.tar.gz: what the documents' own before_hook.sh does with it works, in a Python of the
test's own and without any index."""
import os
import subprocess
import sys
import zipfile

HOOK = "set -e\ntar -xf PaddleRec.tar.gz\ncd PaddleRec\npython setup.py install\n"
INFO = "regatta-0.0.1.dist-info/"


def wheel(folder, package="paddlerec"):
    """A small one."""
    path = os.path.join(str(folder), "regatta-0.0.1-py3-none-any.whl")
    files = {package + "/__init__.py": "HERE = 1\n",
             INFO + "METADATA": "Metadata-Version: 2.1\nName: regatta\nVersion: 0.0.1\n",
             INFO + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                             "Tag: py3-none-any\n"}
    files[INFO + "RECORD"] = "".join("%s,,\n" % name for name in list(files) + [INFO + "RECORD"])
    with zipfile.ZipFile(path, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    return path


def pack(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "paddlerec.tools.pack"] + list(arguments),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def test_setup_py_install_installs(tmp_path):
    done = pack(wheel(tmp_path), cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "PaddleRec.tar.gz\n")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    env = {"PATH": "%s:/usr/bin:/bin" % (tmp_path / "venv" / "bin"), "PIP_NO_INDEX": "1",
           "PIP_CONFIG_FILE": os.devnull, "HOME": str(tmp_path)}
    assert subprocess.run(["sh", "-c", "command -v python"], env=env, stdout=subprocess.PIPE,
                          text=True).stdout.startswith(str(tmp_path))  # nothing else is touched
    done = subprocess.run(["sh", "-c", HOOK], cwd=str(tmp_path), env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    assert subprocess.run(["python", "-c", "import paddlerec; paddlerec.HERE"], env=env,
                          cwd="/").returncode == 0


def test_what_is_no_wheel_of_ours_is_refused(tmp_path):
    assert pack().returncode == 2
    done = pack(wheel(tmp_path, "other"), cwd=str(tmp_path))
    assert done.returncode == 2 and "is no wheel with paddlerec in it" in done.stdout
    done = pack("gone.whl", cwd=str(tmp_path))
    assert done.returncode == 2 and "gone.whl cannot be read" in done.stdout
    assert not os.path.exists(str(tmp_path / "PaddleRec.tar.gz"))
