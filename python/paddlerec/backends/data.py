"""Data to the nodes and results from them: between folders here, or with hdfs and afs through the
command `hadoop` where fs_name names one."""
import errno
import os
import shutil

__all__ = ["Store", "bring", "can_send", "send"]


class Store(object):
    """fs_name and fs_ugi: of hadoop; without fs_name paths are folders that this node sees."""

    def __init__(self, fs_name, fs_ugi):
        self._client = None
        if fs_name:
            from paddle.fluid.contrib.utils.hdfs_utils import HDFSClient
            self._client = HDFSClient(os.environ.get("HADOOP_HOME", ""),
                                      {"fs.default.name": fs_name, "hadoop.job.ugi": fs_ugi})

    def get(self, path, folder, index=0, count=1):
        """Every count-th file below `path` into `folder`; how many there are."""
        if self._client is not None:
            from paddle.fluid.contrib.utils.hdfs_utils import multi_download
            if not self._client.is_exist(path):
                raise OSError("%s is not there" % path)
            return len(multi_download(self._client, path, folder, index, count))
        path = os.path.abspath(path)
        if not os.path.isdir(path):
            raise OSError("%s is no folder of this machine" % path)
        found = sorted(os.path.relpath(os.path.join(below, name), path)
                       for below, _, names in os.walk(path) for name in names)
        os.makedirs(folder, exist_ok=True)
        for name in found[index::count]:
            target = os.path.join(folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not os.path.lexists(target):
                os.symlink(os.path.join(path, name), target)
        return len(found[index::count])

    def can_put(self, path):
        """OSError where put() would fail for want of a folder that can be written to."""
        if self._client is not None:
            return
        there = os.path.abspath(path)
        while not os.path.lexists(there):
            there = os.path.dirname(there)
        code = errno.ENOTDIR if not os.path.isdir(there) else \
            errno.EACCES if not os.access(there, os.W_OK | os.X_OK) else 0
        if code:
            raise OSError(code, os.strerror(code), there)

    def put(self, folder, path):
        """A folder and all below it; files that are there are written over."""
        if self._client is not None:
            from paddle.fluid.contrib.utils.hdfs_utils import multi_upload
            multi_upload(self._client, path, folder, overwrite=True)
        elif os.path.realpath(folder) != os.path.realpath(path):
            shutil.copytree(folder, path, dirs_exist_ok=True)


def bring(job, index=0, count=1):
    """What job["bring"] names into folders of the working folder; of ./train_data the share of
    this node, if each has its own."""
    store = Store(job["fs_name"], job["fs_ugi"])
    for folder, path in job["bring"].items():
        share = (index, count) if folder == "train_data" and not job["shared"] else (0, 1)
        found = store.get(path, folder, *share)
        if folder == "train_data" and not found:
            raise OSError("train_data_path %s has no file for node %d of %d: each needs one"
                          % (path, index, count))
        print("paddlerec: %d files of %s are in ./%s" % (found, path, folder), flush=True)


def can_send(job):
    """ValueError where output_path cannot be written to, which is said before training."""
    try:
        if job["output_path"] and job["results"]:
            Store(job["fs_name"], job["fs_ugi"]).can_put(job["output_path"])
    except OSError as e:
        raise ValueError("output_path %s cannot be written to (%s), and what is saved is to go there"
                         % (job["output_path"], e.strerror or e)) from None


def send(job):
    """What was saved, to output_path."""
    if not job["output_path"]:
        return
    store = Store(job["fs_name"], job["fs_ugi"])
    for folder in job["results"]:
        if os.path.isdir(folder):
            path = os.path.join(job["output_path"], folder)
            store.put(folder, path)
            print("paddlerec: %s is at %s" % (folder, path), flush=True)
