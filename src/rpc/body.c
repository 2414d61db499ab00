/* body.c - memory for bodies of frames, the last few kept. */
#include "rpc/body.h"

#include "sys/pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    KEPT = 16,
    SMALLEST = 32 * 1024, /* below it malloc is as quick, and nothing is lent */
    LARGEST = 32 * 1024 * 1024,
    MOST = 64 * 1024 * 1024, /* bytes that are kept in all */
};

/* In front of a body, so that it stays aligned. */
typedef union head {
    size_t room; /* bytes, of the body alone */
    uint8_t align[64];
} head;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static head *kept[KEPT]; /* NULL: a free place */
static size_t oldest, kept_bytes;

static void give_back(head *block)
{
    if (block != NULL)
        rg_pages_free(block, sizeof *block + block->room);
}

/* One that is large enough, but not twice as large. */
static head *take_kept(size_t bytes)
{
    head *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < KEPT && found == NULL; i++)
        if (kept[i] != NULL && kept[i]->room >= bytes && kept[i]->room / 2 <= bytes) {
            found = kept[i];
            kept[i] = NULL;
            kept_bytes -= found->room;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

void *rg_body_alloc(size_t bytes)
{
    head *block = bytes >= SMALLEST && bytes <= LARGEST ? take_kept(bytes) : NULL;
    if (block != NULL)
        return block + 1;
    if (bytes > SIZE_MAX - sizeof *block)
        return NULL;
    size_t whole = sizeof *block + bytes;
    /* Those that are kept: lent memory that is freed does not go back to the system. */
    bool keeps = bytes >= SMALLEST && bytes <= LARGEST;
    block = keeps ? rg_pages_alloc_lent(whole) : rg_pages_alloc(whole);
    if (block == NULL)
        return NULL;
    block->room = bytes;
    return block + 1;
}

void rg_body_free(void *body)
{
    head *block = body != NULL ? (head *)body - 1 : NULL, *dropped = block;
    if (block != NULL && block->room >= SMALLEST && block->room <= LARGEST) {
        pthread_mutex_lock(&lock);
        size_t at = 0;
        while (at < KEPT && kept[at] != NULL)
            at++;
        at = at < KEPT ? at : oldest++ % KEPT;
        size_t left = kept_bytes - (kept[at] != NULL ? kept[at]->room : 0);
        if (left + block->room <= MOST) {
            dropped = kept[at];
            kept[at] = block;
            kept_bytes = left + block->room;
        }
        pthread_mutex_unlock(&lock);
    }
    give_back(dropped);
}
