#!/bin/sh
# Fail where a file uses what the project does not: functions that cannot be used safely,
# time and chance outside their modules, memory and files outside theirs.
# Usage: check_banned.sh ROOT
set -eu
cd "${1:-.}"
bad=0
ban() { # WHY PATTERN FILES...
    why=$1 pattern=$2
    shift 2
    if grep -nE "$pattern" "$@" /dev/null; then
        echo "  ^ $why" >&2
        bad=1
    fi
}
all=$(find src python/_core -name '*.[ch]')
ban 'unbounded or unchecked; use rg_buf, snprintf, strtol' \
    '\b(strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|sscanf|strtok)\(' $all
ban 'chance comes from base/philox.h' '\b(rand|srand|random|drand48)\(' $all
ban 'a shell is never started' '\b(system|popen)\(' $all
ban 'time comes from sys/clock.h' '\b(time|gettimeofday|clock_gettime|localtime)\(' \
    $(echo "$all" | grep -v '^src/sys/clock.c')
ban 'memory comes from base/mem.h' '\b(malloc|calloc|realloc|strdup)\(' \
    $(echo "$all" | grep -vE '^src/base/mem.c')
ban 'files are opened and renamed in sys/ only' '\b(fopen|open|rename|unlink|mkdir)\(' \
    $(echo "$all" | grep -vE '^src/sys/|\.h$')
# Sources of the kind that users wrote long ago, and the test that writes more of them, are data.
ours=$(find python/paddle tests bench -name '*.py' ! -path 'tests/v1/python2/old/*' \
    ! -name test_python2.py 2>/dev/null || true)
# A demo reads the pickles that it wrote itself: its word_dict.pickle is what users know.
ban 'Python runs no code from data' '\bpickle\.loads?\(' $ours
# Methods may be called eval: those of fluid.metrics are.
ban 'Python runs no text as code and no shell' \
    '(^|[=(,:[{]|return|yield) *(eval|exec)\(|shell=True|os\.system\(|os\.popen\(' \
    $ours $(find demo -name '*.py')
exit $bad
