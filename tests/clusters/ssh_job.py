"""A launcher over SSH on the head of a cluster, in a copy of its folder, as a user has one."""
import os
import re

from built import ROOT

SCRIPTS = os.path.join(ROOT, "paddle", "scripts")  # the texts' own path
CALLS = [0]


class Launcher(object):
    """cluster_train or cluster_train_v2/fabric; conf.py is the one that is shipped until changed."""

    def __init__(self, cluster, folder):
        CALLS[0] += 1
        self.cluster, self.head = cluster, cluster.head
        self.folder = "/root/launcher%d" % CALLS[0]
        self.head.run("cp -r %s %s" % (os.path.join(SCRIPTS, folder), self.folder), "root")
        self._package = None

    def conf(self, **values):
        path = self.folder + "/conf.py"
        text = self.head.read(path)
        for name, value in values.items():
            text, count = re.subn(r"^%s = (\[[^]]*\]|.*)$" % name, lambda _: "%s = %r" % (name, value),
                                  text, flags=re.M)
            assert count == 1, name
        self.head.write(path, text)

    def workspace(self, *names):
        """A folder with empty files."""
        self._package = self.folder + "/workspace"
        self.head.run("mkdir %s; cd %s; touch %s" % (self._package, self._package, " ".join(names)),
                      "root")

    def line(self, options):
        if self._package is not None:
            options = "--job_dispatch_package=%s %s" % (self._package, options)
        return "exec python paddle.py " + options

    def run(self, options, timeout=240):
        """(status, what it said)"""
        return self.head.run(self.line(options), "root", cwd=self.folder, check=False,
                             timeout=timeout)

    def start(self, options):
        return self.head.start(self.line(options), "root", cwd=self.folder)

    def forget_workspace(self):
        """From now on --job_workspace is given."""
        self._package = None
