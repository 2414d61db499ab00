"""Start a job on the hosts of conf.py, over SSH:

    python paddle.py --job_dispatch_package=WORKSPACE --config=./trainer_config.py ...

`python paddle.py --help` has the rest; docs/guide-ssh-cluster.md is the guide."""
import os
import signal
import sys

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is something to stop
    here = os.path.dirname(os.path.abspath(__file__))
    # This file is called paddle: its own folder must not be where the package is looked for.
    sys.path = [p for p in sys.path if os.path.realpath(p or ".") != os.path.realpath(here)]
    package = os.path.realpath(os.path.join(here, *[".."] * 3))
    if os.path.exists(os.path.join(package, "paddle", "scripts", "ssh_cluster.py")):
        sys.path.insert(0, package)
    try:
        from paddle.scripts import ssh_cluster
    except ImportError as error:
        sys.exit("paddle.py: %s%s" % (error, ": pip install fabric" if error.name in (
            "fabric", "paramiko") else ""))
    sys.exit(ssh_cluster.main(os.path.join(here, "conf.py"), sys.argv[1:]))
