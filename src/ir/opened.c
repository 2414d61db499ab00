/* opened.c - the numbers of programs that are open. */
#include "ir/opened.h"

#include "base/mem.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below; a leaf */
static uint64_t last_id;
static uint64_t *ids; /* ascending */
static size_t n_ids, cap_ids;

/* Where it stands, or would. */
static size_t place_of(uint64_t id)
{
    size_t low = 0, high = n_ids;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

rg_status rg_opened_begin(uint64_t *id)
{
    pthread_mutex_lock(&lock);
    rg_status code = rg_grow((void **)&ids, n_ids, &cap_ids, sizeof *ids);
    if (code == RG_OK)
        *id = ids[n_ids++] = ++last_id;
    pthread_mutex_unlock(&lock);
    return code;
}

void rg_opened_end(uint64_t id)
{
    pthread_mutex_lock(&lock);
    size_t at = place_of(id);
    if (at < n_ids && ids[at] == id)
        memmove(ids + at, ids + at + 1, (--n_ids - at) * sizeof *ids);
    if (n_ids == 0) {
        rg_free(ids);
        ids = NULL;
        cap_ids = 0;
    }
    pthread_mutex_unlock(&lock);
}

bool rg_opened_is(uint64_t id)
{
    pthread_mutex_lock(&lock);
    size_t at = place_of(id);
    bool is = at < n_ids && ids[at] == id;
    pthread_mutex_unlock(&lock);
    return is;
}
