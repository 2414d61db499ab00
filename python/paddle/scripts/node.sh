#!/bin/sh
# What the SSH launcher (ssh_cluster.py) does on a node. It is put into a job's folder as
# .paddle_job/node.sh, so that `ps` on a node shows which job a process belongs to.
# Usage: node.sh check|clean|base|prepare|run ...; see the functions.
# Folder .paddle_job of a job: NAME.pid for each process that runs (pid, when it started, and the
# same of the node.sh that watches it), manifest (sha256sum's format), package (whose files).
set -u

started() { # PID: when it started, since a pid is given again; nothing where it does not run
    set -- $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null)
    [ "${1:-Z}" = Z ] || echo "${20}"
}

runs() { # PID STARTED
    [ -n "$1" ] && [ "$(started "$1")" = "$2" ]
}

end_group() { # PID: SIGTERM to its group, SIGKILL to what is left of it after 5 seconds
    kill -s TERM -- "-$1" 2>/dev/null || return 0
    tries=50
    while [ $tries -gt 0 ] && kill -s 0 -- "-$1" 2>/dev/null; do
        sleep 0.1
        tries=$((tries - 1))
    done
    kill -s KILL -- "-$1" 2>/dev/null
    return 0
}

listens() { # PORT: whether somebody does, on any address
    grep -qi "^ *[0-9]*: [0-9a-f]*:$(printf %04x "$1") [0-9a-f]*:0000 0a " \
        /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

check() { # ROOT_DIR NICS FOLDER: says what is here; changes nothing
    if command -v paddle > /dev/null; then
        if said=$(paddle version 2>&1); then
            echo "version $(echo "$said" | tr '\n' ' ')"
        else
            echo "broken $(echo "$said" | tail -n 3 | tr '\n' ' ')"
        fi
    fi
    [ -d "$1" ] && echo "root yes"
    [ -w "$1" ] && echo "writable yes"
    [ -n "$3" ] && [ -d "$3" ] && echo "workspace yes"
    [ -n "$3" ] && [ -w "$3" ] && echo "workspace_writable yes"
    [ -n "$3" ] && [ -f "$3/train.py" ] && echo "script yes"
    echo "interfaces $(ls /sys/class/net | tr '\n' ' ')"
    for nic in $(echo "$2" | tr ',' ' '); do
        [ -d "/sys/class/net/$nic" ] || echo "no_nic $nic"
        echo "addresses $(ip -o -4 addr show dev "$nic" 2>/dev/null |
            sed 's/.* inet \([0-9.]*\).*/\1/' | tr '\n' ' ')"
    done
    for tool in tar sha256sum setsid timeout; do
        command -v $tool > /dev/null || echo "no_tool $tool"
    done
}

clean() { # ROOT_DIR FOLDER PORT...: ends what an earlier job left; says which ports are taken
    root=$1 workspace=$2
    shift 2
    for file in "$workspace"/.paddle_job/*.pid "$root"/JOB*/.paddle_job/*.pid; do
        [ -f "$file" ] || continue
        read -r pid at watcher watched < "$file" || continue
        folder=${file%/.paddle_job/*}
        if ! runs "$pid" "$at"; then
            rm -f "$file"
        elif [ "$folder" = "$workspace" ] || ! runs "$watcher" "$watched" ||
            [ -n "$(find "$file" -mmin +1)" ]; then # no dot for a minute
            end_group "$pid"
            if runs "$pid" "$at"; then # another user's
                echo "busy $folder"
            else
                rm -f "$file"
                echo "ended $(basename "$file" .pid) $folder"
            fi
        else
            echo "busy $folder"
        fi
    done
    for port in "$@"; do
        listens "$port" && echo "taken $port"
    done
    return 0
}

base() { # ROOT_DIR PACKAGE: the last job of the same package, and which of its files are whole
    for folder in $(ls -dr "$1"/JOB* 2>/dev/null); do
        if [ "$(cat "$folder/.paddle_job/package" 2>/dev/null)" = "$2" ] &&
            [ -f "$folder/.paddle_job/manifest" ]; then
            echo "$folder"
            cd "$folder" || return 1
            cat .paddle_job/manifest
            echo
            sha256sum --check .paddle_job/manifest 2>/dev/null
            return 0
        fi
    done
    return 0
}

prepare() { # FOLDER INDEX
    cd "$1" || return 1
    mkdir -p log .paddle_job || return 1
    rm -rf log/* || return 1
    echo "$2" > nodefile
}

# Runs a command in a group of its own until it ends or our own stdin does: that is the launcher's
# end of the line, and closes also where the launcher was killed. A launcher whose machine lost its
# power closes nothing: it sends a dot every 10 seconds, and 5 minutes without are the end too.
# Says "ready" once all PORTS are listened on, and "ended STATUS NOTE", where NOTE is whom the
# command blames (sys/because.h).
run() { # FOLDER NAME LIBRARIES PORTS COMMAND...
    cd "$1" || exit 1
    name=$2 libraries=$3 ports=$4
    shift 4
    IFS= read -r REGATTA_JOB_KEY # not in the arguments: all users see those
    REGATTA_BECAUSE=$PWD/.paddle_job/$name.because
    rm -f "$REGATTA_BECAUSE"
    export REGATTA_JOB_KEY REGATTA_BECAUSE
    if [ -n "$libraries" ]; then
        LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
    fi
    exec 3<&0 < /dev/null
    trap '' HUP INT
    trap 'end_group "$child"' TERM
    setsid "$@" > "./log/$name.log" 2>&1 3<&- &
    child=$!
    pid_file=.paddle_job/$name.pid
    echo "$child $(started $child) $$ $(started $$)" > "$pid_file"
    unset REGATTA_JOB_KEY LD_LIBRARY_PATH
    (
        trap - TERM
        while [ "$(timeout 300 head -c 1 <&3)" = . ]; do touch -c "$pid_file"; done
        end_group "$child"
    ) > /dev/null 2>&1 &
    line=$!
    exec 3<&-
    for port in $ports; do
        while ! listens "$port" && kill -s 0 "$child" 2>/dev/null; do sleep 0.05; done
    done
    kill -s 0 "$child" 2>/dev/null && echo ready
    wait "$child"
    status=$?
    while kill -s 0 "$child" 2>/dev/null; do # the wait was broken off by a signal
        wait "$child"
        status=$?
    done
    end_group "$child" # what it has started and left
    kill -s KILL "$line" 2>/dev/null
    case $(cat "$pid_file" 2>/dev/null) in # or is it a later job's?
        "$child "*) rm -f "$pid_file" ;;
    esac
    echo "ended $status $(cat "$REGATTA_BECAUSE" 2>/dev/null)"
}

"$@"
