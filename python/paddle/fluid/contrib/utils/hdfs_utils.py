"""The HDFS client of scripts before there was fleet's, with its order of arguments."""
import os

from ...incubate.fleet.utils import hdfs

__all__ = ["HDFSClient", "multi_download", "multi_upload"]


class HDFSClient(hdfs.HDFSClient):
    """fluid.incubate.fleet.utils.hdfs.HDFSClient, of single files."""

    def upload(self, hdfs_path, local_path, overwrite=False, retry_times=5):
        """A file into the folder hdfs_path. False: it is there, or it could not be put."""
        if os.path.isdir(local_path):
            raise ValueError("upload: %s is a folder; use multi_upload()" % local_path)
        target = os.path.join(hdfs_path, os.path.basename(local_path))
        if self.is_exist(target) and not (overwrite and self.delete(target)):
            return False
        return self.makedirs(hdfs_path) and self._done(["-put", local_path, hdfs_path],
                                                       retry_times)

    def download(self, hdfs_path, local_path, overwrite=False, unzip=False):
        """A file into the folder local_path. False: it is not there, or here already."""
        if unzip:
            raise ValueError("download(unzip=True): files come as they are; use the module zipfile")
        if not self.is_exist(hdfs_path):
            return False
        target = os.path.join(local_path, os.path.basename(hdfs_path))
        if os.path.exists(target):
            if not overwrite:
                return False
            os.remove(target)
        self.make_local_dirs(local_path)
        return self._done(["-get", hdfs_path, target])

    def lsr(self, hdfs_path, only_file=True, sort=True):
        """What is below a folder, oldest first."""
        rows = [row for row in self._list("-lsr", hdfs_path) if not (only_file and row[0])]
        if sort:
            rows.sort(key=lambda row: row[1:])
        return [row[3] for row in rows]


def _below(path, folder):
    """Where `path`, of a listing of `folder`, goes below a folder of our own."""
    relative = os.path.relpath(path, folder)
    if os.path.isabs(relative) or relative.split(os.sep)[0] == os.pardir:
        raise OSError("%s is listed in %s, and is not below it" % (path, folder))
    return relative


def multi_download(client, hdfs_path, local_path, trainer_id, trainers, multi_processes=5):
    """Trainer trainer_id's share of the files below hdfs_path, every trainers-th of them, into
    local_path; the paths here."""
    client.make_local_dirs(local_path)
    mine = client.lsr(hdfs_path, sort=True)[trainer_id::trainers]
    targets = [os.path.join(local_path, _below(path, hdfs_path)) for path in mine]

    def get(pair):
        source, target = pair
        return os.path.exists(target) or client.download(source, os.path.dirname(target))
    if not client._each(get, list(zip(mine, targets)), multi_processes):
        raise OSError("multi_download: not all files of %s could be fetched" % hdfs_path)
    return targets


def multi_upload(client, hdfs_path, local_path, multi_processes=5, overwrite=False, sync=True):
    """All files below local_path, with their folders, into hdfs_path."""
    if not sync:
        raise ValueError("multi_upload(sync=False): it returns when all is there")
    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(local_path)
                   for name in names)

    def put(path):
        folder = os.path.normpath(os.path.join(
            hdfs_path, os.path.dirname(os.path.relpath(path, local_path))))
        return client.upload(folder, path, overwrite)
    if not client._each(put, files, multi_processes):
        raise OSError("multi_upload: not all files of %s could be put to %s (those that are "
                      "there are kept without overwrite=True)" % (local_path, hdfs_path))
