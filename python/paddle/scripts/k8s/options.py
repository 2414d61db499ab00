"""The arguments of `paddle k8s`, checked before anything is made of them: what a cluster would
refuse later, or take and then not run, is an error here that says what to write instead."""
import argparse
import difflib
import re
import sys

KINDS = ("v2", "fluid", "paddlejob", "collective")
PORTS = {"v2": 7164, "fluid": 6174, "paddlejob": 36543, "collective": 6170}

# Longest name of a job: a StatefulSet's name and its revision are one label, which has 63
# characters at most: NAME-pserver-0123456789.
MAX_NAME = 63 - len("-pserver") - 11

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]*\Z")
_CPU = re.compile(r"([0-9]+m|[0-9]+(\.[0-9]{1,3})?)\Z")
_MEMORY = re.compile(r"[0-9]+(\.[0-9]+)?(Ki|Mi|Gi|Ti|k|M|G|T)?\Z")


def refuse(text):
    """What cannot be honoured ends the command with status 2."""
    sys.stderr.write("k8s: %s\n" % text)
    sys.exit(2)


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        refuse("%s; `paddle k8s --help` lists the options" % message)


def _parser():
    p = _Parser(prog="paddle k8s", allow_abbrev=False,
                formatter_class=argparse.RawTextHelpFormatter,
                description="Write the YAML of a training job for Kubernetes.",
                epilog="example:\n  paddle k8s --name word2vec --servers 2 --trainers 3 --image "
                       "registry/word2vec:1 \\\n             --cmd 'python train.py' | kubectl "
                       "create -f -")
    add = p.add_argument
    add("--name", help="name of the job and of all that belongs to it")
    add("--servers", type=int, metavar="N", help="parameter servers: 1; collective has none")
    add("--trainers", type=int, default=1, metavar="N", help="trainers: 1")
    add("--image", help="container image that has Regatta and the job's files")
    add("--cmd", help="what a trainer runs, as a shell's line; fluid and paddlejob: servers, too")
    add("--kind", choices=KINDS, default="v2",
        help="v2: servers are `paddle pserver`, trainers find PADDLE_INIT_*\n"
             "fluid: everyone runs --cmd, told who it is as Fleet and launch_ps do\n"
             "paddlejob: the same by the PaddleJob of the Kubeflow training operator\n"
             "collective: trainers alone, a pod for each, told who they are as launch does\n"
             "default: v2")
    add("--namespace", help="namespace; without it kubectl's")
    add("--port", type=int, help="first port of a server: 7164, fluid 6174, paddlejob 36543;\n"
                                   "collective: of a trainer, 6170")
    add("--ports-num", type=int, metavar="N", help="v2: ports of a server: 1")
    add("--ports-num-for-sparse", type=int, metavar="N",
        help="v2: further ports of a server, for sparse parameters: 1")
    add("--cpu", help="CPUs that each pod asks for: 2, 500m")
    add("--gpus", type=int, metavar="N",
        help="collective: GPUs of each trainer (nvidia.com/gpu); several are told to --cmd as\n"
             "TRAINER_GPU_CARD_COUNT")
    add("--memory", help="memory that each pod asks for and may have: 4Gi")
    add("--server-cpu", metavar="CPU", help="the same of servers alone: as --cpu")
    add("--server-memory", metavar="MEMORY", help="as --memory")
    add("--env", action="append", default=[], metavar="NAME=VALUE",
        help="a variable for every process; may be given again")
    add("--volume", action="append", default=[], metavar="CLAIM:/PATH[:ro]",
        help="a PersistentVolumeClaim and where it is mounted, in every pod")
    add("--data", metavar="CLAIM", help="the same as --volume CLAIM:/data")
    add("--pull-secret", metavar="NAME", help="Secret with the registry's password")
    add("--key-secret", metavar="NAME",
        help="Secret that has a job key under `key` already; without it one is made")
    add("--patience", type=int, default=1800, metavar="SECONDS",
        help="how long processes wait for pods that have not started: 1800")
    add("--output", metavar="FILE", help="write there (mode 0600) instead of to stdout")
    add("--apply", action="store_true", help="hand it to `kubectl create`")
    add("--delete", action="store_true",
        help="remove the job --name, and all that belongs to it; what it was made with may stay\n"
             "in the line")
    return p


def _known(parser):
    return [s for a in parser._actions for s in a.option_strings if s.startswith("--")]


def _normal(argv, parser):
    """Flags of other commands have underscores: --ports_num is --ports-num. And a value may begin
    with a hyphen: what follows --cmd is its value, unless it is another option."""
    takes = {s for a in parser._actions if a.nargs is None for s in a.option_strings}
    words, argv = [], list(argv)

    def hyphens(word):
        name, equals, value = word.partition("=")
        return name.replace("_", "-") + equals + value if name.startswith("--") else word

    while argv:
        word = hyphens(argv.pop(0))
        if word in takes and argv and hyphens(argv[0]).split("=")[0] not in _known(parser):
            word += "=" + argv.pop(0)
        words.append(word)
    return words


def _unknown(word, parser):
    name = word.split("=")[0]
    if not name.startswith("-"):
        refuse("%r is not an option: write --cmd 'WHOLE LINE' where it belongs to the command"
               % name)
    close = difflib.get_close_matches(name, _known(parser), 1, 0.5)
    refuse("there is no option %s%s" % (name, "; did you mean %s?" % close[0] if close else
                                        "; `paddle k8s --help` lists them"))


def parse(argv=None):
    parser = _parser()
    argv = sys.argv[1:] if argv is None else argv
    options, unknown = parser.parse_known_args(_normal(argv, parser))
    if unknown:
        _unknown(unknown[0], parser)
    _check(options)
    return options


def _check(o):
    _name("--name", o.name, MAX_NAME, "word2vec")
    if o.namespace is not None:
        _name("--namespace", o.namespace, 63, "default")
    if o.delete:
        if o.apply or o.output:
            refuse("--delete removes a job: leave out %s" % ("--apply" if o.apply else "--output"))
        return
    if o.kind == "collective" and o.servers is not None:
        refuse("--servers=%d: a collective job has no servers" % o.servers)
    o.servers = 1 if o.servers is None else o.servers
    if o.gpus is not None and o.kind != "collective":
        refuse("--gpus=%d is for --kind collective: parameter servers and their trainers compute on "
               "CPUs" % o.gpus)
    if o.gpus is not None and o.gpus < 1:
        refuse("--gpus=%d: at least 1, or leave it out to compute on CPUs" % o.gpus)
    for option in ("servers", "trainers", "patience"):
        if getattr(o, option) < 1:
            refuse("--%s=%d: at least 1 is needed" % (option, getattr(o, option)))
    _image(o.image)
    if not o.cmd or not o.cmd.strip():
        refuse("--cmd is missing: what a trainer runs, such as --cmd 'python train.py'")
    _ports(o)
    for option, pattern, example in (("cpu", _CPU, "2 or 500m"), ("server_cpu", _CPU, "2 or 500m"),
                                     ("memory", _MEMORY, "4Gi or 512Mi"),
                                     ("server_memory", _MEMORY, "4Gi or 512Mi")):
        value = getattr(o, option)
        if value is not None and (not pattern.match(value) or not value.strip("0.kmMGTi")):
            refuse("--%s=%s is no amount: write %s" % (option.replace("_", "-"), value, example))
        if value is not None and pattern is _MEMORY and value[-1].isdigit() and \
                float(value) < 1 << 20:
            refuse("--%s=%s would be so many bytes: write %s" % (option.replace("_", "-"), value,
                                                                 example))
    o.server_cpu, o.server_memory = o.server_cpu or o.cpu, o.server_memory or o.memory
    o.env = [_variable(text) for text in o.env]
    _once("--env", [name for name, _ in o.env])
    o.volumes = [_volume(text) for text in o.volume]
    if o.data is not None:
        _name("--data", o.data, 253, "training-data")
        o.volumes.append((o.data, "/data", False))
    _once("--volume: the path", [path for _, path, _ in o.volumes])
    for option in ("pull_secret", "key_secret"):
        if getattr(o, option) is not None:
            _name("--" + option.replace("_", "-"), getattr(o, option), 253, "my-secret")


def _name(option, value, longest, example):
    if not value:
        refuse("%s is missing: a name such as %s" % (option, example))
    if len(value) > longest:
        refuse("%s=%s has %d characters, and may have %d" % (option, value, len(value), longest))
    # Objects that no other name is made of may have 253 characters, and dots among them.
    labels = value.split(".") if longest > 63 else [value]
    good = all(_LABEL.match(label) for label in labels) and (option != "--name" or
                                                             value[0].isalpha())
    if not good:
        made = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
        if option == "--name":
            made = made.lstrip("0123456789-")
        refuse("%s=%s is no name for Kubernetes, which wants small letters, digits and hyphens, %s"
               "%s" % (option, value, "beginning with a letter and ending with a letter or digit"
                       if option == "--name" else "with letters or digits at both ends",
                       "; try %s" % made if made else ""))


def _image(image):
    if not image:
        refuse("--image is missing: the container image that has Regatta and the job's files "
               "(docker/Dockerfile builds one)")
    if not _IMAGE.match(image):
        refuse("--image=%s is no image: write registry/name:tag" % image)


def _ports(o):
    for option in ("ports_num", "ports_num_for_sparse"):
        value, flag = getattr(o, option), "--" + option.replace("_", "-")
        if value is not None and o.kind != "v2":
            refuse("%s is for --kind v2: a server of a %s job has one port" % (flag, o.kind))
        if value is not None and value < (1 if option == "ports_num" else 0):
            refuse("%s=%d: at least %d is needed" % (flag, value, option == "ports_num"))
    if o.kind == "collective":
        o.ports_num, o.ports_num_for_sparse = o.gpus or 1, 0  # one for each card's process
    elif o.kind == "v2":
        o.ports_num = 1 if o.ports_num is None else o.ports_num
        o.ports_num_for_sparse = 1 if o.ports_num_for_sparse is None else o.ports_num_for_sparse
    else:
        o.ports_num, o.ports_num_for_sparse = 1, 0
    o.port = PORTS[o.kind] if o.port is None else o.port
    last = o.port + o.ports_num + o.ports_num_for_sparse - 1
    if o.port < 1 or last > 65535:
        refuse("--port=%d: a server would listen on %d to %d, and ports go from 1 to 65535"
               % (o.port, o.port, last))
    o.ports = list(range(o.port, last + 1))


def _variable(text):
    from .pods import SET_BY_THE_JOB
    name, equals, value = text.partition("=")
    if not equals or not _VARIABLE.match(name):
        refuse("--env=%s is not NAME=VALUE" % text)
    if name in SET_BY_THE_JOB:
        refuse("--env=%s: the job sets %s for each of its processes" % (text, name))
    return name, value


def _volume(text):
    parts = text.split(":")
    if len(parts) not in (2, 3) or (len(parts) == 3 and parts[2] not in ("ro", "rw")):
        refuse("--volume=%s is not CLAIM:/PATH, with :ro behind it where nothing is to be written"
               % text)
    claim, path = parts[:2]
    _name("--volume", claim, 253, "training-data")
    if not path.startswith("/") or path == "/":
        refuse("--volume=%s: %s is no path to mount at: it begins with /, as /data does"
               % (text, path or "''"))
    return claim, path.rstrip("/"), len(parts) == 3 and parts[2] == "ro"


def _once(option, values):
    for value in values:
        if values.count(value) > 1:
            refuse("%s %s is given twice" % (option, value))
