#!/bin/sh
# What a container of the demo cluster runs: the key of the cluster (a mounted secret) becomes that of
# the user tutorial, who is let in by it and uses it to log in to the others; then sshd,
# or the command it is given.
set -eu
key=${KEY_FOLDER:-/etc/mpi-ssh-key}
home=/home/tutorial
if [ ! -f "$key/id_rsa.mpi" ]; then
    echo "start_node.sh: there is no $key/id_rsa.mpi: run make_keys.sh first" >&2
    exit 1
fi
mkdir -p "$home/.ssh" /run/sshd
cp "$key/id_rsa.mpi" "$home/.ssh/id_rsa"
cp "$key/id_rsa.mpi.pub" "$home/.ssh/authorized_keys"
# Pods come and go with keys of their own; whoever has the cluster's key may log in to any of them.
printf 'Host *\n    StrictHostKeyChecking no\n    UserKnownHostsFile /dev/null\n    LogLevel ERROR\n' \
    > "$home/.ssh/config"
chmod 700 "$home/.ssh"
chmod 600 "$home/.ssh"/*
chown -R tutorial: "$home/.ssh"
ssh-keygen -A
# Sessions find what the container finds: sshd has a PATH of its own otherwise.
[ $# -gt 0 ] || set -- /usr/sbin/sshd -D -e -o "SetEnv=PATH=$PATH"
exec "$@"
