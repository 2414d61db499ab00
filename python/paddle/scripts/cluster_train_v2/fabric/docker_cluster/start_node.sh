#!/bin/sh
# What a container of the demo cluster runs: root is let in by the key in a mounted secret; then sshd,
# or the command it is given.
set -eu
key=${KEY_FOLDER:-/etc/cluster-ssh-key}
if [ ! -f "$key/id_rsa.pub" ]; then
    echo "start_node.sh: there is no $key/id_rsa.pub: run make_keys.sh first" >&2
    exit 1
fi
mkdir -p /root/.ssh /run/sshd
cp "$key/id_rsa.pub" /root/.ssh/authorized_keys
chmod 700 /root/.ssh
chmod 600 /root/.ssh/authorized_keys
ssh-keygen -A
# Sessions find what the container finds: sshd has a PATH of its own otherwise.
[ $# -gt 0 ] || set -- /usr/sbin/sshd -D -e -o "SetEnv=PATH=$PATH"
exec "$@"
