/* kept.c - requests that have been answered, and are not on the server's disk yet. */
#include "rpc/kept_priv.h"

#include "base/copy_past.h"
#include "base/mem.h"
#include "rpc/kept.h"
#include "sys/cond.h"
#include "sys/metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 64 << 10 };

/* ---- the window ---- */

typedef union block {
    union block *next;
    uint8_t bytes[BLOCK];
} block;

struct rg_rpc_window {
    uint64_t limit;
    pthread_mutex_t lock;
    pthread_cond_t change;
    uint64_t used;
    block *spare; /* owned: blocks are used again, so that none is paged in for each request */
};

rg_status rg_rpc_window_open(rg_rpc_window **out, uint64_t limit)
{
    rg_rpc_window *w = rg_alloc_zero(1, sizeof *w);
    if (w == NULL)
        return rg_no_memory(sizeof *w, "a window of requests");
    w->limit = limit;
    pthread_mutex_init(&w->lock, NULL);
    rg_cond_init(&w->change);
    *out = w;
    return RG_OK;
}

void rg_rpc_window_close(rg_rpc_window *w)
{
    if (w == NULL)
        return;
    while (w->spare != NULL) {
        block *gone = w->spare;
        w->spare = gone->next;
        rg_free(gone);
    }
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->change);
    rg_free(w);
}

/* With the lock. */
static bool take(rg_rpc_window *w, uint64_t bytes, bool must)
{
    if (!must && w->used > 0 && (bytes > w->limit || w->used > w->limit - bytes))
        return false;
    w->used += bytes;
    rg_metric_set(RG_M_WINDOW, (double)w->used);
    return true;
}

bool rg_rpc_window_take(rg_rpc_window *w, uint64_t bytes, uint64_t ns)
{
    pthread_mutex_lock(&w->lock);
    bool taken = take(w, bytes, false);
    if (!taken && ns > 0) {
        (void)rg_cond_wait(&w->change, &w->lock, ns);
        taken = take(w, bytes, false);
    }
    pthread_mutex_unlock(&w->lock);
    return taken;
}

void rg_rpc_window_give(rg_rpc_window *w, uint64_t bytes)
{
    pthread_mutex_lock(&w->lock);
    w->used -= bytes;
    rg_metric_set(RG_M_WINDOW, (double)w->used);
    (void)pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
}

uint64_t rg_rpc_window_used(rg_rpc_window *w)
{
    pthread_mutex_lock(&w->lock);
    uint64_t used = w->used;
    pthread_mutex_unlock(&w->lock);
    return used;
}

uint64_t rg_rpc_window_limit(const rg_rpc_window *w)
{
    return w->limit;
}

static block *take_block(rg_rpc_window *w)
{
    pthread_mutex_lock(&w->lock);
    block *b = w->spare;
    if (b != NULL)
        w->spare = b->next;
    pthread_mutex_unlock(&w->lock);
    return b != NULL ? b : rg_alloc(sizeof *b);
}

/* ---- one request ---- */

/* The body is copied by the thread that started the request, while it travels; the loop may want it
 * meanwhile, or want it no more. */
enum { FILLING, FILLED, WANTED, UNWANTED };

struct rg_kept {
    rg_task task; /* its body is there now */
    rg_rpc_client *client;
    rg_kept *next;
    rg_frame frame;
    uint64_t after;   /* answers of those kept that had come when it was started */
    uint64_t answer;  /* its own, counted likewise */
    uint64_t sent_on; /* the connection it was sent again on last; 0: none */
    bool writing, dropped;
    atomic_int body;
    uint64_t bytes; /* of the body, and so of the window */
    size_t n;       /* pieces of it: blocks, or a small one of its own size */
    rg_iov iov[];
};

/* Or in one piece of its own. */
static bool is_in_blocks(const rg_kept *kept)
{
    return kept->bytes > BLOCK / 4;
}

static void free_kept(rg_kept *kept)
{
    rg_rpc_window *w = kept->client->window;
    bool blocks = is_in_blocks(kept);
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; blocks && i < kept->n; i++) {
        block *b = (block *)(uintptr_t)kept->iov[i].at;
        b->next = w->spare;
        w->spare = b;
    }
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; !blocks && i < kept->n; i++)
        rg_free((void *)(uintptr_t)kept->iov[i].at);
    rg_rpc_window_give(w, kept->bytes);
    rg_free(kept);
}

static void go_on(rg_task *task)
{
    rg_kept *kept = (rg_kept *)task;
    rg_rpc_client *client = kept->client;
    atomic_store(&kept->body, FILLED);
    if (kept->dropped)
        free_kept(kept);
    else if (client->link != NULL)
        rg_calls_send_all(client);
}

static bool add_room(rg_kept *kept)
{
    bool blocks = is_in_blocks(kept);
    for (uint64_t left = kept->bytes; left > 0;) {
        uint64_t n = blocks && left > BLOCK ? BLOCK : left;
        void *at = blocks ? (void *)take_block(kept->client->window) : rg_alloc(n);
        if (at == NULL)
            return false;
        kept->iov[kept->n++] = (rg_iov){at, n};
        left -= n;
    }
    return true;
}

rg_kept *rg_kept_new(rg_rpc_client *client, const rg_frame *frame, bool taken)
{
    rg_rpc_window *w = client->window;
    size_t pieces = (size_t)(frame->bytes / BLOCK) + 1;
    rg_kept *kept = rg_alloc_zero(1, sizeof *kept + pieces * sizeof *kept->iov);
    if (!taken) {
        pthread_mutex_lock(&w->lock);
        (void)take(w, frame->bytes, true);
        pthread_mutex_unlock(&w->lock);
    }
    if (kept == NULL) {
        rg_rpc_window_give(w, frame->bytes);
        return NULL;
    }
    kept->client = client;
    kept->task.run = go_on;
    kept->frame = *frame;
    kept->bytes = frame->bytes;
    if (add_room(kept))
        return kept;
    free_kept(kept);
    return NULL;
}

void rg_kept_fill(rg_kept *kept, const rg_iov *iov, size_t n)
{
    int state = FILLING;
    size_t to = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        for (uint64_t done = 0; done < iov[i].bytes;) {
            uint64_t room = kept->iov[to].bytes - at, left = iov[i].bytes - done;
            uint64_t part = left < room ? left : room;
            /* Nobody reads it soon, if ever. */
            rg_copy_past((uint8_t *)(uintptr_t)kept->iov[to].at + at,
                         (const uint8_t *)iov[i].at + done, part);
            done += part;
            at = part == room ? 0 : at + part;
            to += part == room;
        }
    if (atomic_compare_exchange_strong(&kept->body, &state, FILLED))
        return;
    if (state == UNWANTED)
        free_kept(kept);
    else
        rg_loop_post(kept->client->loop, &kept->task);
}

void rg_kept_drop(rg_kept *kept)
{
    int state = FILLING;
    if (kept == NULL)
        return;
    kept->dropped = true;
    /* Else who fills it, or the end of its being written, comes by here. */
    if (!atomic_compare_exchange_strong(&kept->body, &state, UNWANTED) && state == FILLED &&
        !kept->writing)
        free_kept(kept);
}

/* ---- answered, and not on the disk ---- */

static void add_kept(rg_kept *kept)
{
    rg_rpc_client *client = kept->client;
    kept->next = NULL;
    if (client->kept == NULL)
        client->kept = kept;
    else
        client->last_kept->next = kept;
    client->last_kept = kept;
}

uint64_t rg_kept_count(const rg_rpc_client *client)
{
    return client->n_kept_answers;
}

void rg_kept_answered(rg_kept *kept, uint64_t id, uint64_t after)
{
    kept->frame.id = id;
    kept->after = after;
    kept->answer = ++kept->client->n_kept_answers;
    add_kept(kept);
}

static void drop_first(rg_rpc_client *client)
{
    rg_kept *first = client->kept;
    client->kept = first->next;
    rg_kept_drop(first);
}

void rg_kept_durable(rg_rpc_client *client, uint64_t id)
{
    const rg_kept *last = client->kept;
    while (last != NULL && last->frame.id != id)
        last = last->next;
    if (last == NULL)
        return; /* told before, or of one that has not been heard */
    while (client->kept != last)
        drop_first(client);
    drop_first(client);
}

/* Those that were done again stand behind others that were answered later. */
void rg_kept_flushed(rg_rpc_client *client, uint64_t after)
{
    for (rg_kept **at = &client->kept; *at != NULL;) {
        rg_kept *kept = *at;
        if (kept->answer <= after) {
            *at = kept->next;
            rg_kept_drop(kept);
        } else {
            client->last_kept = kept;
            at = &kept->next;
        }
    }
}

/* ---- once more ---- */

/* Ids grow, on a connection too. */
static void owe(rg_rpc_client *client, rg_kept *kept)
{
    rg_kept **at = &client->owed;
    while (*at != NULL && (*at)->frame.id < kept->frame.id)
        at = &(*at)->next;
    kept->sent_on = 0;
    kept->next = *at;
    *at = kept;
}

void rg_kept_owe(rg_rpc_client *client, uint64_t came)
{
    while (client->kept != NULL) {
        rg_kept *kept = client->kept;
        client->kept = kept->next;
        owe(client, kept);
    }
    while (client->owed != NULL && client->owed->frame.id <= came) {
        rg_kept *has = client->owed;
        client->owed = has->next;
        rg_kept_drop(has);
    }
}

rg_kept *rg_kept_due(const rg_rpc_client *client)
{
    rg_kept *kept = client->owed;
    while (kept != NULL && kept->sent_on == client->connection)
        kept = kept->next;
    return kept;
}

uint64_t rg_kept_id(const rg_kept *kept)
{
    return kept->frame.id;
}

bool rg_kept_allows(const rg_rpc_client *client, uint64_t after)
{
    for (const rg_kept *k = client->owed; k != NULL && k->sent_on == client->connection;
         k = k->next)
        if (k->answer <= after)
            return false;
    return true;
}

static void written(void *arg)
{
    rg_kept *kept = arg;
    kept->writing = false;
    if (kept->dropped)
        free_kept(kept);
}

bool rg_kept_send(rg_kept *kept)
{
    rg_rpc_client *client = kept->client;
    int state = FILLING;
    if (!rg_kept_allows(client, kept->after))
        return false;
    if (atomic_compare_exchange_strong(&kept->body, &state, WANTED) || state == WANTED)
        return false;
    kept->sent_on = client->connection;
    kept->frame.flags |= RG_FRAME_RESENT | RG_FRAME_HEARD;
    kept->writing = true;
    rg_link_send(client->link, &kept->frame, kept->iov, kept->n, written, kept);
    return true;
}

rg_kept *rg_kept_owed(const rg_rpc_client *client, uint64_t id)
{
    rg_kept *kept = client->owed;
    while (kept != NULL && kept->frame.id != id)
        kept = kept->next;
    return kept;
}

void rg_kept_done(rg_kept *kept, bool noted)
{
    rg_kept **at = &kept->client->owed;
    while (*at != kept)
        at = &(*at)->next;
    *at = kept->next;
    if (noted)
        add_kept(kept);
    else
        rg_kept_drop(kept);
}

static void drop_all(rg_kept *kept)
{
    while (kept != NULL) {
        rg_kept *next = kept->next;
        rg_kept_drop(kept);
        kept = next;
    }
}

void rg_kept_close(rg_rpc_client *client)
{
    drop_all(client->kept);
    drop_all(client->owed);
    client->kept = client->owed = NULL;
}
