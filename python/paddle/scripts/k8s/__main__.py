"""python -m paddle.scripts.k8s, which is `paddle k8s`."""
import os
import sys
import tempfile

from . import kubectl, objects
from .options import parse, refuse


def _yaml():
    try:
        import yaml
    except ImportError:
        refuse("the module yaml is missing: pip install pyyaml")
    return yaml


def as_yaml(documents):
    yaml = _yaml()

    class Plain(yaml.SafeDumper):
        """Says everything where it belongs: people read it, and change it by hand."""

        def ignore_aliases(self, data):
            return True
    return yaml.dump_all(documents, Dumper=Plain, sort_keys=False, default_flow_style=False,
                         width=100, explicit_start=True)


def _write(path, text):
    """Whole or not at all, and for nobody else's eyes: the job's key is in it."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, aside = tempfile.mkstemp(dir=folder, prefix=".k8s-")  # mode 0600
        try:
            with os.fdopen(handle, "w") as file:
                file.write(text)
            os.replace(aside, path)
        except BaseException:
            os.unlink(aside)
            raise
    except OSError as e:
        refuse("--output=%s cannot be written: %s" % (path, e.strerror or e))


def _show(documents):
    """To stdout; a terminal does not get to see the key."""
    hidden = [d for d in documents if d["kind"] == "Secret"] if sys.stdout.isatty() else []
    sys.stdout.write(as_yaml([d for d in documents if d not in hidden]))
    sys.stdout.flush()
    if hidden:
        sys.stderr.write("k8s: note: the Secret %s with the job's key is not shown on a terminal, "
                         "and the job does not start without it: use --output FILE, --apply, or "
                         "`paddle k8s ... | kubectl create -f -`\n" % hidden[0]["metadata"]["name"])


def main(argv=None):
    options = parse(argv)
    if options.delete:
        return kubectl.delete(options)
    documents = objects.of(options)
    if options.output:
        _write(options.output, as_yaml(documents))
    if options.apply:
        return kubectl.create(options, as_yaml(documents))
    if not options.output:
        _show(documents)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # who reads us has gone, and says why itself
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
