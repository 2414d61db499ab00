#!/bin/sh
# Print mode_list.c: every `const rg_mode rg_mode_NAME = {` in the given files, by the mode's number
# (`.number = N`), so that adding an update mode means adding one file. With --weak first the list
# gives way to another one: a test has its own, with a mode of its own.
set -eu
weak=
if [ "$1" = --weak ]; then
    weak='__attribute__((weak)) '
    shift
fi
modes=$(awk '/^const rg_mode rg_mode_[a-z0-9_]* = \{$/ { name = $3 }
             name != "" && /\.number = [0-9]+/ { sub(/.*\.number = /, ""); print $0 + 0, name; name = "" }' \
            "$@" | LC_ALL=C sort -n | cut -d' ' -f2)
echo '/* Made by tools/gen_modes.sh; not edited, not committed. */'
echo '#include "dist/mode.h"'
for mode in $modes; do echo "extern const rg_mode $mode;"; done
echo "${weak}const rg_mode *const rg_modes[] = {"
for mode in $modes; do echo "    &$mode,"; done
echo '    NULL,'
echo '};'
