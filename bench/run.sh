#!/usr/bin/env bash
# run.sh [CASE...] - measure against the peers in this run and print ratios. Machines are noisy:
# runs alternate, figures are per CPU-second, and the best of each side is compared.
# Cases: fit_a_line word2vec mlp build import memory parse start models ctr ps loops v2 paddlerec (all of them
# unless named), bf16; of models, ctr, ps and v2 also one alone: models-autoint models-ffm models-nce, ctr-memory
# ctr-torch ctr-bf16 ctr-bound ctr-threads ctr-queue ctr-raw ctr-adam ctr-feed ctr-ranks ctr-watch ctr-rss, ps-journal ps-sync ps-async
# ps-recovery ps-half_async ps-geo ps-adam ps-p26 ps-bytes ps-fp16 ps-int8 ps-step ps-memory, v2-local v2-cluster
# v2-pserver.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ours=$here/../.venv/bin/python
. "$here/peers.sh"
export OMP_NUM_THREADS=1 CPU_NUM=1 GLOG_v=0
rounds=${ROUNDS:-3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$here"

field() { sed -n 's/.*"'"$1"'": \([0-9.e+-]*\).*/\1/p'; }

best() { # FILE: the largest "best" in it
    field best < "$1" | sort -g | tail -1
}

compare() { # TITLE BAR UNIT PEER-NAME PEER-PYTHON PEER-ARGS... -- OUR-ARGS...
    local title=$1 bar=$2 unit=$3 peer=$4 python=$5 theirs=() r
    shift 5
    while [ "$1" != -- ]; do theirs+=("$1"); shift; done
    shift
    [ -n "$python" ] || { echo "$title: no $peer to compare with"; return; }
    : > "$tmp/a"; : > "$tmp/b"
    for r in $(seq "$rounds"); do
        "$python" "${theirs[@]}" 2>/dev/null | grep '^{' >> "$tmp/b" || true
        "$ours" "$@" | grep '^{' >> "$tmp/a"
    done
    awk -v t="$title" -v p="$peer" -v u="$unit" -v bar="$bar" -v a="$(best "$tmp/a")" \
        -v b="$(best "$tmp/b")" 'BEGIN {
            if (!b) { printf "%s: %s did not run\n", t, p; exit }
            printf "%s: ours %.0f, %s %.0f %s: %.1fx (bar %sx)\n", t, a, p, b, u, a / b, bar }'
}

run_case() {
    case $1 in
    fit_a_line)
        compare "fit_a_line" 150 "steps/s" "Paddle 1.8.5" "$P185" fit_a_line.py fluid 2 -- fit_a_line.py fluid 3
        compare "fit_a_line" 25 "steps/s" "PyTorch" "$PT" fit_a_line.py torch 2 -- fit_a_line.py fluid 3 ;;
    word2vec)
        compare "word2vec N-gram" 4 "examples/s" "Paddle 1.8.5" "$P185" word2vec.py fluid 32 2 -- word2vec.py fluid 32 3
        compare "word2vec N-gram" 1.8 "examples/s" "PyTorch" "$PT" word2vec.py torch 32 2 -- word2vec.py fluid 32 3 ;;
    models) for one in autoint ffm nce; do run_case "models-$one"; done ;;
    models-*)
        local kind=${1#models-} form
        for form in "" --dense; do
            compare "$kind${form:+, dense}, whole" 2 "runs/1000 s" "Paddle 1.8.5" "$P185" \
                models.py --kind "$kind" $form -- models.py --kind "$kind" $form
        done ;;
    mlp) "$ours" mlp.py ../build/bare_gemms ;;
    build)
        compare "building 5000 ops" 15 "ops/s" "Paddle 1.8.5" "$P185" build_program.py -- build_program.py ;;
    import) for _ in 1 2 3; do "$ours" import_cost.py; done | sort -t: -k2 -g | head -1 ;;
    memory)
        "$ours" fit_a_line.py fluid 1 | field rss_mb |
            awk '{ printf "memory: peak RSS of fit_a_line %.0f MB (bar 80)\n", $1 }' ;;
    parse)
        for _ in $(seq "$rounds"); do ../build/bench_parse; done | field best | sort -g | tail -1 |
            awk '{ printf "multi-slot text: %.0f MB/s on one core (bar 700)\n", $1 }' ;;
    start)
        for kind in uniform normal truncated; do
            compare "initial values, $kind" 4 "M/s" "Paddle 1.8.5" "$P185" initial_values.py $kind -- \
                initial_values.py $kind
        done ;;
    bf16) # by itself, and the products of its layers by the layout of what is multiplied
        run_case ctr-bf16
        ../build/bf16_products 512 273 400 400 400 ;;
    ctr | ctr-*)
        local data=$PEERS/ctr-data only=${1#ctr}
        PATH="$here/../.venv/bin:$PATH" "$ours" ctr/data.py "$data"
        P185=$P185 PT=$PT PATH="$here/../.venv/bin:$PATH" FLAGS_progress=off \
            "$ours" ctr/compare.py "$data" "$here/../build/bare_gemms" ${only:+"${only#-}"} ;;
    ps-recovery) "$ours" ps/recovery.py ;;
    ps | ps-*)
        local data=$PEERS/ctr-data only=${1#ps}
        PATH="$here/../.venv/bin:$PATH" "$ours" ctr/data.py "$data"
        P185=$P185 P26=${P26:-} PATH="$here/../.venv/bin:$PATH" FLAGS_progress=off \
            "$ours" ps/compare.py "$data" "$here/../build/sparse_table" ${only:+"${only#-}"} ;;
    loops) # of one server: pushes of 8 workers
        for mode in async sync; do ../build/serve_loops 4 8 2 $mode | sed 's/$/ (bar 3x)/'; done ;;
    v2 | v2-*)
        local only=${1#v2}
        P185=$P185 "$ours" v2/compare.py "$here/../build/paddle" ${only:+"${only#-}"} ;;
    paddlerec) ./paddlerec.sh ;;
    *) echo "no case $1" >&2; exit 2 ;;
    esac
}

for c in "${@:-fit_a_line word2vec mlp build import memory parse start models ctr ps loops v2 paddlerec}"; do
    for one in $c; do run_case "$one"; done
done
