/* runtime.h - what there is of the emulated GPUs' memory, streams and events, and how much memory
 * there may be: for tests of what src/gpu keeps of them. */
#ifndef RG_EMU_RUNTIME_H
#define RG_EMU_RUNTIME_H

#include <stddef.h>

typedef struct emu_use {
    int streams, events, graphs, blocks; /* that there are now */
    size_t bytes;                        /* of blocks */
    int refused;                         /* blocks that were asked for in vain */
} emu_use;
extern emu_use emu_now;
/* No block may be larger. */
extern size_t emu_largest;

#endif
