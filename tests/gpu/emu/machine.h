/* machine.h - what runs a kernel's threads: fibers of one block, or of the blocks of one cluster,
 * side by side. Who waits says for what, so that a kernel that cannot go on is found and told. */
#ifndef RG_EMU_MACHINE_H
#define RG_EMU_MACHINE_H

#include "emu.h"

#include <setjmp.h>
#include <ucontext.h>

enum { MOST = 1024, STACK = 64 << 10, MOST_BLOCKS = 8, MOST_NAMED = 16 };
/* Of shared memory, in bytes: what a launch may ask for; what lies around it, and is looked at. The
 * first byte is aligned as RG_DYNAMIC promises, and no better. */
enum { MOST_SHARED = 227 << 10, BEFORE = 1024 + 128, BEHIND = 1024 };

/* Threads that meet: a block, a warp, a cluster, or so many as a named barrier is for. */
struct meeting {
    int alive, arrived;
    unsigned round;
    const char *name;
};

/* What a fiber waits for; `come` is NULL: for nothing. */
struct awaited {
    bool (*come)(const void *on, uint64_t than);
    void (*tell)(const void *on, uint64_t than); /* prints what it is, and how far */
    const void *on;
    uint64_t than;
};

/* A fiber begins as a context, and is changed from and to by jumps, which call no system. */
struct fiber {
    jmp_buf here;
    ucontext_t context;
    char *stack;
    dim3 at, block;
    int rank, index; /* of its block in the cluster; in its block */
    bool begun, done;
    awaited wait;
};

struct block {
    meeting all, named[MOST_NAMED];
    uint8_t *memory; /* BEFORE, shared memory, BEHIND */
    uint8_t *shown;  /* the same as copies and products see it: what threads wrote is not there
                        before one of them has called show() */
};

struct machine {
    jmp_buf scheduler;
    fiber fibers[MOST];
    meeting cluster, warps[MOST / 32];
    block blocks[MOST_BLOCKS];
    unsigned still[MOST / 32]; /* for so many turns a warp does not go on */
    uint64_t given[MOST];
    int now, size, each; /* the fiber that runs; blocks of a cluster, and threads of each */
    unsigned bytes;      /* of shared memory */
    uint64_t chance;
    bool barriers, groups; /* the launch said that there are some */
    void (*run)(void *);
    void *kernel;
};

extern thread_local machine *emu_machine;

[[noreturn]] void emu_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True once in `times`, by EMU_SEED. */
bool emu_happens(unsigned times);
void emu_wait(const awaited &wait);
void emu_meet(meeting *with);

/* ---- copies.cpp ---- */

/* Of a thread that ends. */
void emu_forget_copies(void);

/* ---- group.cpp ---- */

/* Some of the copies under way get further; false: there are none. at_least: one does. */
bool emu_copies_go_on(bool at_least);
/* What must not be left by a thread that ends, and by a cluster. */
void emu_end_of_thread(void);
void emu_end_of_cluster(void);

#endif
