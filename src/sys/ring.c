/* ring.c - a ring of bytes between two processes. */
#include "sys/ring.h"

#include <string.h>

enum { PORTION = 64 * 1024 };

void rg_ring_init(rg_ring *ring, rg_ring_head *head, uint8_t *data, size_t bytes, bool writes)
{
    *ring = (rg_ring){.head = head, .data = data, .bytes = bytes, .writes = writes};
}

/* The acquire pairs with the release of advance(): bytes are seen before the index that says that
 * they are there, and have been read before the index that says that they may be overwritten. */
bool rg_ring_look(const rg_ring *ring, size_t *n)
{
    uint64_t used;
    if (ring->writes)
        used = ring->index - atomic_load_explicit(&ring->head->read, memory_order_acquire);
    else
        used = atomic_load_explicit(&ring->head->written, memory_order_acquire) - ring->index;
    if (used > ring->bytes)
        return false;
    *n = ring->writes ? ring->bytes - (size_t)used : (size_t)used;
    return true;
}

uint8_t *rg_ring_at(const rg_ring *ring, size_t *piece)
{
    size_t at = (size_t)ring->index & (ring->bytes - 1);
    *piece = ring->bytes - at;
    return ring->data + at;
}

void rg_ring_advance(rg_ring *ring, size_t n)
{
    ring->index += n;
    atomic_store_explicit(ring->writes ? &ring->head->written : &ring->head->read, ring->index,
                          memory_order_release);
}

size_t rg_ring_put(rg_ring *ring, const void *bytes, size_t n, bool *garbage)
{
    size_t done = 0, room = 0, piece;
    while (done < n) {
        if (room == 0 && !rg_ring_look(ring, &room))
            *garbage = true;
        if (*garbage || room == 0)
            break;
        uint8_t *to = rg_ring_at(ring, &piece);
        size_t take = n - done < room ? n - done : room;
        take = take < piece ? take : piece;
        take = take < PORTION ? take : PORTION;
        memcpy(to, (const uint8_t *)bytes + done, take);
        rg_ring_advance(ring, take);
        done += take;
        room -= take;
    }
    return done;
}

static _Atomic uint32_t *sleeps(const rg_ring *ring, bool writer)
{
    return writer ? &ring->head->writer_sleeps : &ring->head->reader_sleeps;
}

/* Who goes to sleep writes its flag and then reads the index; who has something for it writes the
 * index and then reads the flag. With a full fence between the two on both sides at least one of
 * them sees what the other has written (neither acquire nor release would do: they let a read
 * overtake a write that is before it), so it never happens that one sleeps and the other believes
 * it awake. */
bool rg_ring_may_sleep(rg_ring *ring)
{
    size_t n = 0;
    atomic_store_explicit(sleeps(ring, ring->writes), 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (rg_ring_look(ring, &n) && n == 0)
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
    size_t n = 0;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(theirs, memory_order_relaxed) == 0)
        return false;
    /* A writer is woken for a good piece of room, not for each byte: reading goes on until the ring
     * is empty, so it comes. */
    if (!ring->writes && rg_ring_look(ring, &n) && n > ring->bytes / 2)
        return false;
    return atomic_exchange_explicit(theirs, 0, memory_order_relaxed) != 0;
}
