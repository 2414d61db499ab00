#!/bin/sh
# Makes the key by which the launcher logs in to the demo cluster: ssh/id_rsa and ssh/id_rsa.pub, here,
# and gives its public half to the cluster as the secret that ssh_servers.yaml names.
# Keys are made for each cluster, and are not for keeping in a repository.
set -eu
cd "$(dirname "$0")"
umask 077
if [ ! -f ssh/id_rsa ]; then
    mkdir -p ssh
    ssh-keygen -q -t rsa -b 3072 -N '' -C paddle -f ssh/id_rsa
fi
if command -v kubectl > /dev/null; then
    kubectl create secret generic cluster-ssh-key --from-file=ssh/id_rsa.pub
else
    echo "make_keys.sh: there is no kubectl here; ssh/ has the keys" >&2
fi
