/* ring.h - bytes from one process to another, through memory that both have mapped.
 *
 * One side writes, the other reads, and each has an index that only grows. What stands in the
 * shared memory may be anything: the other side may be broken. So a side keeps its own index
 * for itself and only publishes it, reads the other's once, and checks it before it is used; and
 * whoever reads bytes in place copies them before they are checked.
 *
 * Nobody spins, and nobody is woken who is awake: a side that has nothing to do says so in the
 * memory (rg_ring_may_sleep), and the other looks there after it has published its index
 * (rg_ring_must_wake). How it is woken is not a matter of the ring.
 *
 * Threads: each side is one thread's. */
#ifndef RG_SYS_RING_H
#define RG_SYS_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each side writes its index in a cache line of its own. */
typedef struct rg_ring_head {
    _Alignas(64) _Atomic uint64_t written;
    _Alignas(64) _Atomic uint64_t read;
    _Alignas(64) _Atomic uint32_t writer_sleeps;
    _Alignas(64) _Atomic uint32_t reader_sleeps;
} rg_ring_head;

/* What one side knows of it. */
typedef struct rg_ring {
    rg_ring_head *head;
    uint8_t *data;
    size_t bytes;   /* a power of two */
    uint64_t index; /* this side's own */
    bool writes;    /* this side does */
} rg_ring;

void rg_ring_init(rg_ring *ring, rg_ring_head *head, uint8_t *data, size_t bytes, bool writes);

/* The writer: room for how many bytes. The reader: how many wait. False: the other side's index is
 * none that it could have. */
bool rg_ring_look(const rg_ring *ring, size_t *n);
/* The next place, and how many bytes of it lie in one piece. */
uint8_t *rg_ring_at(const rg_ring *ring, size_t *piece);
/* So many were written there, or read, which is published. */
void rg_ring_advance(rg_ring *ring, size_t n);
/* Copies in what there is room for; how many. The index is published in portions, so that the
 * other side can begin. *garbage: as rg_ring_look() being false. */
size_t rg_ring_put(rg_ring *ring, const void *bytes, size_t n, bool *garbage);

/* This side has found nothing to do. False: but now there is. True: the other will wake it. */
bool rg_ring_may_sleep(rg_ring *ring);
void rg_ring_awake(rg_ring *ring); /* it need not be woken any more */
/* After advance(): whether the other side sleeps, and has to be woken, by this call's caller. */
bool rg_ring_must_wake(rg_ring *ring);

#endif
