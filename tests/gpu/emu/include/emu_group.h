/* emu_group.h - what src/gpu/group.h has of Hopper's warpgroups, for the emulation (../group.cpp).
 *
 * Copies go on later than they are begun, and products read their factors when they are begun or
 * not before they are waited for, by chance (EMU_SEED): so a wait that is missing shows, and memory
 * that is used again too early. What nobody wrote, and the place of a copy under way, is NaN.
 * They see of what threads wrote what was there when one called show(); other fences do nothing. */
#ifndef RG_EMU_GROUP_H
#define RG_EMU_GROUP_H

#include "gpu/matrix_map.h"

/* Addresses in shared memory are bytes of the block's own, from where a GPU has them. */
unsigned emu_shared_at(const void *p);
void emu_show(void);
void emu_make_barrier(uint64_t *b, int count);
void emu_expect_bytes(uint64_t *b, int bytes);
void emu_arrive(uint64_t *b, unsigned block);
void emu_wait_for(uint64_t *b, unsigned parity);
void emu_bring(unsigned mask, void *to, const CUtensorMap *map, int x, int y, uint64_t *b);
void emu_send(const CUtensorMap *map, int x, int y, const void *from);
void emu_sent(bool written);
void emu_meet_named(int name, int threads);
void emu_meet_cluster(void);
unsigned emu_rank(void);
/* From shared memory at `a`, or where `from` is not NULL from registers. */
void emu_multiply(int n, float *d, uint64_t a, const float *from, uint64_t b, int add);
void emu_begin(void);
void emu_end(void);
void emu_finished(int left);

RG_DEVICE unsigned shared_at(const void *p)
{
    return emu_shared_at(p);
}

/* ---- barriers and copies ---- */

RG_DEVICE void make_barrier(uint64_t *b, int count)
{
    emu_make_barrier(b, count);
}
RG_DEVICE void expect_bytes(uint64_t *b, int bytes)
{
    emu_expect_bytes(b, bytes);
}
RG_DEVICE void arrive(uint64_t *b)
{
    emu_arrive(b, emu_rank());
}
RG_DEVICE void wait_for(uint64_t *b, unsigned parity)
{
    emu_wait_for(b, parity);
}
RG_DEVICE void bring(void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    emu_bring(1u << emu_rank(), to, map, x, y, b);
}
RG_DEVICE void bring_to(unsigned mask, void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    emu_bring(mask, to, map, x, y, b);
}
RG_DEVICE void send(const CUtensorMap *map, int x, int y, const void *from)
{
    emu_send(map, x, y, from);
}
RG_DEVICE void sent(void)
{
    emu_sent(false);
}
RG_DEVICE void sent_all(void)
{
    emu_sent(true);
}
RG_DEVICE void meet_group(int group)
{
    emu_meet_named(group + 1, 128);
}
RG_DEVICE void more_registers(void)
{
}
RG_DEVICE void fewer_registers(void)
{
}

/* ---- clusters ---- */

RG_DEVICE unsigned rank_in_cluster(void)
{
    return emu_rank();
}
RG_DEVICE void show(void)
{
    emu_show();
}
RG_DEVICE void show_barriers(void)
{
    emu_show();
}
RG_DEVICE void arrive_at(uint64_t *b, unsigned block)
{
    emu_arrive(b, block);
}
RG_DEVICE void meet_cluster(void)
{
    emu_meet_cluster();
}

/* ---- products ---- */

RG_DEVICE uint64_t descriptor(const void *tile)
{
    uint64_t at = shared_at(tile);
    return (at & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}
RG_DEVICE void begin(void)
{
    emu_begin();
}
RG_DEVICE void end(void)
{
    emu_end();
}
template <int LEFT> RG_DEVICE void finished(void)
{
    emu_finished(LEFT);
}
template <int N> struct group_of {
    static void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        emu_multiply(N, d, a, NULL, b, add);
    }
    static void multiply(float *d, const float a[4], uint64_t b, int add)
    {
        emu_multiply(N, d, 0, a, b, add);
    }
};

/* ---- launching ---- */

/* Few, so that each has several tiles. */
template <class K> static int rg_most_clusters(K kernel, int, int, int bytes)
{
    emu_allow((const void *)kernel, bytes);
    return 3;
}

template <class... P, class... A>
static bool rg_launch_clusters(void (*kernel)(P...), int clusters, int size, int threads, int bytes,
                               cudaStream_t, const A &...args)
{
    emu_run({dim3((unsigned)(clusters * size)), dim3((unsigned)threads), (unsigned)size,
             (unsigned)bytes, true, true, (const void *)kernel},
            [&] { kernel(args...); });
    return true;
}

#endif
