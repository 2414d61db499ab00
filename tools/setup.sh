#!/usr/bin/env bash
# Install what the project needs: Debian packages (as root, or with sudo) and a Python
# environment in .venv. Quick when there is nothing to do. Usage: setup.sh [demo|site|test]
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-build}

packages=(gcc make cmake ninja-build pkg-config git python3 python3-venv python3-dev
          libopenblas-dev libdnnl-dev libprotobuf-c-dev protobuf-c-compiler libuv1-dev libssl-dev
          zlib1g-dev libmicrohttpd-dev libcmocka-dev librocksdb-dev)
# Tests start clusters of their own on hosts in namespaces: what such hosts run.
services=(openssh-server openmpi-bin slurm-wlm munge)
[ "$what" = test ] && packages+=(openssh-client iproute2 zsh fish man-db chromium chromium-driver "${services[@]}")
missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "setup: run as root, or install sudo: these packages are missing: ${missing[*]}" >&2
            exit 1
        }
        as_root=(sudo)
    fi
    echo "setup: installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    # No service of theirs starts on this machine, neither now nor when it boots.
    policy=/usr/sbin/policy-rc.d
    if [ "$what" = test ] && [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee $policy >/dev/null
        "${as_root[@]}" chmod +x $policy
        trap '"${as_root[@]}" rm -f $policy' EXIT
    fi
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null
    if command -v systemctl >/dev/null; then
        for p in "${missing[@]}"; do
            case $p in
                openssh-server) "${as_root[@]}" systemctl -q disable ssh ;;
                slurm-wlm) "${as_root[@]}" systemctl -q disable slurmd slurmctld ;;
                munge) "${as_root[@]}" systemctl -q disable munge ;;
            esac
        done 2>/dev/null || true
    fi
fi

if [ ! -x .venv/bin/python ]; then
    python3 -m venv .venv
fi
# numpy below 2.4: scripts of the time write float(loss) of an array of shape [1].
# six: scripts of the time import it, as real Paddle brought it along.
# fissix: translates Python 2 sources (paddle python, paddle train). pyyaml: paddle k8s.
# fabric: the launchers over SSH.
need=('numpy<2.4' six fissix pyyaml fabric)
[ "$what" = demo ] && need+=(matplotlib)
# protobuf: the pages list every public name, those of framework_pb2 too.
[ "$what" = site ] && need+=(mkdocs mkdocs-material protobuf)
[ "$what" = test ] && need+=(pytest pillow protobuf matplotlib kubernetes-validate kubeflow-training
                              prometheus_client tensorboard selenium nbclient ipykernel mypy mkdocs
                              mkdocs-material)
for p in "${need[@]}"; do
    name=${p%%[<=>]*}
    case $name in
        pillow) module=PIL ;;
        protobuf) module=google.protobuf ;;
        pyyaml) module=yaml ;;
        mkdocs-material) module=material ;;
        kubeflow-training) module=kubeflow.training ;;
        *) module=${name//-/_} ;;
    esac
    .venv/bin/python -c "import $module" 2>/dev/null ||
        .venv/bin/pip install -q --disable-pip-version-check "$p"
done

# The tree itself is the installation: paddle is imported from python/, and the command
# is the one that was built.
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
echo "$PWD/python" > "$site/regatta.pth"
ln -sfn "$PWD/build/paddle" .venv/bin/paddle
