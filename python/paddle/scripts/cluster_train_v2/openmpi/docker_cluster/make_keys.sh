#!/bin/sh
# Makes the key by which the nodes of the demo cluster let each other in: ssh/id_rsa.mpi and
# ssh/id_rsa.mpi.pub, here, and gives it to the cluster as the secret that the YAML files name.
# Keys are made for each cluster, and are not for keeping in a repository.
set -eu
cd "$(dirname "$0")"
umask 077
if [ ! -f ssh/id_rsa.mpi ]; then
    mkdir -p ssh
    ssh-keygen -q -t rsa -b 3072 -N '' -C tutorial -f ssh/id_rsa.mpi
fi
if command -v kubectl > /dev/null; then
    kubectl create secret generic mpi-ssh-key --from-file=ssh/id_rsa.mpi \
        --from-file=ssh/id_rsa.mpi.pub
else
    echo "make_keys.sh: there is no kubectl here; ssh/ has the keys" >&2
fi
