"""Record the programs that real Paddle makes for the jobs of tests/transpiler.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 'protobuf<3.21'
    v/bin/python tests/transpiler/record.py [JOB ...]

Each process of a job is asked in a process of its own: real Paddle's transpiler changes its
answers when it is asked twice. Its DistributeTranspiler knows no geo mode; there the
programs are Fleet's."""
import json
import os
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import jobs  # noqa: E402


def listen():
    """Fleet waits for servers before it gives a trainer its program."""
    out = []
    for endpoint in jobs.ENDPOINTS:
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", int(endpoint.split(":")[1])))
        server.listen(5)
        out.append(server)
    return out


def fleet_geo(name, role):
    import paddle.fluid as fluid
    from paddle.fluid.incubate.fleet.base import role_maker
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
        distributed_strategy)
    trainer = role == "trainer"
    servers = listen() if trainer else []
    fleet.init(role_maker.UserDefinedRoleMaker(
        current_id=1 if trainer else jobs.ENDPOINTS.index(role),
        role=role_maker.Role.WORKER if trainer else role_maker.Role.SERVER,
        worker_num=2, server_endpoints=jobs.ENDPOINTS))
    strategy = distributed_strategy.StrategyFactory.create_geo_strategy(5)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        jobs.JOBS[name][0](lambda optimizer: fleet.distributed_optimizer(optimizer, strategy))
    for server in servers:
        server.close()
    return {"main": jobs.tell(fleet.main_program), "startup": jobs.tell(fleet.startup_program)}


def one(name, role):
    import paddle
    assert paddle.__version__ == "1.8.5", "golden programs come from Paddle 1.8.5"
    told = (fleet_geo if jobs.JOBS[name][1] is jobs.geo else jobs.describe)(name, role)
    print("=" + json.dumps(told, sort_keys=True))


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--one":
        return one(sys.argv[2], sys.argv[3])
    for name in sys.argv[1:] or jobs.JOBS:
        out = {}
        for role in jobs.ROLES:
            text = subprocess.run([sys.executable, os.path.abspath(__file__), "--one", name, role],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            lines = [x[1:] for x in text.stdout.decode().splitlines() if x.startswith("={")]
            if not lines:
                sys.exit("%s, %s: %s" % (name, role, text.stderr.decode()[-2000:]))
            out[role] = json.loads(lines[0])
        with open(os.path.join(HERE, "golden", name + ".json"), "w") as f:
            json.dump(out, f, sort_keys=True, separators=(",", ":"))
            f.write("\n")
        print(name)


if __name__ == "__main__":
    main()
