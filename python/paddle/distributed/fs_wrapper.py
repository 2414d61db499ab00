"""File systems that checkpoints of a collective fleet are kept in."""
import os
import shutil

__all__ = ["FS", "LocalFS"]


class FS(object):
    """What a file system must be able to do."""

    def _missing(self, name):
        raise NotImplementedError("%s does not define %s()" % (type(self).__name__, name))

    def list_dirs(self, fs_path):
        self._missing("list_dirs")

    def ls_dir(self, fs_path):
        self._missing("ls_dir")

    def stat(self, fs_path):
        self._missing("stat")

    def upload(self, local_path, fs_path):
        self._missing("upload")

    def download(self, fs_path, local_path):
        self._missing("download")

    def mkdir(self, fs_path):
        self._missing("mkdir")

    def mv(self, fs_src_path, fs_dst_path):
        self._missing("mv")

    def rmr(self, fs_path):
        self._missing("rmr")

    def rm(self, fs_path):
        self._missing("rm")

    def delete(self, fs_path):
        self._missing("delete")

    def need_upload_download(self):
        self._missing("need_upload_download")


class LocalFS(FS):
    """This machine's files."""

    def list_dirs(self, fs_path):
        """The names of the folders in a folder; [] where it is none."""
        return [name for name in self.ls_dir(fs_path)
                if os.path.isdir(os.path.join(fs_path, name))]

    def ls_dir(self, fs_path):
        return sorted(os.listdir(fs_path)) if os.path.isdir(fs_path) else []

    def stat(self, fs_path):
        """Whether it is there."""
        return os.path.exists(fs_path)

    def mkdir(self, fs_path):
        if os.path.exists(fs_path) and not os.path.isdir(fs_path):
            raise ValueError("%s is a file, and a folder is wanted" % fs_path)
        os.makedirs(fs_path, exist_ok=True)

    def mv(self, fs_src_path, fs_dst_path):
        os.rename(fs_src_path, fs_dst_path)

    def rmr(self, fs_path):
        shutil.rmtree(fs_path)

    def rm(self, fs_path):
        os.remove(fs_path)

    def delete(self, fs_path):
        if not self.stat(fs_path):
            return
        if os.path.isdir(fs_path) and not os.path.islink(fs_path):
            self.rmr(fs_path)
        else:
            self.rm(fs_path)

    def need_upload_download(self):
        return False
