"""HDFS through the command `hadoop`: no shell is started, and no credentials are shown."""
import contextlib
import os
import shutil
import subprocess
import tempfile
from xml.sax.saxutils import escape

__all__ = ["HDFSClient"]


def get_logger(name, level, fmt):
    import logging
    logger = logging.getLogger(name)
    logger.setLevel(level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(fmt))
        logger.addHandler(handler)
    return logger


def _hadoop(home):
    """bin/hadoop of `home`, or the one on PATH where home is empty or the variable's name."""
    home = os.path.expandvars(home or "")
    if home and not home.startswith("$"):
        return os.path.join(home, "bin", "hadoop")
    found = shutil.which("hadoop")
    if found is None:
        raise ValueError("no command `hadoop`: neither hadoop_home nor HADOOP_HOME is set, and "
                         "PATH has none")
    return found


def _is_secret(name):
    return any(word in name.lower() for word in ("ugi", "password", "secret", "token", "credential"))


class HDFSClient(object):
    """hadoop_home: the folder of bin/hadoop, '' for the one on PATH. configs: {name: value},
    e.g. fs.default.name, each given as -Dname=value; those that are secret (hadoop.job.ugi has a
    password) in a file that only this user can read, as -conf, since all users see arguments."""

    def __init__(self, hadoop_home, configs):
        self.pre_commands = [_hadoop(hadoop_home), "fs"]
        self._secrets = {}
        for name, value in (configs or {}).items():
            if _is_secret(name):
                self._secrets[name] = str(value)
            else:
                self.pre_commands.append("-D%s=%s" % (name, value))

    @contextlib.contextmanager
    def _command(self):
        """The command's first words, while it may be run."""
        if not self._secrets:
            yield self.pre_commands
            return
        with tempfile.NamedTemporaryFile("w", prefix="regatta-", suffix=".xml",
                                         encoding="utf-8") as f:  # of mode 0600
            f.write('<?xml version="1.0"?>\n<configuration>%s</configuration>\n' % "".join(
                "<property><name>%s</name><value>%s</value></property>"
                % (escape(name), escape(value)) for name, value in self._secrets.items()))
            f.flush()
            yield self.pre_commands[:2] + ["-conf", f.name] + self.pre_commands[2:]

    def _hide(self, text):
        """What the command said, without what it should not say."""
        for value in self._secrets.values():
            for part in [value] + value.split(",")[1:]:
                text = text.replace(part, "(hidden)") if len(part) > 3 else text
        return text

    def _run(self, commands, retry_times=5):
        """(status, output, errors); tried again until it succeeds or retry_times is over."""
        env = {name: value for name, value in os.environ.items() if name != "REGATTA_JOB_KEY"}
        for _ in range(max(1, retry_times + 1)):
            try:
                with self._command() as first:
                    done = subprocess.run(first + commands, stdin=subprocess.DEVNULL, env=env,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            except OSError as e:
                raise OSError("cannot run %s: %s" % (self.pre_commands[0], e.strerror))
            if done.returncode == 0:
                break
        return (done.returncode, done.stdout.decode("utf-8", "replace"),
                self._hide(done.stderr.decode("utf-8", "replace")))

    def _done(self, commands, retry_times=5):
        status, _, errors = self._run(commands, retry_times)
        if status != 0:
            import sys
            last = errors.strip().splitlines()[-1:] or ["status %d" % status]
            sys.stderr.write("hadoop fs %s: %s\n" % (" ".join(commands), last[0]))
        return status == 0

    # ---- looking ----

    def is_exist(self, hdfs_path=None):
        return self._run(["-test", "-e", hdfs_path], retry_times=1)[0] == 0

    def is_dir(self, hdfs_path=None):
        return self.is_exist(hdfs_path) and \
            self._run(["-test", "-d", hdfs_path], retry_times=1)[0] == 0

    def is_file(self, hdfs_path=None):
        return self.is_exist(hdfs_path) and not self.is_dir(hdfs_path)

    def cat(self, hdfs_path=None):
        """The text of a file without the last newline; '' where it is none."""
        if not self.is_file(hdfs_path):
            return ""
        status, output, _ = self._run(["-cat", hdfs_path], retry_times=1)
        return output.rstrip("\n") if status == 0 else ""

    def _list(self, command, hdfs_path):
        """[(is it a folder, date, time, path)]; a path may have blanks."""
        if not self.is_exist(hdfs_path):
            return []
        status, output, errors = self._run([command, hdfs_path], retry_times=1)
        if status != 0:
            raise OSError("hadoop fs %s %s failed: %s" % (command, hdfs_path, errors.strip()))
        rows = [line.split(None, 7) for line in output.splitlines()]
        return [(row[0][0] == "d", row[5], row[6], row[7]) for row in rows if len(row) == 8]

    def ls(self, hdfs_path):
        """The paths in a folder, files and folders."""
        return [row[3] for row in self._list("-ls", hdfs_path)]

    def lsr(self, hdfs_path, excludes=[]):
        """The files below a folder, oldest first, without those whose name is in excludes."""
        rows = [row for row in self._list("-lsr", hdfs_path) if not row[0]]
        rows.sort(key=lambda row: row[1:])
        return [row[3] for row in rows if os.path.basename(row[3]) not in excludes]

    # ---- changing ----

    def makedirs(self, hdfs_path):
        """True: it is there now."""
        if self.is_exist(hdfs_path):
            return True
        # Old clients make parents too; new ones only with -p, which old ones do not know.
        return self._run(["-mkdir", hdfs_path], retry_times=0)[0] == 0 or \
            self._done(["-mkdir", "-p", hdfs_path])

    def delete(self, hdfs_path):
        if not self.is_exist(hdfs_path):
            return True
        return self._done(["-rmr" if self.is_dir(hdfs_path) else "-rm", hdfs_path])

    def rename(self, hdfs_src_path, hdfs_dst_path, overwrite=False):
        if not self.is_exist(hdfs_src_path):
            return False
        if self.is_exist(hdfs_dst_path):
            if not overwrite:
                return False
            self.delete(hdfs_dst_path)
        return self._done(["-mv", hdfs_src_path, hdfs_dst_path])

    @staticmethod
    def make_local_dirs(local_path):
        os.makedirs(local_path, exist_ok=True)

    # ---- copying ----

    @staticmethod
    def split_files(files, trainer_id, trainers):
        """Trainer trainer_id's block of `files`, as fleet.split_files() makes it."""
        each, more = divmod(len(files), trainers)
        begin = each * trainer_id + min(trainer_id, more)
        return files[begin:begin + each + (trainer_id < more)]

    @staticmethod
    def _each(work, items, processes):
        """work(item) for all, several at a time; whether all succeeded."""
        from concurrent.futures import ThreadPoolExecutor
        if not items:
            return True
        with ThreadPoolExecutor(max(1, min(processes, len(items)))) as pool:
            return all(list(pool.map(work, items)))

    def upload(self, hdfs_path, local_path, multi_processes=5, overwrite=False, retry_times=5):
        """A file, or all files of a folder with their sub-folders, into the folder hdfs_path."""
        if not os.path.exists(local_path):
            raise OSError("%s is not there" % local_path)
        if overwrite and self.is_exist(hdfs_path) and not self.delete(hdfs_path):
            return False
        base = os.path.dirname(local_path) if os.path.isfile(local_path) else local_path
        files = [local_path] if os.path.isfile(local_path) else sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(local_path)
            for name in names)
        targets = [(f, os.path.dirname(os.path.relpath(f, base or "."))) for f in files]
        for folder in sorted({hdfs_path} | {os.path.join(hdfs_path, sub)
                                            for _, sub in targets if sub}):
            if not self.makedirs(folder):
                return False

        def put(target):
            source, sub = target
            return self._done(["-put", source, os.path.join(hdfs_path, sub)], retry_times)
        return self._each(put, targets, multi_processes)

    def upload_dir(self, dest_dir, local_dir, overwrite=False):
        """The folder itself into dest_dir."""
        local_dir = local_dir.rstrip("/")
        target = os.path.join(dest_dir, os.path.basename(local_dir))
        if self.is_exist(target):
            if not overwrite or not self.delete(target):
                return False
        return self.makedirs(dest_dir) and self._done(["-put", local_dir, dest_dir])

    def download(self, hdfs_path, local_path, multi_processes=5, overwrite=False, retry_times=5):
        """A file, or all files below a folder, into the folder local_path."""
        if not self.is_exist(hdfs_path):
            return False
        self.make_local_dirs(local_path)
        folder = self.is_dir(hdfs_path)
        files = self.lsr(hdfs_path) if folder else [hdfs_path]

        def get(source):
            sub = os.path.relpath(source, hdfs_path) if folder else os.path.basename(source)
            target = os.path.join(local_path, sub)
            if os.path.isabs(sub) or sub.split(os.sep)[0] == os.pardir:
                raise OSError("%s is listed in %s, and is not below it" % (source, hdfs_path))
            if os.path.exists(target):
                if not overwrite:
                    return True
                os.remove(target)
            self.make_local_dirs(os.path.dirname(target))
            return self._done(["-get", source, target], retry_times)
        return self._each(get, files, multi_processes)
