/* group.cpp - Hopper's warpgroups for the emulation: barriers in shared memory that also count
 * bytes, copies of parts of matrices, and products of 64 rows; see emu_group.h. */
#include "machine.h"

#include "gpu/cuda.h"
#include "emu_group.h"

static thread_local machine *m; /* set by whoever comes first */

static fiber *me(void)
{
    m = emu_machine;
    return &m->fibers[m->now];
}

/* ---- addresses ---- */

/* What a block's shared memory begins at: aligned as RG_DYNAMIC promises, and no better. */
static uint8_t *window(int block)
{
    return m->blocks[block].memory;
}

static uint8_t *memory_at(int block, unsigned at, unsigned bytes)
{
    if (block >= m->size || at < BEFORE || at + bytes > BEFORE + m->bytes)
        emu_wrong("%u bytes at %u of block %d of the cluster are no shared memory", bytes, at,
                  block);
    return window(block) + at;
}

/* The same as copies and products see it. */
static uint8_t *shown_at(int block, unsigned at, unsigned bytes)
{
    (void)memory_at(block, at, bytes);
    return m->blocks[block].shown + at;
}

void emu_show(void)
{
    const block *b = &m->blocks[me()->rank];
    memcpy(b->shown + BEFORE, b->memory + BEFORE, m->bytes);
}

unsigned emu_shared_at(const void *p)
{
    const uint8_t *from = window(me()->rank);
    if ((const uint8_t *)p < from + BEFORE || (const uint8_t *)p > from + BEFORE + m->bytes)
        emu_wrong("an address that is not in the block's shared memory");
    return (unsigned)((const uint8_t *)p - from);
}

unsigned emu_rank(void)
{
    return (unsigned)me()->rank;
}

static void check_alive(int block)
{
    if (block >= m->size || m->blocks[block].all.alive == 0)
        emu_wrong("block %d of the cluster is reached when it has ended", block);
}

/* ---- barriers ---- */

enum { MADE = 0x15a5 };
struct barrier {
    uint64_t count : 14, missing : 14, phase : 1, made : 13;
    int64_t bytes : 22; /* that are still to come; below nothing when they come before they are
                           announced */
};
static_assert(sizeof(barrier) == sizeof(uint64_t), "a word of shared memory");

static barrier *barrier_at(int block, unsigned at)
{
    if (at % 8 != 0)
        emu_wrong("a barrier at %u, which is not aligned", at);
    barrier *b = (barrier *)memory_at(block, at, 8);
    if (b->made != MADE)
        emu_wrong("at %u of shared memory nobody made a barrier, or it is written over", at);
    return b;
}

static barrier *own_barrier(uint64_t *b)
{
    return barrier_at(me()->rank, emu_shared_at(b));
}

static void next_phase(barrier *b)
{
    if (b->missing > 0 || b->bytes != 0)
        return;
    b->phase ^= 1;
    b->missing = b->count;
}

static void come_to(barrier *b)
{
    if (b->missing == 0)
        emu_wrong("one more comes to a barrier than its phase has room for");
    b->missing--;
    next_phase(b);
}

void emu_make_barrier(uint64_t *b, int count)
{
    unsigned at = emu_shared_at(b);
    barrier made = {(uint64_t)count, (uint64_t)count, 0, MADE, 0};
    if (at % 8 != 0 || count < 1 || count >= 1 << 14)
        emu_wrong("a barrier of %d at %u of shared memory", count, at);
    *(barrier *)memory_at(me()->rank, at, 8) = made;
}

void emu_expect_bytes(uint64_t *b, int bytes)
{
    barrier *to = own_barrier(b);
    if (bytes < 0 || bytes + to->bytes >= 1 << 20)
        emu_wrong("a barrier cannot count %d bytes", bytes);
    to->bytes += bytes;
    come_to(to);
}

void emu_arrive(uint64_t *b, unsigned block)
{
    unsigned at = emu_shared_at(b);
    check_alive((int)block);
    come_to(barrier_at((int)block, at));
}

static bool is_past(const void *on, uint64_t parity)
{
    return ((const barrier *)on)->phase != parity;
}

static void tell_barrier(const void *on, uint64_t parity)
{
    const barrier *b = (const barrier *)on;
    int block = 0;
    while ((const uint8_t *)on < window(block) ||
           (const uint8_t *)on >= window(block) + BEFORE + MOST_SHARED)
        block++;
    fprintf(stderr,
            "for parity %d of the barrier at byte %d of block %d's shared memory: it is in phase "
            "%d, and misses %d of %d, and %d bytes",
            (int)parity, (int)((const uint8_t *)on - window(block) - BEFORE), block, (int)b->phase,
            (int)b->missing, (int)b->count, (int)b->bytes);
}

void emu_wait_for(uint64_t *b, unsigned parity)
{
    emu_wait({is_past, tell_barrier, own_barrier(b), parity & 1});
}

void emu_meet_named(int name, int threads)
{
    meeting *with = &m->blocks[me()->rank].named[name];
    with->alive = threads;
    emu_meet(with);
}

void emu_meet_cluster(void)
{
    (void)me();
    emu_meet(&m->cluster);
}

/* ---- copies of parts of matrices ---- */

extern "C" bool rg_gpu_map_matrix(CUtensorMap *map, const rg_gpu_matrix *of)
{
    int64_t row_bytes = of->columns * 4, part_bytes = (int64_t)of->part_columns * 4;
    *map = {(float *)of->data, of->rows, of->columns, of->part_rows, of->part_columns, of->turned};
    if ((uintptr_t)of->data % 16 != 0 || of->rows < 1 || of->columns < 1 || row_bytes % 16 != 0 ||
        of->part_rows < 1 || of->part_rows > 256 || of->part_columns < 1 ||
        of->part_columns > 256 || part_bytes % 16 != 0 || (of->turned && part_bytes > 128)) {
        fprintf(stderr, "emulation: no map of parts of %d x %d of a matrix of %d x %d at %p\n",
                of->part_rows, of->part_columns, (int)of->rows, (int)of->columns,
                (const void *)of->data);
        abort();
    }
    return true;
}

/* Chunks of 16 bytes change places by bits of the address, as products read them, too. */
static unsigned swap_chunks(unsigned at)
{
    return at ^ (at >> 7 & 7) << 4;
}

struct copy {
    CUtensorMap map;
    int x, y, fiber, block;
    unsigned mask, at, barrier;
    float *taken; /* of one that is sent: what it has read */
    bool out;
};
enum { MOST_COPIES = 1024 };
static thread_local copy copies[MOST_COPIES];
static thread_local int n_copies;

static unsigned bytes_of(const copy &c)
{
    return (unsigned)(c.map.part_rows * c.map.part_columns) * 4;
}

static unsigned place_of(const copy &c, int row, int column)
{
    unsigned at = c.at + (unsigned)(row * c.map.part_columns + column) * 4;
    return c.map.turned ? swap_chunks(at) : at;
}

static float *outside(const copy &c, int row, int column)
{
    int64_t y = (int64_t)c.y + row, x = (int64_t)c.x + column;
    bool there = y >= 0 && y < c.map.rows && x >= 0 && x < c.map.columns;
    return there ? c.map.data + y * c.map.columns + x : NULL;
}

static void begin_copy(const copy &c)
{
    if (n_copies == MOST_COPIES)
        emu_wrong("more than %d copies are under way", MOST_COPIES);
    if (c.at % (c.map.turned ? 1024 : 128) != 0)
        emu_wrong("a copy of %s from or to %u of shared memory, which is not aligned",
                  c.map.turned ? "turned fours" : "rows", c.at);
    (void)memory_at(c.block, c.at, bytes_of(c));
    copies[n_copies++] = c;
}

void emu_bring(unsigned mask, void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    copy c = {*map, x, y, 0, me()->rank, mask, emu_shared_at(to), emu_shared_at(b), NULL, false};
    c.fiber = m->now;
    begin_copy(c);
    for (int block = 0; mask >> block; block++)
        if (mask >> block & 1) {
            check_alive(block);
            memset(memory_at(block, c.at, bytes_of(c)), 0xff, bytes_of(c));
            memset(shown_at(block, c.at, bytes_of(c)), 0xff, bytes_of(c));
        }
}

void emu_send(const CUtensorMap *map, int x, int y, const void *from)
{
    copy c = {*map, x, y, 0, me()->rank, 0, emu_shared_at(from), 0, NULL, true};
    c.fiber = m->now;
    begin_copy(c);
}

/* Into one block. */
static void fill(const copy &c, int block)
{
    check_alive(block);
    for (int row = 0; row < c.map.part_rows; row++)
        for (int column = 0; column < c.map.part_columns; column++) {
            const float *from = outside(c, row, column);
            unsigned at = place_of(c, row, column);
            *(float *)memory_at(block, at, 4) = from ? *from : 0;
            *(float *)shown_at(block, at, 4) = from ? *from : 0;
        }
    barrier *b = barrier_at(block, c.barrier);
    if (((barrier *)shown_at(block, c.barrier, 8))->made != MADE)
        emu_wrong("nobody has shown the barrier of a copy");
    b->bytes -= bytes_of(c);
    next_phase(b);
}

static void take(copy *c)
{
    c->taken = (float *)malloc(bytes_of(*c));
    for (int row = 0; row < c->map.part_rows; row++)
        for (int column = 0; column < c->map.part_columns; column++)
            c->taken[row * c->map.part_columns + column] = *(const float *)shown_at(
                c->block, place_of(*c, row, column), 4);
}

static void put(const copy &c)
{
    for (int row = 0; row < c.map.part_rows; row++)
        for (int column = 0; column < c.map.part_columns; column++) {
            float *to = outside(c, row, column);
            if (to != NULL)
                *to = c.taken[row * c.map.part_columns + column];
        }
    free(c.taken);
}

/* A step of it: into one block, or out of one, or from there to where it belongs. */
static void go_on(int number)
{
    copy *c = &copies[number];
    if (c->out && c->taken == NULL) {
        take(c);
        return;
    }
    if (c->out) {
        put(*c);
    } else {
        int block = __builtin_ctz(c->mask);
        fill(*c, block);
        c->mask &= c->mask - 1;
        if (c->mask != 0)
            return;
    }
    *c = copies[--n_copies];
}

bool emu_copies_go_on(bool at_least)
{
    if (n_copies == 0)
        return false;
    m = emu_machine;
    for (int i = n_copies - 1; i >= 0; i--)
        if (emu_happens(copies[i].out ? 16 : 4))
            go_on(i), at_least = false;
    if (at_least)
        go_on((int)(m->chance % (uint64_t)n_copies));
    return true;
}

static bool is_sent(const void *on, uint64_t written)
{
    for (int i = 0; i < n_copies; i++)
        if (copies[i].out && &m->fibers[copies[i].fiber] == on && (written || !copies[i].taken))
            return false;
    return true;
}

static void tell_sent(const void *, uint64_t)
{
    fprintf(stderr, "for what it sends");
}

void emu_sent(bool written)
{
    emu_wait({is_sent, tell_sent, me(), written});
}

/* ---- products ---- */

struct product {
    int n, add;
    float *d;
    const float *a; /* registers, or NULL: at from_a */
    uint64_t from_a, from_b;
};
enum { MOST_PRODUCTS = 32, MOST_GROUPS = 8, MOST_N = 256 };
/* Of a lane in order; of a warp the groups of them. */
struct lane {
    product list[MOST_PRODUCTS];
    int n;
    bool begun;
};
struct groups {
    int n, ends[MOST_GROUPS];
};
static thread_local lane lanes[MOST];
static thread_local groups of_warp[MOST / 32];

void emu_begin(void)
{
    (void)me();
    lanes[m->now].begun = true;
}

void emu_multiply(int n, float *d, uint64_t a, const float *from, uint64_t b, int add)
{
    (void)me();
    lane *l = &lanes[m->now];
    if (!l->begun || l->n == MOST_PRODUCTS)
        emu_wrong("a product without begin(), or too many that nobody waits for");
    if (n % 8 != 0 || n > MOST_N)
        emu_wrong("a product of %d columns", n);
    l->list[l->n++] = {n, add, d, from, a, b};
}

/* What a descriptor says of a tile along the sum, eights of whose rows are 1024 bytes apart. */
static float factor(int block, uint64_t descriptor, int row, int k)
{
    unsigned at = (unsigned)(descriptor & 0x3fff) << 4, eights = (unsigned)(descriptor >> 32) << 4;
    if (descriptor >> 62 != 1 || (eights & 0x3ffff) != 1024)
        emu_wrong("a descriptor %llx that is not known here", (unsigned long long)descriptor);
    at += (unsigned)(row / 8) * 1024 + (unsigned)(row % 8) * 128 + (unsigned)k * 4;
    return *(const float *)shown_at(block, swap_chunks(at), 4);
}

/* The tensor cores drop what TF32 does not have. */
static float cut(float x)
{
    return __int_as_float(__float_as_int(x) & ~0x1fff);
}

/* 16 rows, those of a warp. Lane 4 g + t has of A rows g and g + 8, at t and t + 4. */
static void take_a(int first, float a[16][8])
{
    const fiber *f = &m->fibers[first];
    int rows = f->index / 32 % 4 * 16;
    for (int row = 0; row < 16; row++)
        for (int k = 0; k < 8; k++) {
            const product &of = lanes[first + row % 8 * 4 + k % 4].list[0];
            a[row][k] = cut(of.a ? of.a[row / 8 + k / 4 * 2]
                                 : factor(f->rank, of.from_a, rows + row, k));
        }
}

static void check_same(int first)
{
    const product &p = lanes[first].list[0];
    for (int i = 1; i < 32; i++) {
        const product &q = lanes[first + i].list[0];
        if (q.n != p.n || q.from_b != p.from_b || q.from_a != p.from_a || q.add != p.add)
            emu_wrong("lanes of a warp do not make the same product");
    }
}

/* The oldest of a warp. Of each 8 columns of d lane 4 g + t has 2 t and 2 t + 1, of rows g and
 * g + 8. */
static void make_product(int first)
{
    float a[16][8], b[MOST_N][8];
    const product p = lanes[first].list[0];
    check_same(first);
    take_a(first, a);
    for (int j = 0; j < p.n; j++)
        for (int k = 0; k < 8; k++)
            b[j][k] = cut(factor(m->fibers[first].rank, p.from_b, j, k));
    for (int i = 0; i < 32; i++) {
        float *d = lanes[first + i].list[0].d;
        for (int e = 0; e < p.n / 2; e++) {
            const float *row = a[i / 4 + e / 2 % 2 * 8], *column = b[e / 4 * 8 + i % 4 * 2 + e % 2];
            float sum = 0;
            for (int k = 0; k < 8; k++)
                sum += row[k] * column[k];
            d[e] = p.add ? d[e] + sum : sum;
        }
        lane *l = &lanes[first + i];
        l->n--;
        memmove(&l->list[0], &l->list[1], (size_t)l->n * sizeof l->list[0]);
    }
}

static void make_groups(int first, int left)
{
    groups *g = &of_warp[first / 32];
    while (g->n > left) {
        int products = g->ends[0];
        for (int i = 0; i < products; i++)
            make_product(first);
        g->n--;
        for (int i = 0; i < g->n; i++)
            g->ends[i] = g->ends[i + 1] - products;
    }
}

/* All lanes come here; one of them goes on alone, before the others do. */
static bool is_last_of_warp(void)
{
    const meeting *warp = &m->warps[m->now / 32];
    if (warp->alive != 32)
        emu_wrong("a product by a warp that is not whole");
    return warp->arrived == 31;
}

void emu_end(void)
{
    (void)me();
    int first = m->now / 32 * 32;
    groups *g = &of_warp[first / 32];
    lanes[m->now].begun = false;
    if (is_last_of_warp()) {
        if (g->n == MOST_GROUPS)
            emu_wrong("more than %d groups of products that nobody waits for", MOST_GROUPS);
        for (int i = 0; i < 32; i++)
            if (lanes[first + i].n != lanes[first].n)
                emu_wrong("lanes of a warp do not make the same products");
        g->ends[g->n++] = lanes[first].n;
        if (emu_happens(2))
            make_groups(first, 0);
    }
    emu_meet(&m->warps[first / 32]);
}

void emu_finished(int left)
{
    (void)me();
    int first = m->now / 32 * 32;
    if (is_last_of_warp())
        make_groups(first, left);
    emu_meet(&m->warps[first / 32]);
}

/* ---- ends ---- */

void emu_end_of_thread(void)
{
    if (lanes[emu_machine->now].n > 0)
        emu_wrong("a thread ends before its products are made");
    for (int i = 0; i < n_copies; i++)
        if (copies[i].out && copies[i].fiber == emu_machine->now && copies[i].taken == NULL)
            emu_wrong("a thread ends before what it sends is read");
}

void emu_end_of_cluster(void)
{
    for (int i = n_copies - 1; i >= 0; i--) {
        if (!copies[i].out)
            emu_wrong("a block ends before what it brings has come");
        go_on(i);
    }
}
