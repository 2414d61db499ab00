#!/bin/sh
# Print registry_list.c: every `const rg_op rg_op_NAME = {` and every family
# `const rg_op rg_ops_NAME[] = {` in the given files, sorted, so that adding an
# operator means adding one file.
set -eu
ops=$(sed -n 's/^const rg_op \(rg_op_[a-z0-9_]*\) = {$/\1/p' "$@" | LC_ALL=C sort)
families=$(sed -n 's/^const rg_op \(rg_ops_[a-z0-9_]*\)\[\] = {$/\1/p' "$@" | LC_ALL=C sort)
echo '/* Made by tools/gen_registry.sh; not edited, not committed. */'
echo '#include "ir/op.h"'
for op in $ops; do echo "extern const rg_op $op;"; done
for op in $families; do echo "extern const rg_op $op[];"; done
echo 'typedef struct rg_op_list { const rg_op *ops; bool family; } rg_op_list;'
echo 'extern const rg_op_list rg_op_lists[];'
echo 'const rg_op_list rg_op_lists[] = {'
for op in $ops; do echo "    {&$op, false},"; done
for op in $families; do echo "    {$op, true},"; done
echo '    {NULL, false},'
echo '};'
