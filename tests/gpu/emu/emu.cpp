/* emu.cpp - blocks one after the other, their threads as fibers. */
#include "emu.h"

#include <ucontext.h>

thread_local dim3 emu_thread, emu_block, emu_threads, emu_blocks;

enum { MOST = 1024, STACK = 64 << 10 };

/* Threads that meet: a block, or a warp. */
struct meeting {
    int alive, arrived;
    unsigned round;
};

struct fiber {
    ucontext_t context;
    char *stack;
    dim3 at;
    bool done;
};

struct machine {
    ucontext_t scheduler;
    fiber fibers[MOST];
    meeting block, warp[MOST / 32];
    uint64_t given[MOST];
    int now;
    void (*run)(void *);
    void *kernel;
    bool barriers; /* the launch said that there are some */
};

static thread_local machine *m;

static void yield(void)
{
    int me = m->now;
    swapcontext(&m->fibers[me].context, &m->scheduler);
    emu_thread = m->fibers[me].at;
}

static void meet(meeting *with)
{
    unsigned round = with->round;
    if (!m->barriers) {
        fprintf(stderr, "emulation: a barrier in a kernel that RG_LAUNCH started; "
                        "it must be RG_LAUNCH_SYNC\n");
        abort();
    }
    if (++with->arrived == with->alive) {
        with->arrived = 0;
        with->round++;
        return;
    }
    while (with->round == round)
        yield();
}

static void leave(meeting *with)
{
    if (--with->alive > 0 && with->arrived == with->alive) {
        with->arrived = 0;
        with->round++;
    }
}

void emu_barrier(void)
{
    meet(&m->block);
}

uint64_t emu_exchange(uint64_t mine, unsigned from)
{
    int me = m->now, warp = me / 32;
    m->given[me] = mine;
    meet(&m->warp[warp]);
    uint64_t theirs = m->given[warp * 32 + (int)from];
    meet(&m->warp[warp]);
    return theirs;
}

static void begin(void)
{
    int me = m->now;
    m->run(m->kernel);
    m->fibers[me].done = true;
    leave(&m->warp[me / 32]);
    leave(&m->block);
}

static void run_block(int n)
{
    m->block = {n, 0, 0};
    for (int w = 0; w * 32 < n; w++)
        m->warp[w] = {n - w * 32 < 32 ? n - w * 32 : 32, 0, 0};
    for (int i = 0; i < n; i++) {
        fiber *f = &m->fibers[i];
        if (f->stack == NULL)
            f->stack = (char *)malloc(STACK);
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = f->stack;
        f->context.uc_stack.ss_size = STACK;
        f->context.uc_link = &m->scheduler;
        f->done = false;
        f->at = dim3((unsigned)i % emu_threads.x, (unsigned)i / emu_threads.x % emu_threads.y,
                     (unsigned)i / (emu_threads.x * emu_threads.y));
        makecontext(&f->context, begin, 0);
    }
    for (int left = n; left > 0;)
        for (int i = 0; i < n; i++) {
            if (m->fibers[i].done)
                continue;
            m->now = i;
            emu_thread = m->fibers[i].at;
            swapcontext(&m->scheduler, &m->fibers[i].context);
            left -= m->fibers[i].done;
        }
}

void emu_launch(dim3 blocks, dim3 threads, bool fibers, void (*run)(void *), void *kernel)
{
    int n = (int)(threads.x * threads.y * threads.z);
    if (n < 1 || n > MOST || blocks.x < 1 || blocks.y < 1 || blocks.z < 1 || blocks.y > 65535 ||
        blocks.z > 65535 || blocks.x > 0x7fffffff) {
        fprintf(stderr, "emulation: a launch of %u x %u x %u blocks of %d threads\n", blocks.x,
                blocks.y, blocks.z, n);
        abort();
    }
    if (m == NULL)
        m = (machine *)calloc(1, sizeof *m);
    m->run = run;
    m->kernel = kernel;
    m->barriers = fibers;
    emu_threads = threads;
    emu_blocks = blocks;
    for (unsigned z = 0; z < blocks.z; z++)
        for (unsigned y = 0; y < blocks.y; y++)
            for (unsigned x = 0; x < blocks.x; x++) {
                emu_block = dim3(x, y, z);
                if (fibers) {
                    run_block(n);
                    continue;
                }
                for (int i = 0; i < n; i++) {
                    emu_thread = dim3((unsigned)i % threads.x, (unsigned)i / threads.x % threads.y,
                                      (unsigned)i / (threads.x * threads.y));
                    run(kernel);
                }
            }
}
