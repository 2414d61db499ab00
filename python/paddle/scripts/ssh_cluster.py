"""A job on hosts that are reached by SSH: a parameter server and a trainer on each.

cluster_train/paddle.py (v1) and cluster_train_v2/fabric/paddle.py (v2) call main() with the conf.py
beside them. ssh_node.py is one host, ssh_dispatch.py sends a workspace, node.sh is what runs on a
host. All hosts are checked before anything is sent or started. Every process hangs on an SSH channel
of this launcher: where that closes, be it that the launcher was killed, the process is ended."""
import argparse
import concurrent.futures
import importlib.util
import os
import queue
import shlex
import signal
import sys
import threading
import time

from .ssh_dispatch import Package, Progress, dispatch
from .ssh_node import Node, NodeError, parse_host

COMMENT = "paddle_process_by_paddle"
VOICE_SECONDS = 10  # a wait that is longer says whom it waits for
ALIVE_SECONDS = 10  # how often a node hears that we are there
STOP_SECONDS = 20  # node.sh needs 5 to kill what does not listen
SERVER_END_SECONDS = 30  # servers end by themselves once all trainers have left
BLAME_SECONDS = 2  # for others to fail too, and say because of whom
PORT_OPTIONS = ("port", "ports_num", "ports_num_for_sparse")


def say(text):
    sys.stdout.write("paddle: %s\n" % text)
    sys.stdout.flush()


class Refused(Exception):
    """What was asked for cannot be done; nothing has been started."""


class Interrupted(Exception):
    def __init__(self, number):
        Exception.__init__(self, signal.Signals(number).name)
        self.number = number


class Failed(Exception):
    def __init__(self, process):
        Exception.__init__(self, process.who)
        self.process = process


# ---- what is asked for ----

def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog="paddle.py", allow_abbrev=False, usage="python paddle.py (--job_dispatch_package=DIR | "
        "--job_workspace=DIR) [--OPTION=VALUE ...]",
        description="Start a parameter server and a trainer on every host of conf.py, over SSH. All "
        "other options go to `paddle train`; without --config the workspace's train.py is run, with "
        "those of paddle.init() as PADDLE_INIT_OPTION and the others as its arguments.")
    parser.add_argument("-p", "--job_dispatch_package", metavar="DIR",
                        help="a workspace on this machine: it is sent to every host, into a new "
                        "folder JOB<time> of ROOT_DIR")
    parser.add_argument("-j", "--job_workspace", metavar="DIR",
                        help="a workspace that is on every host already")
    args, rest = parser.parse_known_args(argv)
    if bool(args.job_workspace) == bool(args.job_dispatch_package):
        raise Refused("--job_workspace or --job_dispatch_package should be set" if
                      not args.job_workspace else
                      "--job_workspace and --job_dispatch_package exclude each other")
    return args, parse_options(rest)


def parse_options(words):
    """{name: value} of --name=value and --name value; None where there is only --name."""
    options, i = {}, 0
    while i < len(words):
        name, equals, value = words[i].partition("=")
        i += 1
        if not name.startswith("-") or not name.strip("-"):
            raise Refused("%s: what is that? Options are written --name=value" % words[i - 1])
        if not equals and i < len(words) and not words[i].startswith("--"):
            value = words[i]
            i += 1
        elif not equals:
            value = None
        options[name.lstrip("-")] = value
    for name in ("trainer_id", "pservers", "num_gradient_servers", "nics", "comment"):
        if name in options:
            raise Refused("--%s is set by the launcher, from conf.py, for each host" % name)
    if str(options.get("local", 0)).lower() not in ("0", "false"):
        raise Refused("%s: a job on a cluster is not local; --local=0 is"
                      % flag("local", options["local"]))
    return options


def flag(name, value):
    return "--" + name if value is None else "--%s=%s" % (name, value)


def load_conf(path):
    """The module at `path`, checked."""
    spec = importlib.util.spec_from_file_location("conf", path)
    conf = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(conf)
    except Exception as error:  # whatever a file of Python can do
        raise Refused("%s: %s: %s" % (path, type(error).__name__, error))

    def must(good, name, what):
        if not good:
            raise Refused("%s: %s = %r: %s" % (path, name, getattr(conf, name, None), what))
    for name in ("HOSTS", "ROOT_DIR", "PADDLE_NIC", "PADDLE_PORT", "PADDLE_PORTS_NUM",
                 "PADDLE_PORTS_NUM_FOR_SPARSE"):
        if not hasattr(conf, name):
            raise Refused("%s does not set %s" % (path, name))
    must(isinstance(conf.HOSTS, (list, tuple)) and conf.HOSTS and
         all(isinstance(h, str) for h in conf.HOSTS), "HOSTS", "a list of user@host is needed")
    try:
        hosts = [parse_host(h)[1:] for h in conf.HOSTS]
    except ValueError as error:
        raise Refused("%s: HOSTS: %s" % (path, error))
    must(len(set(hosts)) == len(hosts), "HOSTS",
         "a host is there twice; each has one server and one trainer")
    must(isinstance(conf.ROOT_DIR, str) and conf.ROOT_DIR.startswith("/"), "ROOT_DIR",
         "the full path of a folder is needed")
    must(isinstance(conf.PADDLE_NIC, str), "PADDLE_NIC", "the name of a network interface is needed")
    for name, least in (("PADDLE_PORT", 1), ("PADDLE_PORTS_NUM", 1), ("PADDLE_PORTS_NUM_FOR_SPARSE", 0)):
        value = getattr(conf, name)
        must(isinstance(value, int) and least <= value < 65536, name,
             "a number from %d to 65535 is needed" % least)
    conf.ROOT_DIR = conf.ROOT_DIR.rstrip("/") or "/"
    conf.LD_LIBRARY_PATH = getattr(conf, "LD_LIBRARY_PATH", "")
    conf.PADDLE_USE_GPU = str(getattr(conf, "PADDLE_USE_GPU", "False"))
    return conf


# ---- a job ----

class Job(object):
    def __init__(self, conf, args, options):
        self.conf, self.options = conf, dict(options)
        self.package = args.job_dispatch_package
        self.folder = args.job_workspace.rstrip("/") if args.job_workspace else None
        if self.folder is not None and not self.folder.startswith("/"):
            raise Refused("--job_workspace=%s: the full path of a folder on the hosts is needed"
                          % self.folder)
        if self.package is not None and not os.path.isdir(self.package):
            raise Refused("--job_dispatch_package=%s is no folder here" % self.package)
        self.ports = {name: self._port_option(name) for name in PORT_OPTIONS}
        self.nodes = [Node(i, text, say) for i, text in enumerate(conf.HOSTS)]
        self.id, self._key = os.urandom(6).hex(), os.urandom(32).hex()
        self._events = queue.SimpleQueue()  # which a signal handler may use
        self._servers, self._trainers = [], []
        self._failures = []  # in the order in which they were heard of

    def _port_option(self, name):
        """Servers and trainers must agree: an option is for both."""
        if name not in self.options:
            return getattr(self.conf, "PADDLE_" + name.upper())
        value = self.options.pop(name)
        if value is None or not value.isdigit():
            raise Refused("%s is no number" % flag(name, value))
        return int(value)

    def interrupt(self, number, _frame):
        self._events.put((None, "signal", number))

    def run(self):
        """The exit status."""
        try:
            self._check()
            self._clean()
            self._dispatch()
            self._start_servers()
            self._start_trainers()
            self._train()
            return 0
        except Failed as failure:
            self._failed(failure.process)
            return 1
        except NodeError as error:
            say("failure: %s" % error)
            self._stop()
            return 1
        except Interrupted as interrupted:
            self._interrupted(interrupted)
            return 128 + interrupted.number
        finally:
            for node in self.nodes:
                node.close()

    # Each stage runs on all nodes at once, and waits for all, so that every fault is said.
    def _on_all(self, what, function):
        pool = concurrent.futures.ThreadPoolExecutor(len(self.nodes))
        try:
            running = {pool.submit(function, node): node for node in self.nodes}
            waiting, faults, voice = set(running), [], time.monotonic() + VOICE_SECONDS
            while waiting:
                done, waiting = concurrent.futures.wait(
                    waiting, 0.1, concurrent.futures.FIRST_COMPLETED)
                faults += [(running[f], f.exception()) for f in done if f.exception() is not None]
                self._raise_signal()
                if waiting and time.monotonic() > voice:
                    voice = time.monotonic() + 6 * VOICE_SECONDS
                    say("%s: waiting for %s" % (what, ", ".join(sorted(
                        running[f].name for f in waiting))))
        finally:
            pool.shutdown(wait=False)
        for node, fault in faults:
            if not isinstance(fault, NodeError):
                raise fault
        if faults:
            raise Refused("\n".join("%s %s" % (n.name, fault) for n, fault in sorted(
                faults, key=lambda pair: pair[0].index)))

    def _raise_signal(self):
        try:
            process, kind, value = self._events.get_nowait()
        except queue.Empty:
            return
        if kind == "signal":
            raise Interrupted(value)
        self._events.put((process, kind, value))

    def _check(self):
        def check(node):
            node.open()
            node.check(self.conf, self.folder)
        self._on_all("check", check)
        versions = {}
        for node in self.nodes:
            versions.setdefault(node.facts["version"][0], []).append(node.text)
        if len(versions) > 1:
            raise Refused("the hosts have different versions of paddle: " + "; ".join(
                "%s on %s" % (v, ", ".join(h)) for v, h in sorted(versions.items())))
        self._find_script()

    def _find_script(self):
        """Whether trainers run a script of the workspace."""
        if "config" in self.options:
            self.script = None
            self._find_config(self.options["config"])
        elif self.package is not None:
            self.script = os.path.isfile(os.path.join(self.package, "train.py"))
        else:
            self.script = all("script" in node.facts for node in self.nodes)
        if self.script is False:
            raise Refused("what is to be trained? Give --config=./trainer_config.py, or have a "
                          "train.py in the workspace")

    def _find_config(self, config):
        """Nothing is sent for a slip in its name."""
        if self.package is not None and config and not os.path.isabs(config) and \
                not os.path.isfile(os.path.join(self.package, config)):
            raise Refused("--config=%s: there is no such file in %s; its path is from the workspace's "
                          "own folder" % (config, self.package))

    def _clean(self):
        numbers = self._numbers()

        def clean(node):
            busy = []
            for line in node.must("clean", self.conf.ROOT_DIR, self.folder or "",
                                  *map(str, numbers)).splitlines():
                word, _, rest = line.partition(" ")
                if word == "ended":
                    name, folder = rest.split(" ", 1)
                    node.say("ended the %s that an earlier job left (%s)" % (name, folder))
                elif word == "busy" and rest not in busy:
                    busy.append(rest)
                elif word == "taken":
                    raise NodeError("port %s is taken%s: end what listens there, or set PADDLE_PORT in "
                                    "conf.py" % (rest, "; the job %s runs there" % ", ".join(busy)
                                                 if busy else ""))
        self._on_all("clean", clean)

    def _numbers(self):
        """The ports of a server."""
        count = self.ports["ports_num"] + self.ports["ports_num_for_sparse"]
        return [self.ports["port"] + i for i in range(count)]

    def _dispatch(self):
        if self.package is not None:
            self.folder = "%s/JOB%s" % (self.conf.ROOT_DIR.rstrip("/"),
                                        time.strftime("%Y%m%d%H%M%S"))
            package = self._read_package()
            say("dispatch: %s to %s of %d hosts" % (package.folder, self.folder, len(self.nodes)))
            progress = Progress(say)
            self._on_all("dispatch", lambda node: dispatch(
                node, package, self.conf.ROOT_DIR, self.folder, progress))
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "node.sh")) as file:
            text = file.read()

        def prepare(node):
            node.must("prepare", self.folder, str(node.index))
            node.put(text, self.folder + "/.paddle_job/node.sh")
        self._on_all("prepare", prepare)

    def _read_package(self):
        voice = [time.monotonic() + VOICE_SECONDS]

        def every_piece(path):
            self._raise_signal()
            if time.monotonic() > voice[0]:
                voice[0] = time.monotonic() + VOICE_SECONDS
                say("dispatch: reading the workspace, now %s" % path)
        try:
            return Package(self.package, every_piece)
        except (OSError, ValueError) as error:
            raise Refused("--job_dispatch_package: %s" % error)

    # ---- its processes ----

    def _flags(self):
        flags = {"num_gradient_servers": len(self.nodes), "nics": self.conf.PADDLE_NIC}
        flags.update(self.ports)
        return flags

    def _start(self, node, name, ports, words):
        env = ["env", "GLOG_logtostderr=0", "GLOG_log_dir=./log", "REGATTA_JOB_ID=" + self.id]
        return node.start(self.folder, name, self.conf.LD_LIBRARY_PATH, ports, env + words, self._key,
                          self._events)

    def _be_heard(self):
        while True:
            time.sleep(ALIVE_SECONDS)
            for process in self._servers + self._trainers:
                if not process.ended:
                    process.alive()

    def _server_words(self, _node):
        return ["paddle", "pserver"] + [flag(*pair) for pair in self._flags().items()] + [
            "--comment=" + COMMENT]

    def _start_servers(self):
        threading.Thread(target=self._be_heard, daemon=True).start()
        for node in self.nodes:
            self._servers.append(self._start(node, "server", self._numbers(),
                                             self._server_words(node)))
        self._wait("servers", lambda: [s for s in self._servers if not s.ready])
        say("servers: %d are ready, at port%s %s" % (
            len(self._servers), "s" if len(self._numbers()) > 1 else "",
            ", ".join(map(str, self._numbers()))))

    def _trainer_words(self, node):
        flags = self._flags()
        flags["pservers"] = ",".join(node.address for node in self.nodes)
        flags.update(use_gpu=self.conf.PADDLE_USE_GPU, local=0)
        flags.update(self.options)
        flags["trainer_id"] = node.index
        return self._script_words(flags) if self.script else ["paddle", "train"] + [
            flag(*pair) for pair in flags.items()] + ["--comment=" + COMMENT]

    def _start_trainers(self):
        for node in self.nodes:
            self._trainers.append(self._start(node, "train", (), self._trainer_words(node)))
        log = self.folder + ("/log/train.log" if self.script else "/log/paddle_trainer.INFO")
        say("training on %d hosts; to follow it: %s" % (
            len(self.nodes), self.nodes[0].ssh("tail -F " + shlex.quote(log))))

    @staticmethod
    def _script_words(flags):
        """train.py's environment has what paddle.init() reads; the rest are arguments of its own."""
        from ..v2.flags import OPTIONS
        env = ["PADDLE_INIT_%s=%s" % (name.upper(), True if value is None else value)
               for name, value in flags.items() if name in OPTIONS]
        own = [flag(*pair) for pair in flags.items() if pair[0] not in OPTIONS + ("nics", "local")]
        return ["PADDLE_CLUSTER_TRAIN=True"] + env + ["paddle", "python", "train.py"] + own

    def _wait(self, what, whom, end=None):
        """Until whom() is empty, or the time `end`; a failure or a signal ends the job."""
        began = time.monotonic()
        voice = began + VOICE_SECONDS
        while whom() and (end is None or time.monotonic() < end):
            now = time.monotonic()
            if now > voice:
                say("%s: waiting for %s, since %d s" % (
                    what, ", ".join(p.node.name for p in whom()), now - began))
                voice = now + 6 * VOICE_SECONDS
            self._take(0.5)

    def _take(self, seconds):
        try:
            process, kind, value = self._events.get(timeout=seconds)
        except queue.Empty:
            return
        if kind == "signal":
            raise Interrupted(value)
        self._note(process, kind, value)
        if kind == "ended" and value[0] != 0:
            raise Failed(process)

    def _note(self, process, kind, value):
        process.ready = True
        if kind == "ended":
            process.ended = True
            process.status, process.note = value
            if process.status != 0:
                self._failures.append(process)

    def _train(self):
        self._wait("training", lambda: [t for t in self._trainers if not t.ended])
        left = [s for s in self._servers if not s.ended]
        try:
            self._wait("servers", lambda: [s for s in left if not s.ended],
                       time.monotonic() + SERVER_END_SECONDS)
        except Failed as late:  # which changes nothing of what was trained and saved
            say("note: %s ended with status %s after training; its log is %s/log/server.log" % (
                late.process.who, late.process.status, self.folder))
        self._stop()
        saved = self.options.get("save_dir")
        say("done: all %d trainers have ended well; logs are in %s/log of each host%s" % (
            len(self._trainers), self.folder, "" if saved is None else
            "; the model is in %s of %s" % (os.path.normpath(os.path.join(self.folder, saved)),
                                            self.nodes[0].name)))

    def stop(self):
        """Ends every process; says which hosts have not confirmed it."""
        running = [p for p in self._servers + self._trainers if not p.ended]
        for process in running:
            process.stop()
        end, again = time.monotonic() + STOP_SECONDS, False
        while any(not p.ended for p in running) and time.monotonic() < end:
            try:
                process, kind, value = self._events.get(timeout=0.5)
            except queue.Empty:
                continue
            if kind == "signal" and not again:
                again = True
                say("stopping; this takes some seconds")
            elif kind != "signal":
                self._note(process, kind, value)
        lost = [p for p in running if not p.ended or p.status is None]
        return running, lost

    def _stop(self):
        running, lost = self.stop()
        hosts = sorted({p.node.index for p in lost})
        if lost:
            say("cannot tell whether all has ended on %s: what is left there ends with its SSH session, or "
                "when the next job starts" % ", ".join(self.nodes[i].name for i in hosts))
        return len(running)

    def _interrupted(self, why):
        count = self._stop()
        say("stopped by %s: %s" % (why, "%d processes on %d hosts were ended" % (
            count, len(self.nodes)) if count else "no process was running"))
        if self.package is not None and self.folder is not None and not self._servers:
            say("what had been sent of the workspace is in %s of the hosts" % self.folder)

    # ---- failure ----

    def _failed(self, first):
        """Names who failed, with the last lines of its log, and ends the others."""
        if first.note:  # it blames another: that one may be about to end
            self._gather()
        culprit = self._culprit(first)
        log = "%s/log/%s.log" % (self.folder, culprit.name)
        how = ("the connection to it was lost" if culprit.status is None else
               "was ended by signal %d" % (culprit.status - 128) if culprit.status > 128 else
               "ended with status %s" % culprit.status)
        if culprit.note:
            how += "; " + (culprit.note if culprit.status is None else
                           "it says that it failed because of " + self._blamed(culprit.note))
        say("failure: %s: %s" % (culprit.who, how))
        if culprit.status is not None:
            say("the last lines of its %s:" % log)
            for line in culprit.node.tail(log).splitlines():
                print("    " + line)
        self._stop()
        say("failure: %s failed; all others were ended. Its logs: %s" % (
            culprit.who, culprit.node.ssh("ls " + shlex.quote(self.folder + "/log"))))

    def _blamed(self, note):
        """Whom a note means, in the words of this launcher."""
        role, _, index = note.partition(" ")
        known = index.isdigit() and role == "worker" and int(index) < len(self._trainers)
        return self._trainers[int(index)].who if known else "a " + role.replace("worker", "trainer")

    def _gather(self):
        end = time.monotonic() + BLAME_SECONDS
        while time.monotonic() < end:
            try:
                process, kind, value = self._events.get(timeout=0.1)
            except queue.Empty:
                continue
            if kind != "signal":
                self._note(process, kind, value)

    def _culprit(self, first):
        """Who ends first need not be who failed: those that fail because of another say so."""
        one = first
        for _ in self.nodes:  # follow what they say as far as it goes
            role, _, index = one.note.partition(" ")
            if role != "worker" or not index.isdigit() or int(index) >= len(self._trainers):
                break
            one = self._trainers[int(index)]
            if one not in self._failures:
                break
        if one in self._failures and (not one.note or one.status is None):
            return one
        alone = [p for p in self._failures if not p.note or p.status is None]
        return alone[0] if alone else first


def run(make):
    """The exit status of the Job that make() gives."""
    try:
        job = make()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN or number == signal.SIGINT:
                signal.signal(number, job.interrupt)
        return job.run()
    except Refused as error:
        for line in str(error).splitlines():
            sys.stderr.write("paddle: %s\n" % line)
        return 2


def main(conf_path, argv):
    """The exit status of paddle.py."""
    def make():
        args, options = parse_args(argv)
        return Job(load_conf(conf_path), args, options)
    return run(make)
