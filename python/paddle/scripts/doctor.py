"""`paddle doctor --hosts user@a,user@b`: a doctor on each host, over SSH, and each way between them.

Every host is told to listen; then one after another examines itself and measures the way to each of
the others, so that no two measurements share the network. The command itself is src/cli/doctor.c."""
import json
import shlex
import sys

from .ssh_node import Node, NodeError

LISTEN_SECONDS = 600  # a listener that nobody has ended ends itself


def _say(text):
    sys.stderr.write("paddle doctor: %s\n" % text)


def _split(words):
    """The hosts, whether the answer is JSON, and the options that each host gets."""
    hosts, as_json, rest, i = "", False, [], 0
    while i < len(words):
        name, equals, value = words[i].lstrip("-").partition("=")
        if name == "hosts":
            if not equals:
                i += 1
                value = words[i]
            hosts = value
        elif name == "json":
            as_json = value.lower() not in ("false", "0", "no")
        else:
            rest.append(words[i])
        i += 1
    return [h.strip() for h in hosts.split(",") if h.strip()], as_json, rest


def _listen(node):
    """A doctor that listens there until our channel closes; (channel, HOST:PORT)."""
    line = ("paddle doctor --listen %s:0 --seconds %d & doctor=$!; cat > /dev/null; kill $doctor"
            % (shlex.quote(node.address), LISTEN_SECONDS))
    channel = node.channel("sh -c " + shlex.quote(line))
    first = channel.makefile("r").readline()
    if "listening at " not in first:
        raise NodeError("no doctor listens there: %s" % (first.strip() or "the connection was closed"))
    return channel, first.rpartition(" ")[2].strip()


def _examine(node, rest, peers):
    words = ["paddle", "doctor", "--json"] + rest + (["--peers", ",".join(peers)] if peers else [])
    status, text = node.command(" ".join(map(shlex.quote, words)))
    try:
        return json.loads(text[text.index("{"):])
    except ValueError:
        raise NodeError("`paddle doctor` there ends with status %d: %s" % (status, text.strip()[-500:]))


def _print(name, report):
    print("---- %s: %s ----" % (name, report["host"]))
    for found in report["findings"]:
        print("%-8s %-12s %s" % (found["level"], found["check"], found["seen"]))
        if found["change"]:
            print("%-8s %-12s -> %s" % ("", "", found["change"]))


def _open(hosts):
    """Nodes that can be reached and listen, and what is wrong with the others."""
    nodes, failed = [], []
    for index, text in enumerate(hosts):
        try:
            node = Node(index, text, _say)
            node.open()
            nodes.append((node,) + _listen(node))
        except (NodeError, ValueError) as error:
            failed.append((text, str(error)))
    return nodes, failed


def main(arguments):
    hosts, as_json, rest = _split(arguments)
    if not hosts:
        _say("--hosts is user@host with commas")
        return 2
    nodes, failed = _open(hosts)
    reports = []
    try:
        for node, _, _ in nodes:
            try:
                reports.append((node.text, _examine(
                    node, rest, [at for other, _, at in nodes if other is not node])))
            except NodeError as error:
                failed.append((node.text, str(error)))
            if not as_json and reports and reports[-1][0] == node.text:
                _print(*reports[-1])
    finally:
        for node, channel, _ in nodes:
            channel.close()
            node.close()
    problems = len(failed) + sum(report["problems"] for _, report in reports)
    if as_json:
        print(json.dumps({"problems": problems, "hosts": [dict(r, ssh=t) for t, r in reports],
                          "failed": [{"ssh": t, "why": w} for t, w in failed]}, indent=1))
    else:
        for text, why in failed:
            print("problem  ssh          %s: %s" % (text, why))
        print("%d host%s, %d problem%s" % (len(hosts), "s" * (len(hosts) != 1),
                                           problems, "s" * (problems != 1)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
