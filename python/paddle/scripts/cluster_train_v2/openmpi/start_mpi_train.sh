#!/bin/bash
# One rank of a training job: a parameter server and a trainer on this node. Started on every node:
#   mpirun -hostfile machines -n 3 /home/tutorial/start_mpi_train.sh
#   srun -N 3 -n 3 /home/tutorial/start_mpi_train.sh
# The trainer is train.py of the folder it is started in, or else of this script's own; or the
# script and arguments given here. Its logs are logs/train.log and logs/pserver.log there.
# PADDLE_INIT_PORT, _PORTS_NUM, _PORTS_NUM_FOR_SPARSE, _USE_GPU, _TRAINER_COUNT and NICS may be set
# (mpirun -x PADDLE_INIT_PORT=7200 ...). The exit status is the trainer's.
# PADDLE_SERVER_SCRIPT: the server is this script, as in jobs of Fluid, and both are told who they are
# in the words of Fleet (TRAINING_ROLE and others).
[ $# -gt 0 ] || set -- train.py
[ -f "$1" ] || cd "$(dirname "$0")" || exit 1

say() { echo "start_mpi_train.sh: rank ${rank:-?} on $(hostname): $*" >&2; }
refuse() {
    say "$*"
    exit 2
}

# ---- who we are, and where the servers are ----
if [ -n "$OMPI_COMM_WORLD_RANK" ]; then
    rank=$OMPI_COMM_WORLD_RANK size=$OMPI_COMM_WORLD_SIZE here=$OMPI_COMM_WORLD_LOCAL_SIZE
    spread="start mpirun with --map-by node, or write 'slots=1' after each host of the hostfile, or
put 'rmaps_base_mapping_policy = node' into ~/.openmpi/mca-params.conf"
    [ -f machines ] || refuse "there is no file machines in $PWD: copy the hostfile there"
    hosts=$(sed 's/#.*//' machines | awk 'NF { print $1 }')
elif [ -n "$SLURM_PROCID" ]; then
    rank=$SLURM_PROCID size=$SLURM_STEP_NUM_TASKS here=1
    [ "$SLURM_STEP_NUM_TASKS" = "$SLURM_STEP_NUM_NODES" ] || here=2
    spread="start srun with --ntasks-per-node=1 and as many nodes (-N) as tasks (-n)"
    hosts=$(scontrol show hostnames "$SLURM_STEP_NODELIST") || refuse "scontrol failed"
    export OMPI_COMM_WORLD_RANK=$rank # by which train.py of an Open MPI job knows itself
else
    refuse "start this with mpirun or srun: neither OMPI_COMM_WORLD_RANK nor SLURM_PROCID is set"
fi
if [ "$here" -gt 1 ]; then
    refuse "there is more than one rank on a host, and each needs the ports of a server: $spread"
fi
count=$(echo "$hosts" | wc -l)
[ "$count" -eq "$size" ] ||
    refuse "$count hosts are listed, but there are $size ranks: one for each is needed (-n $count)"
[ -f "$1" ] || refuse "there is no $1 in $PWD"

if [ -z "$NICS" ] && [ -d /sys/class/net/eth0 ]; then NICS=eth0; fi
address() { # HOST: as an IP address; our own name may be a loopback address here alone
    ip=$(getent ahostsv4 "$1" | awk 'NR == 1 { print $1 }')
    case $ip in
        127.*) ip=$(ip -o -4 addr show dev "${NICS:-eth0}" 2>/dev/null |
            awk 'NR == 1 { sub("/.*", "", $4); print $4 }') ;;
    esac
    echo "${ip:-$1}"
}
PADDLE_INIT_PSERVERS=$(for host in $hosts; do address "$host"; done | paste -sd ,)
PADDLE_INIT_NUM_GRADIENT_SERVERS=$size
PADDLE_INIT_TRAINER_ID=$rank
PADDLE_CLUSTER_TRAIN=True
: "${PADDLE_INIT_PORT:=7164}" "${PADDLE_INIT_PORTS_NUM:=1}" "${PADDLE_INIT_PORTS_NUM_FOR_SPARSE:=1}"
: "${PADDLE_INIT_USE_GPU:=False}" "${PADDLE_INIT_TRAINER_COUNT:=1}"
export PADDLE_INIT_PSERVERS PADDLE_INIT_NUM_GRADIENT_SERVERS PADDLE_INIT_TRAINER_ID \
    PADDLE_CLUSTER_TRAIN PADDLE_INIT_PORT PADDLE_INIT_PORTS_NUM PADDLE_INIT_PORTS_NUM_FOR_SPARSE \
    PADDLE_INIT_USE_GPU PADDLE_INIT_TRAINER_COUNT

# ---- the server and the trainer ----
below() { # PID: what it has started, and those too
    for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
        echo "$child"
        below "$child"
    done
}
end() { # PID...: SIGTERM to them and all they have started, SIGKILL after 3 seconds
    all="$* $(for pid; do below "$pid"; done)"
    kill -TERM $all 2>/dev/null
    for _ in {1..30}; do
        kill -0 $all 2>/dev/null || return
        sleep 0.1
    done
    kill -KILL $all 2>/dev/null
}
stop() { # STATUS: a signal has come
    trap '' TERM INT HUP
    end $trainer $server
    exit "$1"
}
trainer='' server=''
trap 'stop 143' TERM
trap 'stop 130' INT
trap 'stop 129' HUP
mkdir -p logs || exit 1
if [ -n "$PADDLE_SERVER_SCRIPT" ]; then
    PADDLE_PSERVERS_IP_PORT_LIST=$(echo "$PADDLE_INIT_PSERVERS," | sed "s/,/:$PADDLE_INIT_PORT,/g; s/,$//")
    export PADDLE_PSERVERS_IP_PORT_LIST PADDLE_TRAINERS_NUM=$size PADDLE_TRAINERS=$size
    export PADDLE_TRAINER_ID=$rank PADDLE_PORT=$PADDLE_INIT_PORT TRAINING_ROLE=TRAINER
    POD_IP=$(echo "$PADDLE_INIT_PSERVERS" | cut -d , -f $((rank + 1)))
    export POD_IP
    TRAINING_ROLE=PSERVER paddle python "$PADDLE_SERVER_SCRIPT" < /dev/null > logs/pserver.log 2>&1 &
else
    paddle pserver --num_gradient_servers="$size" --nics="$NICS" --port="$PADDLE_INIT_PORT" \
        --ports_num="$PADDLE_INIT_PORTS_NUM" \
        --ports_num_for_sparse="$PADDLE_INIT_PORTS_NUM_FOR_SPARSE" \
        --comment=paddle_cluster_pserver < /dev/null > logs/pserver.log 2>&1 &
fi
server=$!
paddle python "$@" < /dev/null > logs/train.log 2>&1 &
trainer=$!
failed() { # WHO STATUS LOG OTHER
    say "the $1 ended with status $2; the last lines of $PWD/$3:"
    tail -n 20 "$3" >&2
    end "$4"
    exit "$2"
}
wait -n "$server" "$trainer"
status=$?
if kill -0 "$trainer" 2>/dev/null; then # the server was first
    [ $status -eq 0 ] || failed server $status logs/pserver.log "$trainer"
fi
wait "$trainer"
status=$?
[ $status -eq 0 ] || failed trainer $status logs/train.log "$server"

# Others may be training still: our server ends by itself when all trainers have left. One that nobody
# has been connected to for a minute is not waited for: train.py did not use it.
used() {
    for ((i = 0; i < PADDLE_INIT_PORTS_NUM + PADDLE_INIT_PORTS_NUM_FOR_SPARSE; i++)); do
        grep -qi "^ *[0-9]*: [0-9a-f]*:$(printf %04x $((PADDLE_INIT_PORT + i))) [0-9a-f:]* 01 " \
            /proc/net/tcp /proc/net/tcp6 2>/dev/null && return 0
    done
    return 1
}
unused=0 waited=0
while kill -0 "$server" 2>/dev/null && [ $unused -lt 300 ]; do
    if used; then unused=0; else unused=$((unused + 1)); fi
    waited=$((waited + 1))
    [ $((waited % 300)) -eq 50 ] && say "its trainer is done; its server waits for the other trainers"
    sleep 0.2 &
    wait $! # so that a signal is heard at once
done
if kill -0 "$server" 2>/dev/null; then
    say "nobody uses the server any more: it is ended"
    end "$server"
fi
exit 0
