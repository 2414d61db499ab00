#!/bin/sh
# Print a list of kernels: every `const rg_kernel rg_kernel_NAME = {` in the given files, sorted, so
# that a kernel for another device means adding one file.
set -eu
kernels=$(sed -n 's/^const rg_kernel \(rg_kernel_[a-z0-9_]*\) = {.*/\1/p' "$@" | LC_ALL=C sort)
echo '/* Made by tools/gen_kernels.sh; not edited, not committed. */'
echo '#include "ir/kernel.h"'
for kernel in $kernels; do echo "extern const rg_kernel $kernel;"; done
echo 'extern const rg_kernel *const rg_kernel_list[];'
echo 'const rg_kernel *const rg_kernel_list[] = {'
for kernel in $kernels; do echo "    &$kernel,"; done
echo '    NULL,'
echo '};'
