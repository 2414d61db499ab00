# peers.sh - sourced: the environments of the peers, made once under $PEERS from PyPI.
# Sets P185 (Paddle 1.8.5), PT (PyTorch), P26 (Paddle 2.6.2); empty where one cannot be had,
# with a line that says what is missing.
PEERS=${PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/regatta-peers}
mkdir -p "$PEERS"

find_python() { # VERSION: a Python of that minor version, from pyenv or the system
    local p
    for p in "$(command -v "python$1" || true)" \
        "$(pyenv root 2>/dev/null)"/versions/"$1".*/bin/python; do
        [ -x "$p" ] && "$p" -c 'import venv' 2>/dev/null && { echo "$p"; return; }
    done
}

peer() { # NAME PYTHON-VERSION PACKAGE...: prints the environment's Python
    local name=$1 version=$2 python log="$PEERS/$1.log"
    shift 2
    if [ ! -e "$PEERS/$name/ok" ]; then
        python=$(find_python "$version")
        if [ -z "$python" ]; then
            echo "bench: $name needs Python $version (e.g. pyenv install $version)" >&2
            return
        fi
        if ! { "$python" -m venv "$PEERS/$name" &&
            "$PEERS/$name/bin/pip" install -q "$@" && ln -sf /bin/true "$PEERS/$name/ok"; } \
            > "$log" 2>&1; then
            echo "bench: $name could not be installed: see $log" >&2
            return
        fi
    fi
    echo "$PEERS/$name/bin/python"
}

P185=$(peer p185 3.7 paddlepaddle==1.8.5 'protobuf<3.21')
PT=$(peer pt 3.11 torch numpy)
[ -z "${WITH_P26:-}" ] || P26=$(peer p26 3.10 paddlepaddle==2.6.2 'numpy<2' setuptools protobuf==3.20.3)
# The MKL inside Paddle takes its slowest path on processors that are not Intel's, unless told.
# AS_INSTALLED=1: Paddle as whoever installs it has it.
if grep -q AuthenticAMD /proc/cpuinfo && [ -z "${AS_INSTALLED:-}" ]; then
    export MKL_DEBUG_CPU_TYPE=5
fi
