/* ring.h - bytes from one process to another, through memory that both have mapped.
 *
 * One side writes records, the other reads them, and each has an index that only grows. A record
 * has its bytes with it, or says where they are in memory that the writer lends (sys/lent.h). A
 * writer that goes may take that back, read or not.
 *
 * What stands in the shared memory may be anything: the other side may be broken. So a side keeps
 * its own index for itself and only publishes it, reads the other's once, copies the head of a
 * record out, and checks both before they are used; and whoever reads bytes in place copies them
 * before they are checked.
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
    _Atomic uint32_t withdrawn; /* the writer: what records say where is its own again */
    _Alignas(64) _Atomic uint64_t read;
    _Atomic uint32_t sees_lent; /* the reader: records may say where */
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

typedef struct rg_ring_record {
    uint8_t *at; /* NULL: the bytes are at `offset` of what the writer lends */
    uint64_t offset;
    size_t n;
    size_t takes; /* of the ring, for rg_ring_advance() */
} rg_ring_record;

typedef enum rg_ring_found {
    RG_RING_EMPTY,
    RG_RING_RECORD,
    RG_RING_GARBAGE, /* what the other side says cannot be */
} rg_ring_found;

void rg_ring_init(rg_ring *ring, rg_ring_head *head, uint8_t *data, size_t bytes, bool writes);

/* ---- the writer ---- */

/* Copies in what there is room for, in records; how many bytes. *garbage: the reader's index cannot
 * be. */
size_t rg_ring_put(rg_ring *ring, const void *bytes, size_t n, bool *garbage);
/* A record that says where; false: no room. */
bool rg_ring_refer(rg_ring *ring, uint64_t offset, size_t n, bool *garbage);
/* For good: what records say where may be something else from now on. */
void rg_ring_withdraw(rg_ring *ring);
/* How much of what was written is not read; the whole ring where that cannot be known. */
size_t rg_ring_unread(const rg_ring *ring);

/* ---- the reader ---- */

rg_ring_found rg_ring_next(const rg_ring *ring, rg_ring_record *record);
/* Whether what was read elsewhere may have been something else; asked after it was read. */
bool rg_ring_is_withdrawn(const rg_ring *ring);
/* So much has been read, which is published: the writer may use it again. */
void rg_ring_advance(rg_ring *ring, size_t takes);

/* ---- both ---- */

/* The writer: be woken when something is read. It looks after that call whether all is. */
void rg_ring_ask_wake(rg_ring *ring);
/* This side has found nothing to do. False: but now there is. True: the other will wake it. */
bool rg_ring_may_sleep(rg_ring *ring);
void rg_ring_awake(rg_ring *ring); /* it need not be woken any more */
/* After something was published: whether the other side sleeps, and the caller has to wake it. */
bool rg_ring_must_wake(rg_ring *ring);

#endif
