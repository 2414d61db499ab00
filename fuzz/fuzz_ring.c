/* fuzz_ring.c - the other side of a ring does whatever the bytes say: it writes into both indices,
 * both flags and the data while this side reads and writes.
 *
 * Every step is a byte that says what, and eight that are the value. */
#include "sys/ring.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Read all that there is, as transport_shm.c does. */
static void take(rg_ring *ring)
{
    uint8_t to[BYTES];
    rg_ring_record record;
    while (rg_ring_next(ring, &record) == RG_RING_RECORD) {
        if (record.at != NULL && record.n > BYTES)
            abort();
        if (record.at != NULL)
            memcpy(to, record.at, record.n);
        rg_ring_advance(ring, record.takes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_ring_head *head = aligned_alloc(64, sizeof *head);
    uint8_t *data[2] = {malloc(BYTES),
                        malloc(BYTES)}; /* exact, so that ASan sees a byte too many */
    rg_ring in, out;
    memset(head, 0, sizeof *head);
    memset(data[0], 0, BYTES);
    rg_ring_init(&in, head, data[0], BYTES, false);
    rg_ring_init(&out, head, data[1], BYTES, true); /* both in one head: worse than it can be */
    for (; n >= 9; bytes += 9, n -= 9) {
        uint64_t value;
        bool garbage = false;
        memcpy(&value, bytes + 1, sizeof value);
        switch (bytes[0] % 10) {
        case 0:
            atomic_store(&head->written, value);
            break;
        case 1:
            atomic_store(&head->read, value);
            break;
        case 2:
            atomic_store(&head->reader_sleeps, (uint32_t)value);
            break;
        case 3:
            atomic_store(&head->writer_sleeps, (uint32_t)value);
            break;
        case 4:
            take(&in);
            break;
        case 5: {
            uint8_t from[BYTES * 2] = {0};
            size_t most = value % sizeof from;
            if (rg_ring_put(&out, from, most, &garbage) > most)
                abort();
            break;
        }
        case 6:
            (void)rg_ring_may_sleep(value & 1 ? &in : &out);
            break;
        case 7:
            (void)rg_ring_refer(&out, value, (size_t)value, &garbage);
            break;
        case 8:
            memcpy(data[0] + value % (BYTES - 7), &value, sizeof value);
            break;
        default:
            (void)rg_ring_must_wake(value & 1 ? &in : &out);
        }
    }
    free(head);
    free(data[0]);
    free(data[1]);
    return 0;
}
