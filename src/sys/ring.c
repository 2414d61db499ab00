/* ring.c - a ring of records between two processes. */
#include "sys/ring.h"

#include <string.h>

enum {
    HEAD = 16,           /* bytes of a record's head: lengths are rounded up to as many */
    LEAST = 2 * HEAD,    /* room that is worth a record */
    PORTION = 64 * 1024, /* of a record: the reader can begin while the writer goes on */
};

typedef struct head {
    uint64_t bytes; /* of the record, without this; the highest bit: they are elsewhere */
    uint64_t offset;
} head;

static const uint64_t elsewhere = UINT64_C(1) << 63;

_Static_assert(sizeof(head) == HEAD, "a head lies in one piece: it never goes round the end");

void rg_ring_init(rg_ring *ring, rg_ring_head *shared, uint8_t *data, size_t bytes, bool writes)
{
    *ring = (rg_ring){.head = shared, .data = data, .bytes = bytes, .writes = writes};
}

/* Bytes that are written and not read; false: the other side's index is none that it could have.
 * The load pairs with the release of publish(): bytes are seen before the index that says that
 * they are there, and have been read before the index that says that they may be overwritten. */
static bool used_of(const rg_ring *ring, size_t *used)
{
    uint64_t n;
    if (ring->writes)
        n = ring->index - atomic_load(&ring->head->read);
    else
        n = atomic_load(&ring->head->written) - ring->index;
    *used = (size_t)n;
    return n <= ring->bytes && n % HEAD == 0;
}

static void publish(rg_ring *ring, size_t n)
{
    ring->index += n;
    atomic_store_explicit(ring->writes ? &ring->head->written : &ring->head->read, ring->index,
                          memory_order_release);
}

static size_t rounded(size_t n)
{
    return (n + HEAD - 1) / HEAD * HEAD;
}

/* ---- the writer ---- */

/* Room for one more record; 0: none now. */
static size_t room_of(const rg_ring *ring, bool *garbage)
{
    size_t used;
    if (!used_of(ring, &used)) {
        *garbage = true;
        return 0;
    }
    return ring->bytes - used >= LEAST ? ring->bytes - used : 0;
}

/* A record lies in one piece, so one that comes to the end of the ring is short, and may be
 * empty. */
size_t rg_ring_put(rg_ring *ring, const void *bytes, size_t n, bool *garbage)
{
    size_t done = 0, room;
    while (done < n && (room = room_of(ring, garbage)) > 0) {
        size_t at = (size_t)ring->index & (ring->bytes - 1), take = n - done;
        take = take < PORTION ? take : PORTION;
        take = take < room - HEAD ? take : room - HEAD;
        take = take < ring->bytes - at - HEAD ? take : ring->bytes - at - HEAD;
        head h = {.bytes = take};
        memcpy(ring->data + at, &h, sizeof h);
        if (take > 0)
            memcpy(ring->data + at + HEAD, (const uint8_t *)bytes + done, take);
        publish(ring, HEAD + rounded(take));
        done += take;
    }
    return done;
}

bool rg_ring_refer(rg_ring *ring, uint64_t offset, size_t n, bool *garbage)
{
    if (room_of(ring, garbage) == 0)
        return false;
    head h = {.bytes = n | elsewhere, .offset = offset};
    memcpy(ring->data + ((size_t)ring->index & (ring->bytes - 1)), &h, sizeof h);
    publish(ring, HEAD);
    return true;
}

/* The word is written before anything that is written to that memory then, and is read after all
 * that was read there: a reader that saw other bytes sees the word, too. */
void rg_ring_withdraw(rg_ring *ring)
{
    atomic_store(&ring->head->withdrawn, 1);
    atomic_thread_fence(memory_order_release);
}

size_t rg_ring_unread(const rg_ring *ring)
{
    size_t used;
    return used_of(ring, &used) ? used : ring->bytes;
}

/* ---- the reader ---- */

rg_ring_found rg_ring_next(const rg_ring *ring, rg_ring_record *record)
{
    size_t used, at = (size_t)ring->index & (ring->bytes - 1);
    head h;
    if (!used_of(ring, &used))
        return RG_RING_GARBAGE;
    if (used == 0)
        return RG_RING_EMPTY;
    memcpy(&h, ring->data + at, sizeof h); /* once: the other side may still write there */
    atomic_signal_fence(memory_order_seq_cst);
    *record = (rg_ring_record){.n = (size_t)(h.bytes & ~elsewhere), .takes = HEAD};
    if ((h.bytes & elsewhere) != 0) {
        record->offset = h.offset;
        return RG_RING_RECORD;
    }
    if (record->n > used - HEAD || record->n > ring->bytes - at - HEAD)
        return RG_RING_GARBAGE;
    record->at = ring->data + at + HEAD;
    record->takes += rounded(record->n);
    return RG_RING_RECORD;
}

bool rg_ring_is_withdrawn(const rg_ring *ring)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&ring->head->withdrawn, memory_order_relaxed) != 0;
}

void rg_ring_advance(rg_ring *ring, size_t takes)
{
    publish(ring, takes);
}

/* ---- sleeping and waking ---- */

static _Atomic uint32_t *sleeps(const rg_ring *ring, bool writer)
{
    return writer ? &ring->head->writer_sleeps : &ring->head->reader_sleeps;
}

/* Who goes to sleep writes its flag and then reads the index; who has something for it writes the
 * index and then reads the flag. All four are sequentially consistent, so they have one order, and
 * in that at least one of the two sees what the other has written (neither acquire nor release
 * would do: they let a read overtake a write that is before it). So it never happens that one
 * sleeps and the other believes it awake. */
void rg_ring_ask_wake(rg_ring *ring)
{
    atomic_store(sleeps(ring, ring->writes), 1);
}

bool rg_ring_may_sleep(rg_ring *ring)
{
    size_t used = 0;
    rg_ring_ask_wake(ring);
    if (used_of(ring, &used) && (ring->writes ? ring->bytes - used < LEAST : used == 0))
        return true;
    rg_ring_awake(ring);
    return false;
}

void rg_ring_awake(rg_ring *ring)
{
    atomic_store_explicit(sleeps(ring, ring->writes), 0, memory_order_relaxed);
}

bool rg_ring_must_wake(rg_ring *ring)
{
    _Atomic uint32_t *theirs = sleeps(ring, !ring->writes);
    size_t used = 0;
    /* Published before, by a release that costs less: once more, in the one order. */
    atomic_store(ring->writes ? &ring->head->written : &ring->head->read, ring->index);
    if (atomic_load(theirs) == 0)
        return false;
    /* A writer is woken for a good piece of room, not for each byte: reading goes on until the ring
     * is empty, so it comes. */
    if (!ring->writes && used_of(ring, &used) && used > ring->bytes / 2)
        return false;
    return atomic_exchange_explicit(theirs, 0, memory_order_relaxed) != 0;
}
