/* emu.cpp - blocks one after the other, or those of a cluster side by side; threads as fibers. */
#include "machine.h"

#include <pthread.h>
#include <stdarg.h>

__thread dim3 emu_thread, emu_block, emu_threads, emu_blocks;
thread_local machine *emu_machine;

static thread_local machine *m;

void emu_wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "emulation: ");
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (block %u, thread %u)\n", emu_block.x, emu_thread.x);
    abort();
}

bool emu_happens(unsigned times)
{
    m->chance ^= m->chance << 13, m->chance ^= m->chance >> 7, m->chance ^= m->chance << 17;
    return (m->chance >> 20) % times == 0;
}

/* ---- waiting ---- */

void emu_wait(const awaited &wait)
{
    fiber *me = &m->fibers[m->now];
    if (wait.come(wait.on, wait.than))
        return;
    me->wait = wait;
    if (_setjmp(me->here) == 0)
        _longjmp(m->scheduler, 1);
}

static bool has_met(const void *on, uint64_t round)
{
    return ((const meeting *)on)->round != (unsigned)round;
}

static void tell_meeting(const void *on, uint64_t)
{
    const meeting *with = (const meeting *)on;
    fprintf(stderr, "to meet the others of its %s: %d of %d are there", with->name, with->arrived,
            with->alive);
}

static void open_door(meeting *with)
{
    with->arrived = 0;
    with->round++;
}

void emu_meet(meeting *with)
{
    unsigned round = with->round;
    if (!m->barriers)
        emu_wrong("a barrier in a kernel that RG_LAUNCH started; it must be RG_LAUNCH_SYNC");
    if (++with->arrived == with->alive)
        open_door(with);
    else
        emu_wait({has_met, tell_meeting, with, round});
}

static void leave(meeting *with)
{
    if (--with->alive > 0 && with->arrived == with->alive)
        open_door(with);
}

void emu_barrier(void)
{
    emu_meet(&m->blocks[m->fibers[m->now].rank].all);
}

uint64_t emu_exchange(uint64_t mine, unsigned from)
{
    int me = m->now, warp = me / 32;
    m->given[me] = mine;
    emu_meet(&m->warps[warp]);
    uint64_t theirs = m->given[warp * 32 + (int)from];
    emu_meet(&m->warps[warp]);
    return theirs;
}

/* ---- shared memory ---- */

float *emu_shared(void)
{
    return (float *)(m->blocks[m->fibers[m->now].rank].memory + BEFORE);
}

/* NaN wherever nobody wrote. */
static void clear_shared(block *b)
{
    const size_t all = BEFORE + MOST_SHARED + BEHIND + 896;
    if (b->memory == NULL)
        b->memory = (uint8_t *)aligned_alloc(1024, all);
    if (b->shown == NULL && m->groups)
        b->shown = (uint8_t *)aligned_alloc(1024, all);
    memset(b->memory, 0xff, BEFORE + m->bytes + BEHIND);
    if (m->groups)
        memset(b->shown, 0xff, BEFORE + m->bytes + BEHIND);
}

static void check_shared(const block *b)
{
    const uint8_t *behind = b->memory + BEFORE + m->bytes;
    for (int i = 0; i < BEFORE; i++)
        if (b->memory[i] != 0xff)
            emu_wrong("%d bytes before its shared memory a block wrote", BEFORE - i);
    for (int i = 0; i < BEHIND; i++)
        if (behind[i] != 0xff)
            emu_wrong("%d bytes behind its shared memory a block wrote", i);
}

/* What each GPU allows its kernels, as CUDA counts: of each by itself. */
enum { GPUS = 2, MOST_KERNELS = 256, PLAIN = 48 << 10 };
struct allowance {
    const void *kernel;
    unsigned bytes[GPUS];
};
static allowance allowances[MOST_KERNELS];
static pthread_mutex_t of_allowances = PTHREAD_MUTEX_INITIALIZER;
static thread_local int gpu;

extern "C" cudaError_t cudaGetDevice(int *number)
{
    *number = gpu;
    return cudaSuccess;
}

extern "C" cudaError_t cudaSetDevice(int number)
{
    if (number < 0 || number >= GPUS)
        return cudaErrorNotSupported;
    gpu = number;
    return cudaSuccess;
}

/* At least so much from now on; how much it is. */
static unsigned allow(const void *kernel, unsigned bytes)
{
    int i = 0;
    pthread_mutex_lock(&of_allowances);
    while (i < MOST_KERNELS - 1 && allowances[i].kernel != NULL && allowances[i].kernel != kernel)
        i++;
    unsigned *here = &allowances[i].bytes[gpu];
    allowances[i].kernel = kernel;
    *here = bytes > *here ? bytes : *here;
    bytes = *here;
    pthread_mutex_unlock(&of_allowances);
    return bytes;
}

void emu_allow(const void *kernel, int bytes)
{
    (void)allow(kernel, (unsigned)bytes);
}

static void check_allowed(const emu_grid &g)
{
    if (g.bytes > PLAIN && allow(g.of, 0) < g.bytes)
        emu_wrong("a launch with %u bytes of shared memory, which GPU %d does not allow", g.bytes,
                  gpu);
}

/* ---- running ---- */

static void begin(void)
{
    int me = m->now;
    m->run(m->kernel);
    emu_end_of_thread();
    emu_forget_copies();
    m->fibers[me].done = true;
    leave(&m->warps[me / 32]);
    leave(&m->blocks[m->fibers[me].rank].all);
    leave(&m->cluster);
    _longjmp(m->scheduler, 1);
}

static dim3 place_of_thread(unsigned i)
{
    return dim3(i % emu_threads.x, i / emu_threads.x % emu_threads.y,
                i / (emu_threads.x * emu_threads.y));
}

static void make_fiber(int number, int rank, int index, dim3 block)
{
    fiber *f = &m->fibers[number];
    if (f->stack == NULL)
        f->stack = (char *)malloc(STACK);
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK;
    f->at = place_of_thread((unsigned)index);
    f->block = block;
    f->rank = rank;
    f->index = index;
    f->begun = f->done = false;
    f->wait = {};
    makecontext(&f->context, begin, 0);
}

static void make_ready(dim3 first)
{
    int n = m->each;
    m->cluster = {m->size * n, 0, 0, "cluster"};
    for (int rank = 0; rank < m->size; rank++) {
        block *b = &m->blocks[rank];
        b->all = {n, 0, 0, "block"};
        for (int i = 0; i < MOST_NAMED; i++)
            b->named[i] = {0, 0, 0, "named barrier"};
        clear_shared(b);
        for (int i = 0; i < n; i++)
            make_fiber(rank * n + i, rank, i, dim3(first.x + (unsigned)rank, first.y, first.z));
    }
    for (int w = 0; w * 32 < m->size * n; w++)
        m->warps[w] = {m->size * n - w * 32 < 32 ? m->size * n - w * 32 : 32, 0, 0, "warp"};
}

/* Whether it could. */
static bool go_on(int number)
{
    fiber *f = &m->fibers[number];
    if (f->done || (f->wait.come != NULL && !f->wait.come(f->wait.on, f->wait.than)))
        return false;
    f->wait = {};
    m->now = number;
    emu_thread = f->at;
    emu_block = f->block;
    if (_setjmp(m->scheduler) != 0)
        return true;
    if (f->begun)
        _longjmp(f->here, 1);
    f->begun = true;
    setcontext(&f->context);
    return true;
}

/* Of many threads that wait for one thing the first is named. */
[[noreturn]] static void tell_who_waits(void)
{
    const awaited *last = NULL;
    fprintf(stderr, "emulation: no thread can go on:\n");
    for (int i = 0; i < m->size * m->each; i++) {
        const fiber *f = &m->fibers[i];
        if (f->done || (last && f->wait.on == last->on && f->wait.than == last->than))
            continue;
        last = &f->wait;
        fprintf(stderr, "  from thread %d of block %u on: waits ", f->index, f->block.x);
        f->wait.tell(f->wait.on, f->wait.than);
        fprintf(stderr, "\n");
    }
    abort();
}

/* Lanes that go on this time. Warps of a kernel with groups stand still at times, for long, or some
 * of their lanes for a while, so that others overtake them. */
static uint32_t lanes_that_go(int warp)
{
    if (m->still[warp] > 0) {
        m->still[warp]--;
        return 0;
    }
    if (!m->groups || !emu_happens(4))
        return UINT32_MAX;
    if (emu_happens(16))
        m->still[warp] = (unsigned)(m->chance >> 32) % 64;
    return emu_happens(2) ? 0 : (uint32_t)(m->chance >> 16);
}

/* A block may begin when another of its cluster is long at work. */
static void choose_who_is_late(void)
{
    memset(m->still, 0, sizeof m->still);
    for (int rank = 0; rank < m->size && m->size > 1; rank++)
        if (emu_happens(2))
            for (int w = rank * m->each / 32; w < (rank + 1) * m->each / 32; w++)
                m->still[w] = 200;
}

/* Whether one went on, or could have done. */
static bool go_on_all(int *left)
{
    int all = m->size * m->each;
    bool moved = false;
    for (int w = 0; w * 32 < all; w++) {
        uint32_t lanes = lanes_that_go(w);
        moved |= lanes != UINT32_MAX;
        for (int i = w * 32; i < all && i < w * 32 + 32; i++)
            if ((lanes >> i % 32 & 1) && go_on(i)) {
                moved = true;
                *left -= m->fibers[i].done;
            }
    }
    return moved;
}

static void run_cluster(dim3 first)
{
    make_ready(first);
    choose_who_is_late();
    for (int left = m->size * m->each; left > 0;) {
        bool moved = go_on_all(&left);
        if (!emu_copies_go_on(!moved) && !moved && left > 0)
            tell_who_waits();
    }
    emu_end_of_cluster();
    for (int rank = 0; rank < m->size; rank++)
        check_shared(&m->blocks[rank]);
}

static void check(const emu_grid &g)
{
    uint64_t n = (uint64_t)g.threads.x * g.threads.y * g.threads.z;
    if (n < 1 || n > MOST || n * g.cluster > MOST || g.blocks.x < 1 || g.blocks.y < 1 ||
        g.blocks.z < 1 || g.blocks.y > 65535 || g.blocks.z > 65535 || g.blocks.x > 0x7fffffff ||
        g.cluster < 1 || g.cluster > MOST_BLOCKS || g.blocks.x % g.cluster != 0 ||
        (g.cluster > 1 && n % 32 != 0) || g.bytes > MOST_SHARED)
        emu_wrong("a launch of %u x %u x %u blocks, in clusters of %u, of %d threads, with %u "
                  "bytes of shared memory",
                  g.blocks.x, g.blocks.y, g.blocks.z, g.cluster, (int)n, g.bytes);
}

static void begin_launch(const emu_grid &g)
{
    const char *seed = getenv("EMU_SEED");
    check(g);
    check_allowed(g);
    if (m == NULL)
        m = emu_machine = (machine *)calloc(1, sizeof *m);
    m->barriers = g.fibers;
    m->groups = g.groups;
    m->size = (int)g.cluster;
    m->each = (int)(g.threads.x * g.threads.y * g.threads.z);
    m->bytes = g.bytes;
    m->chance = 0x9e3779b97f4a7c15u * (uint64_t)(seed ? 2 * atoi(seed) + 1 : 1); /* odd, so not 0 */
    emu_threads = g.threads;
    emu_blocks = g.blocks;
}

void emu_launch(const emu_grid &g, void (*run)(void *), void *kernel)
{
    begin_launch(g);
    m->run = run;
    m->kernel = kernel;
    for (unsigned z = 0; z < g.blocks.z; z++)
        for (unsigned y = 0; y < g.blocks.y; y++)
            for (unsigned x = 0; x < g.blocks.x; x += g.cluster) {
                if (g.fibers) {
                    run_cluster(dim3(x, y, z));
                    continue;
                }
                emu_block = dim3(x, y, z);
                for (int i = 0; i < m->each; i++) {
                    emu_thread = place_of_thread((unsigned)i);
                    run(kernel);
                }
            }
}
