"""The commands of the v2 text for Open MPI, on three nodes and a head: keys, data, the job."""
from hosts import NODES, cluster  # noqa: F401
from mpi_job import OPENMPI, WORD2VEC, WORKSHOP, make_cluster, need_mpi, small


def test_word2vec_from_the_first_command_to_the_model(cluster):  # noqa: F811
    need_mpi()
    make_cluster(cluster)
    small(cluster, NUM_PASSES="1", PADDLE_DATASET="synthetic")
    head = cluster.head
    docker = WORKSHOP + "/docker_cluster"

    def root(line):
        return head.run(line, "root", cwd=docker)
    # ---- at the machine one sits at; train.py is the text's api_train_v2_cluster.py
    root("cp %s/prepare.py . && cp %s/api_train_v2_cluster.py train.py && "
         "cp %s/start_mpi_train.sh ." % (WORD2VEC, WORD2VEC, OPENMPI))
    root("kubectl get po -o wide")
    root("kubectl get po -o wide | grep nodes | awk '{print $6}' > machines")
    assert head.read(docker + "/machines").split() == NODES
    root("scp -i ssh/id_rsa.mpi machines prepare.py train.py start_mpi_train.sh "
         "tutorial@192.168.100.10:~")

    def on_head(line, timeout=300):  # `ssh -i ssh/id_rsa.mpi tutorial@[headIP]`, then the line
        return head.run("ssh -i ssh/id_rsa.mpi tutorial@192.168.100.10 %s" % quoted(line), "root",
                        cwd=docker, timeout=timeout)
    # ---- in head node
    on_head("python prepare.py")
    on_head("for f in train.txt-0* test.txt-0*; do sed -i 401,\\$d $f; done")  # a short job
    on_head("cat machines | xargs -i scp word_dict.pickle train.py start_mpi_train.sh machines "
            "{}:/home/tutorial")
    on_head("mpirun -hostfile machines -n 3 mkdir /home/tutorial/logs")
    for i, address in enumerate(NODES):
        on_head("scp train.txt-%05d test.txt-%05d %s:/home/tutorial" % (i, i, address))
    on_head("mpirun -hostfile machines -n 3  /home/tutorial/start_mpi_train.sh")

    for i, node in enumerate(cluster.nodes):
        assert node.processes() == {}
        assert "Pass 0, Batch 0, Cost " in node.read("/home/tutorial/logs/train.log")
        assert node.read("/home/tutorial/logs/pserver.log") != ""
        models = node.run("ls output 2>/dev/null || true").split()
        assert ("pass-00000.tar.gz" in models) == (i == 0), models
    said = cluster.nodes[0].run("python %s/infer.py output/pass-00000.tar.gz among a group of"
                                % WORD2VEC)
    assert said.strip() != ""


def quoted(line):
    return "'%s'" % line.replace("'", "'\\''")
