"""Start a job of parameter servers and workers on this host:

    python -m paddle.distributed.launch_ps --worker_num 2 --server_num 2 train.py [its arguments]

Each process writes its log to --log_dir (serverlog.N, workerlog.N); worker 0 is shown here too.
The status is 0 if every worker succeeded; else a card says who failed first."""
import argparse
import os
import sys

from .. import _core
from . import elastic, resume
from .job import (Job, Ports, host_and_port, is_true, make_folder, note, print_arguments,
                  refuse)

__all__ = []

SERVERS, WORKERS, START_PORT = 2, 2, 6170
RETURN_SECONDS = 60  # how long the others wait for one that is started again


STALL_SECONDS = 10


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m paddle.distributed.launch_ps", allow_abbrev=False,
        description="Start parameter servers and workers on this host.")
    parser.add_argument("--cluster_node_ips", default="127.0.0.1",
                        help="the address of this host; several hosts are refused: 127.0.0.1")
    parser.add_argument("--node_ip", default="127.0.0.1",
                        help="this host's address, one of --cluster_node_ips: 127.0.0.1")
    parser.add_argument("--start_port", type=int, default=START_PORT,
                        help="server i listens on this port + i: %d" % START_PORT)
    parser.add_argument("--print_config", type=is_true, default=True,
                        help="show these settings first: True")
    parser.add_argument("--endpoints", default="",
                        help="ip:port of each server, with commas, instead of --start_port")
    parser.add_argument("--worker_num", type=int, default=None,
                        help="number of workers: %d, or as many as the job had that --resume names"
                        % WORKERS)
    parser.add_argument("--server_num", type=int, default=None,
                        help="number of servers: %d, or as many as --endpoints, or as the job had "
                        "that --resume names" % SERVERS)
    parser.add_argument("--table_memory", default="",
                        help="what the rows of all tables of a server may take, as 8G or 512M: no "
                             "limit")
    parser.add_argument("--table_evict", default="",
                        help="which rows go when that is reached: off, lru or lfu: off, what is "
                             "more is refused")
    parser.add_argument("--table_disk", default="",
                        help="a folder for rows beyond --table_memory: none")
    parser.add_argument("--journal", default="", choices=["off", "everysec", "always"],
                        help="servers write down what they are told, and go on from it when they "
                             "are started again (--restarts): off; everysec, the death of a "
                             "process loses nothing; always, nor does a power cut: off")
    parser.add_argument("--journal_dir", default="",
                        help="the folder of the journals: journal in --log_dir")
    parser.add_argument("--log_dir", default="logs", help="folder of the logs: logs")
    parser.add_argument("--no_watch", action="store_true",
                        help="processes do not write how they are to watch/ in --log_dir")
    parser.add_argument("--page", type=int, nargs="?", const=0, default=None, metavar="PORT",
                        help="show the job to browsers while it runs, at this port, or one that is "
                        "free, which is said: no")
    parser.add_argument("--page_host", default="127.0.0.1",
                        help="the address of the page; one that other hosts reach needs a token: "
                        "127.0.0.1")
    parser.add_argument("--page_token", default="",
                        help="what who asks for the page must have: none on 127.0.0.1, elsewhere a "
                        "random one, which is said")
    parser.add_argument("--stall_seconds", type=float, default=STALL_SECONDS,
                        help="no step for so long is told, with who waits for whom: %d"
                        % STALL_SECONDS)
    parser.add_argument("--tensorboard", default="", metavar="DIR",
                        help="each process writes its curves there, for TensorBoard, and as CSV: "
                        "none")
    parser.add_argument("--restarts", type=int, default=0,
                        help="how often a worker that died is started again, and goes on where it "
                        "was; servers too, where there is a journal: 0")
    parser.add_argument("--resume", default="", metavar="DIR",
                        help="go on with a job that was stopped: DIR is its journal folder, or the "
                        "log folder that it is in; --server_num and --worker_num may be others than "
                        "it had")
    parser.add_argument("--grace", type=int, default=0, metavar="SECONDS",
                        help="when this is told to end (Ctrl+C, SIGTERM) processes have so long: "
                        "workers first, then servers, which write a snapshot where there is a "
                        "journal, so that --resume begins at once: 4, and no snapshot")
    parser.add_argument("--min_trainers", type=int, default=0,
                        help="async modes: the job goes on without workers that died for good "
                        "while so many are left; 0: it ends")
    parser.add_argument("--elastic", default="", metavar="MIN:MAX",
                        help="workers come and go: the job goes on while MIN are left, and up to MAX "
                        "are at work at once; their data is leased (docs/guide-long-jobs.md)")
    parser.add_argument("--join", default="", metavar="LOG_DIR",
                        help="add a worker (--worker_num of them) to the elastic job that has its logs "
                        "there; it runs the job's own script")
    parser.add_argument("training_script", nargs="?", help="the script that every process runs")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER,
                        help="its arguments")
    return parser


def parse_args(argv=None):
    parser = _parser()
    args = parser.parse_args(_with_page(parser, sys.argv[1:] if argv is None else list(argv)))
    if args.worker_num is None and not args.resume:
        args.worker_num = 1 if args.join else WORKERS
    if not args.join and args.training_script is None:
        parser.error("the following arguments are required: training_script")
    return args


def _with_page(parser, argv):
    """--page may stand before the script: what follows it is its port only where it is a number."""
    alone = {name for action in parser._actions if action.nargs == 0
             for name in action.option_strings}
    i = 0
    while i < len(argv) and argv[i].startswith("-"):
        if argv[i] == "--page" and not (i + 1 < len(argv) and argv[i + 1].isdigit()):
            argv[i] = "--page=0"
        i += 1 if argv[i] in alone or "=" in argv[i] else 2
    return argv


def _check(args):
    nodes = [ip.strip() for ip in args.cluster_node_ips.split(",") if ip.strip()]
    if len(nodes) != 1:
        refuse("--cluster_node_ips=%s: launch_ps starts processes on this host alone; on several "
               "hosts start each process with its own environment (paddle env shows what it "
               "says), or use a cluster launcher" % args.cluster_node_ips)
    if args.node_ip != nodes[0] and args.node_ip != "127.0.0.1" and nodes[0] != "127.0.0.1":
        refuse("--node_ip=%s is not in --cluster_node_ips=%s"
               % (args.node_ip, args.cluster_node_ips))
    for name in ("worker_num", "server_num"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            refuse("--%s=%d: at least one is needed" % (name, getattr(args, name)))
    if not 0 < args.start_port < 65536:
        refuse("--start_port=%d is not a port" % args.start_port)
    try:
        _core.check_table_memory(*[
            getattr(args, name) or os.environ.get("FLAGS_ps_" + name, "")
            for name in ("table_memory", "table_evict", "table_disk")])
    except ValueError as e:
        refuse(str(e))
    if args.page is not None and not 0 <= args.page < 65536:
        refuse("--page=%d is not a port" % args.page)
    if args.page is not None and args.no_watch:
        refuse("--page shows what --no_watch turns off")
    if args.no_watch and args.stall_seconds != STALL_SECONDS:
        refuse("--stall_seconds=%g is told by what --no_watch turns off" % args.stall_seconds)
    if args.page is None and (args.page_token or args.page_host != "127.0.0.1"):
        refuse("--page_host and --page_token are for --page")
    if not 1 <= args.stall_seconds <= 1e6:
        refuse("--stall_seconds=%g: 1 to 1000000" % args.stall_seconds)
    if not args.log_dir:
        refuse("--log_dir= is empty: the logs need a folder")
    mode = os.environ.get("FLAGS_ps_journal", "off")
    if not args.journal and mode not in ("off", "everysec", "always"):
        refuse("FLAGS_ps_journal=%s: off, everysec or always are possible" % mode)
    if args.journal_dir and not _has_journal(args):
        refuse("--journal_dir=%s is where journals are, and there are none: --journal everysec, or "
               "always" % args.journal_dir)
    if not 0 <= args.restarts <= 1000000:
        refuse("--restarts=%d: 0 to 1000000" % args.restarts)
    if not 0 <= args.grace <= 86400:
        refuse("--grace=%d: 1 to 86400 seconds" % args.grace)
    if not 0 <= args.min_trainers <= args.worker_num:
        refuse("--min_trainers=%d: 0 to %d, the number of workers"
               % (args.min_trainers, args.worker_num))
    if args.elastic and args.min_trainers:
        refuse("--elastic=%s and --min_trainers=%d: the first says it too"
               % (args.elastic, args.min_trainers))
    if args.elastic and args.resume:
        refuse("--elastic and --resume: a job that is gone on with has the workers that it had")
    return args.node_ip if args.node_ip != "127.0.0.1" else nodes[0]


def _given_endpoints(args):
    endpoints = [e.strip() for e in args.endpoints.split(",")]
    if args.server_num is not None and args.server_num != len(endpoints):
        refuse("--server_num=%d, and --endpoints has %d" % (args.server_num, len(endpoints)))
    if len(set(endpoints)) != len(endpoints):
        refuse("--endpoints=%s has one twice" % args.endpoints)
    for endpoint in endpoints:
        try:
            host, port = host_and_port(endpoint)
            ours, free = _core.host_is_ours(host), _core.port_is_free(host, port)
        except (ValueError, RuntimeError) as e:
            refuse("--endpoints: %s" % e)
        if not ours:
            refuse("--endpoints: %s is not an address of this host, and launch_ps starts "
                   "processes on this host alone" % endpoint)
        if not free:
            refuse("--endpoints: something listens on %s already" % endpoint)
    return endpoints


def _by_address(endpoints, ports):
    """The same servers in the words of scripts that have one port and a list of addresses:
    (addresses, port). On the loopback device each server has an address of its own."""
    split = [host_and_port(e) for e in endpoints]
    hosts = [host for host, _ in split]
    if len(set(hosts)) == len(hosts) and len({port for _, port in split}) == 1:
        return hosts, split[0][1]
    if set(hosts) == {"127.0.0.1"} and len(hosts) < 255:
        hosts = ["127.0.0.%d" % (i + 1) for i in range(len(hosts))]
        port = split[0][1]
        if not all(_core.port_is_free(host, port) for host in hosts):
            port = ports.common(hosts, port)
        if port is not None:
            return hosts, port
    return None, None


def _told_of_deaths(args):
    """What all processes are told of those that die."""
    told = {}
    # A job with a journal may be gone on with later, and keeps what that needs.
    if (args.restarts or _has_journal(args)) and "FLAGS_ps_return_seconds" not in os.environ:
        told["FLAGS_ps_return_seconds"] = str(RETURN_SECONDS)
    if args.grace and _has_journal(args):
        told["FLAGS_ps_grace_seconds"] = str(args.grace)
    if args.min_trainers:
        told["FLAGS_ps_go_on"] = "1"
    if args.elastic:
        told["FLAGS_ps_elastic"] = args.elastic.partition(":")[0]
        told["FLAGS_ps_return_seconds"] = os.environ.get("FLAGS_ps_return_seconds",
                                                         str(RETURN_SECONDS))
    return told


def _has_journal(args):
    return (args.journal or os.environ.get("FLAGS_ps_journal", "off")) != "off"


def _take_up(args):
    """The job that --resume names: {} where there is none. What the command does not say of it is as
    it was; kept["anew"]: it gets other numbers of servers or workers, or was not stopped but went with
    the machine, so that servers may have lost different ends of what they had written."""
    if not args.resume:
        return {}
    folder = resume.folder_of(args.resume)
    if args.journal_dir and os.path.realpath(args.journal_dir) != os.path.realpath(folder):
        raise ValueError("--resume=%s and --journal_dir=%s: the journals are in %s and stay there"
                         % (args.resume, args.journal_dir, folder))
    args.journal_dir = folder
    kept = resume.read(args.journal_dir)
    servers = kept["endpoints"]
    if args.worker_num is None:
        args.worker_num = kept["workers"]
    others = (args.endpoints and args.endpoints.split(",") != servers
              or args.server_num not in (None, len(servers)))
    kept["anew"] = (bool(others) or args.worker_num != kept["workers"]
                    or not kept.get("stopped", False))
    if not others:
        args.endpoints = ",".join(servers)
    args.journal = args.journal or kept["mode"]
    if args.journal == "off":
        raise ValueError("--resume=%s and --journal=off: what it has is in its journal" % args.resume)
    return kept


def _deal_anew(args, kept):
    """The journals of a job that goes on with other numbers become a snapshot for those."""
    before = (len(kept["endpoints"]), kept["workers"])
    # What tables do with rows beyond their memory is done again as it was.
    for name, value in _table_flags(args).items():
        _core.set_flag(name[len("FLAGS_"):], value)
    kept["deal"], found = resume.deal_anew(args.journal_dir, kept)
    now = (len(args.endpoints.split(",")) if args.endpoints else args.server_num, args.worker_num)
    text = "servers: %d, workers: %d, from %s on" % (*now, (
        "example %d of pass %d" % (found["examples"], found["readings"] - 1) if found["readings"] else
        "step %d" % found["steps"] if found["steps"] else "%d pushes" % found["pushes"]))
    if now != before:
        text += ", where %d and %d were stopped" % before
    if found["left_out"]:
        text += "; %d pushes that not all servers had got are made again" % found["left_out"]
    note(text)
    if args.worker_num != before[1] and found["pushes"]:
        note("%d workers share what %d were to read: the number of batches that are left is right; "
             "which examples those are depends on how the script deals them"
             % (args.worker_num, before[1]))


def _folder_of_journals(args):
    folder = args.journal_dir or os.environ.get("FLAGS_ps_journal_dir", "")
    return os.path.abspath(folder or os.path.join(args.log_dir, "journal"))


def _keep(args, job, kept, endpoints, hosts, port, workers):
    """For a --resume of this one."""
    noted = {
        "id": job.id, "endpoints": endpoints, "hosts": hosts, "port": port,
        "workers": workers, "deal": kept.get("deal", 0),
        "incarnation": kept.get("incarnation", 0) + args.restarts + 1,
        "mode": args.journal or os.environ.get("FLAGS_ps_journal", "off")}
    folder = _folder_of_journals(args)
    if resume.put_aside(folder, job.id):
        note("%s has the journals of a job that was stopped, which --resume %s would have gone on with; "
             "this one begins anew, and its servers put them aside: %s.previous, server-N.previous"
             % (folder, args.log_dir if not args.journal_dir else folder, resume.NAME))
    job.keeps = folder, noted
    resume.write(*job.keeps)


def _journal_flags(args, kept):
    """What the command says of journals, and where they are."""
    told = {}
    if args.journal:
        told["FLAGS_ps_journal"] = args.journal
    folder, deal = _folder_of_journals(args), kept.get("deal", 0)
    told["FLAGS_ps_journal_dir"] = resume.journals(folder, deal)
    told["FLAGS_ps_resume_from"] = resume.snapshot(folder, deal)
    return told


def _table_flags(args):
    """What the command says of tables; what it does not say the environment may."""
    said = {"FLAGS_ps_table_memory": args.table_memory, "FLAGS_ps_table_evict": args.table_evict,
            "FLAGS_ps_table_disk": args.table_disk and os.path.abspath(args.table_disk)}
    return {name: value for name, value in said.items() if value}


def _page(args):
    """Where the page is, and what who asks must know."""
    if args.page is None:
        return None
    try:
        is_near = _core.host_resolve(args.page_host) in ("127.0.0.1", "::1")
    except RuntimeError as e:
        refuse("--page_host: %s" % e)
    return args.page_host, args.page, args.page_token or (None if is_near else os.urandom(16).hex())


def make_job(args, script=None, told=None, log_name="%slog.%d"):
    """script: what to run where it is no file (-m MODULE ...); told: more of the environment."""
    kept = _take_up(args)
    host = _check(args)
    ports = Ports()
    held = resume.hold_journals(args.journal_dir) if kept else None
    if kept.get("anew"):
        _deal_anew(args, kept)
    if args.endpoints:
        endpoints = _given_endpoints(args)
    else:
        if not _core.host_is_ours(host):
            refuse("--node_ip=%s is not an address of this host" % host)
        count = args.server_num or len(kept.get("endpoints", [])) or SERVERS
        endpoints = ["%s:%d" % (host, ports.take(host, args.start_port + i, "server %d" % i))
                     for i in range(count)]
    least, most = (elastic.parse(args.elastic, args.worker_num) if args.elastic
                   else (args.min_trainers, args.worker_num))
    workers = ["%s:%d" % (host, ports.any(host)) for _ in range(most)]
    hosts, port = ((kept["hosts"], kept["port"])
                   if kept.get("hosts") and endpoints == kept["endpoints"] else
                   _by_address(endpoints, ports))
    common = {
        **_told_of_deaths(args),
        **(told or {}),
        **_table_flags(args),
        **_journal_flags(args, kept),
        **({"FLAGS_tensorboard_dir": os.path.abspath(args.tensorboard)} if args.tensorboard else {}),
        "PADDLE_PSERVERS_IP_PORT_LIST": ",".join(endpoints),
        "PSERVERS": ",".join(endpoints),
        "PADDLE_TRAINERS_NUM": str(most),
        "PADDLE_TRAINERS": str(most),
        "PADDLE_TRAINER_ENDPOINTS": ",".join(workers),
    }
    if hosts:
        common.update(PADDLE_PSERVER_IPS=",".join(hosts), PADDLE_PSERVER_PORT=str(port))
    if args.tensorboard:
        make_folder("--tensorboard", args.tensorboard)
    script = script or [args.training_script] + args.training_script_args
    if _has_journal(args) and not kept:
        held = resume.hold_journals(_folder_of_journals(args))
    job = Job(args.log_dir, log_name=log_name, id=kept.get("id"))
    job.hold(held)
    if _has_journal(args):
        _keep(args, job, kept, endpoints, hosts, port, most)
    started = {"REGATTA_INCARNATION": str(kept["incarnation"])} if kept else {}
    job.watched, job.stall_seconds = not args.no_watch, args.stall_seconds
    job.page = _page(args)
    job.restarts, job.least_workers = args.restarts, least
    job.grace_ms = args.grace * 1000
    job.join_dir = elastic.folder_of(args.log_dir) if args.elastic else None
    job.restarts_servers = common.get(
        "FLAGS_ps_journal", os.environ.get("FLAGS_ps_journal", "off")) != "off"
    for i, endpoint in enumerate(endpoints):
        ip, own_port = host_and_port(endpoint)
        env = dict(common, TRAINING_ROLE="PSERVER", PADDLE_TRAINING_ROLE="PSERVER", POD_IP=ip,
                   PADDLE_PORT=str(own_port), SERVER_ENDPOINT=endpoint, PADDLE_PSERVER_ID=str(i))
        if hosts:
            env["PADDLE_CURRENT_IP"] = hosts[i]
        job.add("server", i, script, env)
    for i, endpoint in enumerate(workers):
        ip, own_port = host_and_port(endpoint)
        job.add("worker", i, script, dict(
            common, **started, TRAINING_ROLE="TRAINER", PADDLE_TRAINING_ROLE="TRAINER",
            PADDLE_TRAINER_ID=str(i), TRAINER_ID=str(i), POD_IP=ip, PADDLE_PORT=str(own_port),
            PADDLE_CURRENT_IP=ip, PADDLE_CURRENT_ENDPOINT=endpoint), echo=i == 0,
            spare=i >= args.worker_num)
    return job


def _join(args):
    if args.training_script is not None:
        refuse("--join=%s runs the script of the job that is joined, and %s is given"
               % (args.join, args.training_script))
    parser = _parser()
    for name, value in sorted(vars(args).items()):
        if name not in ("join", "worker_num", "print_config") and value != parser.get_default(name) \
                and not name.startswith("training_script"):
            refuse("--join=%s and --%s: the job that is joined has its own settings; --worker_num alone "
                   "may stand beside it" % (args.join, name))
    if args.worker_num < 1:
        refuse("--worker_num=%d: at least one is needed" % args.worker_num)
    try:
        answers = elastic.join(args.join, args.worker_num)
    except (ValueError, OSError) as e:
        refuse(str(e))
    for answer in answers:
        sys.stderr.write("launch: %s\n" % answer)
    return 0 if all(answer.startswith("started") for answer in answers) else 1


def launch(argv=None):
    args = parse_args(argv)
    if args.join:
        return _join(args)
    if args.print_config:
        print_arguments(args)
    try:
        return make_job(args).run()
    except (ValueError, OSError, RuntimeError) as e:
        refuse(str(e))


if __name__ == "__main__":
    sys.exit(launch())
