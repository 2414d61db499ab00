"""Files here and, by the `hadoop` command, on hdfs and afs."""
import os
import shutil

__all__ = ["is_afs_path", "LocalFSClient", "FileHandler"]


def is_afs_path(path):
    return path.startswith(("afs:", "hdfs:"))


class LocalFSClient(object):
    def write(self, content, path, mode):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, mode) as f:
            f.write(content)

    def cp(self, org_path, dest_path):
        (shutil.copytree if os.path.isdir(org_path) else shutil.copy)(org_path, dest_path)

    def cat(self, file_path):
        with open(file_path) as f:
            return f.read().strip()

    def mkdir(self, dir_name):
        os.makedirs(dir_name, exist_ok=True)

    def remove(self, path):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.remove(path)

    def is_exist(self, path):
        return os.path.exists(path)

    def ls(self, path):
        return sorted(os.listdir(path))


class FileHandler(object):
    """config: fs_name and fs_ugi of a hadoop client, for paths that begin with afs: or hdfs:."""

    def __init__(self, config):
        self._local = LocalFSClient()
        self._config, self._remote = config, None

    def _hdfs(self):
        if self._remote is None:
            from paddle.fluid.incubate.fleet.utils.hdfs import HDFSClient
            get = self._config.get
            self._remote = HDFSClient(get("hadoop_home") or os.environ.get("HADOOP_HOME", ""), {
                "fs.default.name": get("fs_name"), "hadoop.job.ugi": get("fs_ugi")})
        return self._remote

    def is_exist(self, path):
        return self._hdfs().is_exist(path) if is_afs_path(path) else self._local.is_exist(path)

    def get_file_name(self, path):
        return os.path.basename(path.rstrip("/"))

    def write(self, content, dest_path, mode="w"):
        if not is_afs_path(dest_path):
            self._local.write(content, dest_path, mode)
            return
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            here = os.path.join(folder, self.get_file_name(dest_path))
            if "a" in mode and self.is_exist(dest_path):
                content = self.cat(dest_path) + content
            self._local.write(content, here, "w")
            if self.is_exist(dest_path):
                self._hdfs().delete(dest_path)
            self._hdfs().upload(dest_path, here)

    def cat(self, path):
        return self._hdfs().cat(path) if is_afs_path(path) else self._local.cat(path)

    def ls(self, path):
        return self._hdfs().ls(path) if is_afs_path(path) else self._local.ls(path)

    def cp(self, org_path, dest_path):
        """Between here and there, either way; there to there is refused."""
        there = is_afs_path(org_path), is_afs_path(dest_path)
        if there == (False, False):
            self._local.cp(org_path, dest_path)
        elif there == (False, True):
            self._hdfs().upload(dest_path, org_path)
        elif there == (True, False):
            self._hdfs().download(org_path, dest_path)
        else:
            raise ValueError("cp from %s to %s: both are remote" % (org_path, dest_path))
