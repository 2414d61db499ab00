/* deal.c - the data of a job in ranges of files. */
#include "dist/deal.h"

#include "base/mem.h"

#include <pthread.h>
#include <string.h>

typedef struct range {
    uint8_t state;
    uint32_t generation; /* of who may push to it; 0: nobody had it */
    uint32_t holder;
    uint64_t epoch, ticket;
    uint64_t rows; /* applied here; done: all */
} range;

typedef struct reading {
    rg_pass_state is;
    uint64_t digest, range_bytes;
    uint64_t *sizes; /* of files; owned */
    uint32_t *first; /* by file, and one more: its first range; owned */
    uint32_t n_files;
    range *ranges; /* owned; NULL: it is over, and nothing of it is taken any more */
    uint32_t next; /* the first that nobody had */
    uint32_t *back, n_back, *held, n_held; /* that came back; that are held. Owned, room for all */
} reading;

struct rg_deals {
    pthread_mutex_t lock;
    rg_status (*note)(void *arg, const rg_range_note *note);
    void *arg;
    reading *readings; /* owned */
    size_t n, cap;
};

/* ---- opening ---- */

rg_status rg_deals_open(rg_deals **out, rg_status (*note)(void *arg, const rg_range_note *note),
                        void *arg)
{
    rg_deals *d = rg_alloc_zero(1, sizeof *d);
    if (d == NULL)
        return rg_no_memory(sizeof *d, "ranges of data");
    (void)pthread_mutex_init(&d->lock, NULL);
    d->note = note;
    d->arg = arg;
    *out = d;
    return RG_OK;
}

/* What is left of it is how it ended. */
static void fold(reading *r)
{
    rg_free(r->sizes);
    rg_free(r->first);
    rg_free(r->ranges);
    rg_free(r->back);
    rg_free(r->held);
    r->sizes = NULL;
    r->first = r->back = r->held = NULL;
    r->ranges = NULL;
    r->n_back = r->n_held = 0;
}

void rg_deals_close(rg_deals *d)
{
    for (size_t i = 0; d != NULL && i < d->n; i++)
        fold(&d->readings[i]);
    if (d != NULL) {
        rg_free(d->readings);
        (void)pthread_mutex_destroy(&d->lock);
    }
    rg_free(d);
}

/* ---- ranges ---- */

/* How many ranges a file has; one where it cannot be cut. */
static uint64_t ranges_of(const rg_deal_plan *plan, uint64_t size)
{
    return plan->range_bytes == 0 || size == 0 ? 1 : (size - 1) / plan->range_bytes + 1;
}

static rg_status count_ranges(const rg_deal_plan *plan, uint32_t *out)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < plan->n_files && n <= RG_DEAL_MAX_RANGES; i++) {
        uint64_t more = ranges_of(plan, plan->sizes[i]);
        n = more > RG_DEAL_MAX_RANGES ? more : n + more;
    }
    if (n > RG_DEAL_MAX_RANGES)
        return rg_fail(RG_ETOOBIG,
                       "the files have more than %d ranges of %llu bytes; make them larger "
                       "(FLAGS_data_range_bytes)",
                       RG_DEAL_MAX_RANGES, (unsigned long long)plan->range_bytes);
    *out = (uint32_t)n;
    return RG_OK;
}

static rg_status lay_out(reading *r, const rg_deal_plan *plan)
{
    RG_TRY(count_ranges(plan, &r->is.ranges));
    size_t n = (size_t)r->is.ranges + 1;
    r->digest = plan->digest;
    r->range_bytes = plan->range_bytes;
    r->n_files = plan->n_files;
    r->sizes = rg_alloc_zero((size_t)plan->n_files + 1, sizeof *r->sizes);
    r->first = rg_alloc_zero((size_t)plan->n_files + 1, sizeof *r->first);
    r->ranges = rg_alloc_zero(n, sizeof *r->ranges);
    r->back = rg_alloc(n * sizeof *r->back);
    r->held = rg_alloc(n * sizeof *r->held);
    if (!r->sizes || !r->first || !r->ranges || !r->back || !r->held)
        return rg_no_memory(n * sizeof *r->ranges, "ranges of data");
    for (uint32_t i = 0; i < plan->n_files; i++) {
        r->sizes[i] = plan->sizes[i];
        r->first[i + 1] = r->first[i] + (uint32_t)ranges_of(plan, plan->sizes[i]);
    }
    r->is.over = r->is.ranges == 0;
    return RG_OK;
}

/* The file of a range, and its bytes: all of it where both are 0. */
static void find_bytes(const reading *r, uint32_t number, rg_lease *lease)
{
    uint32_t low = 0, high = r->n_files;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (r->first[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    lease->file = low;
    lease->begin = (number - r->first[low]) * r->range_bytes;
    uint64_t left = r->sizes[low] - lease->begin;
    lease->end = lease->begin + (left < r->range_bytes ? left : r->range_bytes);
    if (r->first[low + 1] - r->first[low] == 1)
        lease->begin = lease->end = 0;
}

/* With the lock. RG_ESTALE where nothing of it is taken any more. */
static rg_status find(rg_deals *d, uint32_t number, reading **out)
{
    if (number >= d->n)
        return rg_fail(RG_EINVAL, "pass %u over the data has not begun", number);
    if (d->readings[number].ranges == NULL && !d->readings[number].is.over)
        return rg_fail(RG_ESTALE, "pass %u over the data was done long ago", number);
    *out = &d->readings[number];
    return RG_OK;
}

static rg_status find_range(rg_deals *d, uint32_t number, uint32_t i, range **out)
{
    reading *r;
    RG_TRY(find(d, number, &r));
    if (r->ranges == NULL)
        return rg_fail(RG_ESTALE, "pass %u over the data was done long ago", number);
    if (i >= r->is.ranges)
        return rg_fail(RG_EINVAL, "range %u of %u", i, r->is.ranges);
    *out = &r->ranges[i];
    return RG_OK;
}

static rg_status tell(const rg_deals *d, const reading *r, uint32_t i)
{
    const range *it = &r->ranges[i];
    rg_range_note note = {.reading = (uint32_t)(r - d->readings),
                          .range = i,
                          .state = it->state,
                          .generation = it->generation,
                          .holder = it->holder,
                          .epoch = it->epoch,
                          .ticket = it->ticket,
                          .rows = it->rows};
    return d->note != NULL ? d->note(d->arg, &note) : RG_OK;
}

static void drop_held(reading *r, uint32_t i)
{
    uint32_t at = 0;
    while (at < r->n_held && r->held[at] != i)
        at++;
    if (at < r->n_held)
        r->held[at] = r->held[--r->n_held];
}

static void drop_back(reading *r, uint32_t i)
{
    uint32_t at = 0;
    while (at < r->n_back && r->back[at] != i)
        at++;
    for (r->n_back -= at < r->n_back; at < r->n_back; at++)
        r->back[at] = r->back[at + 1];
}

/* ---- beginning ---- */

static rg_status begin(rg_deals *d, const rg_deal_plan *plan)
{
    if (plan->reading < d->n)
        return d->readings[plan->reading].digest == plan->digest
                   ? RG_OK
                   : rg_fail(RG_EINVAL,
                             "pass %u over leased data: this trainer has other files, or files of "
                             "other sizes, than the trainers before it; all must name the same "
                             "files in the same order",
                             plan->reading);
    if (plan->reading > d->n)
        return rg_fail(RG_EINVAL, "pass %u over the data begins, and pass %zu has not",
                       plan->reading, d->n);
    /* A server that deals none does not know. */
    if (d->n > 0 && d->readings[d->n - 1].next > 0 && !d->readings[d->n - 1].is.over)
        return rg_fail(RG_EINVAL, "pass %u over the data begins, and the one before is not done",
                       plan->reading);
    RG_TRY(rg_grow((void **)&d->readings, d->n, &d->cap, sizeof *d->readings));
    reading *r = &d->readings[d->n];
    *r = (reading){0};
    rg_status code = lay_out(r, plan);
    if (code != RG_OK) {
        fold(r);
        return code;
    }
    if (d->n > 0) {
        /* Who begins this one was told that all of the last is done, at every server. */
        r[-1].is.over = true;
        fold(&r[-1]);
    }
    d->n++;
    return RG_OK;
}

rg_status rg_deals_begin(rg_deals *d, const rg_deal_plan *plan, rg_pass_state *is)
{
    (void)pthread_mutex_lock(&d->lock);
    rg_status code = begin(d, plan);
    if (code == RG_OK)
        *is = d->readings[plan->reading].is;
    (void)pthread_mutex_unlock(&d->lock);
    return code;
}

/* ---- dealing ---- */

static bool is_asked_again(const reading *r, const rg_holder *holder, uint32_t *out)
{
    for (uint32_t k = 0; k < r->n_held; k++) {
        const range *it = &r->ranges[r->held[k]];
        if (it->holder == holder->trainer && it->epoch == holder->epoch &&
            it->ticket == holder->ticket) {
            *out = r->held[k];
            return true;
        }
    }
    return false;
}

static bool find_free(reading *r, uint32_t *out)
{
    if (r->n_back > 0)
        *out = r->back[--r->n_back];
    else if (r->next < r->is.ranges)
        *out = r->next++;
    else
        return false;
    return true;
}

static rg_status take(rg_deals *d, uint32_t number, const rg_holder *holder, rg_lease *lease,
                      rg_pass_state *is)
{
    reading *r;
    uint32_t i;
    RG_TRY(find(d, number, &r));
    *is = r->is;
    if (r->ranges == NULL)
        return RG_EOF;
    if (!is_asked_again(r, holder, &i)) {
        if (!find_free(r, &i))
            return RG_EOF;
        range *it = &r->ranges[i];
        it->state = RG_RANGE_HELD;
        it->generation++;
        it->holder = holder->trainer;
        it->epoch = holder->epoch;
        it->ticket = holder->ticket;
        r->held[r->n_held++] = i;
        RG_TRY(tell(d, r, i));
    }
    *lease = (rg_lease){.range = i, .generation = r->ranges[i].generation};
    find_bytes(r, i, lease);
    return RG_OK;
}

rg_status rg_deals_take(rg_deals *d, uint32_t number, const rg_holder *holder, rg_lease *lease,
                        rg_pass_state *is)
{
    (void)pthread_mutex_lock(&d->lock);
    rg_status code = take(d, number, holder, lease, is);
    (void)pthread_mutex_unlock(&d->lock);
    return code;
}

static void is_done(reading *r, uint32_t i, uint64_t rows)
{
    range *it = &r->ranges[i];
    it->state = RG_RANGE_DONE;
    it->rows = rows;
    drop_held(r, i);
    r->is.done++;
    r->is.rows += rows;
    r->is.over = r->is.done == r->is.ranges;
}

static rg_status finish(rg_deals *d, uint32_t number, const rg_lease_done *done)
{
    range *it;
    if (number < d->n && d->readings[number].ranges == NULL)
        return RG_OK;
    RG_TRY(find_range(d, number, done->range, &it));
    if (it->state == RG_RANGE_DONE && it->generation == done->generation)
        return RG_OK;
    if (it->generation != done->generation)
        return rg_fail(RG_ESTALE,
                       "range %u of the data was given to another trainer: this one was thought "
                       "dead",
                       done->range);
    if (it->rows != done->rows)
        return rg_fail(RG_ECORRUPT,
                       "range %u of the data has %llu examples, and %llu of them were applied",
                       done->range, (unsigned long long)done->rows, (unsigned long long)it->rows);
    drop_back(&d->readings[number], done->range); /* it was thought dead, and nobody has it yet */
    is_done(&d->readings[number], done->range, done->rows);
    return tell(d, &d->readings[number], done->range);
}

rg_status rg_deals_finish(rg_deals *d, uint32_t number, const rg_lease_done *done)
{
    (void)pthread_mutex_lock(&d->lock);
    rg_status code = finish(d, number, done);
    (void)pthread_mutex_unlock(&d->lock);
    return code;
}

static void is_back(reading *r, uint32_t i)
{
    r->ranges[i].state = RG_RANGE_FREE;
    drop_held(r, i);
    r->back[r->n_back++] = i;
    r->is.returned++;
}

uint32_t rg_deals_return(rg_deals *d, uint32_t trainer, uint64_t epoch)
{
    uint32_t n = 0;
    (void)pthread_mutex_lock(&d->lock);
    reading *r = d->n > 0 ? &d->readings[d->n - 1] : NULL;
    for (uint32_t k = r != NULL ? r->n_held : 0; k-- > 0;) {
        uint32_t i = r->held[k];
        if (r->ranges[i].holder != trainer || r->ranges[i].epoch > epoch)
            continue;
        is_back(r, i);
        (void)tell(d, r, i); /* where that fails the next that is asked hears of it */
        n++;
    }
    (void)pthread_mutex_unlock(&d->lock);
    return n;
}

/* ---- examples ---- */

static rg_status fence(rg_deals *d, uint32_t number, uint32_t i, uint32_t generation,
                       uint64_t *rows)
{
    range *it;
    RG_TRY(find_range(d, number, i, &it));
    if (generation < it->generation)
        return rg_fail(RG_ESTALE, "range %u of the data was given to another trainer", i);
    it->generation = generation;
    *rows = it->rows;
    return RG_OK;
}

rg_status rg_deals_fence(rg_deals *d, uint32_t number, uint32_t i, uint32_t generation,
                         uint64_t *rows)
{
    (void)pthread_mutex_lock(&d->lock);
    rg_status code = fence(d, number, i, generation, rows);
    (void)pthread_mutex_unlock(&d->lock);
    return code;
}

static rg_status look_at(rg_deals *d, const rg_push_tag *tag, bool *came)
{
    range *it;
    RG_TRY(find_range(d, tag->reading, tag->range, &it));
    if (tag->generation < it->generation)
        return rg_fail(RG_ESTALE,
                       "range %u of the data was given to another trainer: this one was thought "
                       "dead, and has to end",
                       tag->range);
    *came = tag->to <= it->rows;
    if (!*came && tag->from != it->rows)
        return rg_fail(RG_ESTALE,
                       "examples %llu to %llu of range %u are pushed, and this server has %llu of "
                       "them",
                       (unsigned long long)tag->from, (unsigned long long)tag->to, tag->range,
                       (unsigned long long)it->rows);
    return RG_OK;
}

static rg_status claim(rg_deals *d, const rg_push_tag *tags, uint32_t n, bool *came)
{
    for (uint32_t i = 0; i < n; i++) {
        bool each;
        RG_TRY(look_at(d, &tags[i], &each));
        if (i > 0 && each != *came)
            return rg_fail(RG_ESTALE, "of the examples of a push some have been applied here, "
                                      "and others have not");
        *came = each;
    }
    for (uint32_t i = 0; i < n && !*came; i++) {
        range *it = &d->readings[tags[i].reading].ranges[tags[i].range];
        it->generation = tags[i].generation;
        it->rows = tags[i].to;
    }
    return RG_OK;
}

rg_status rg_deals_claim(rg_deals *d, const rg_push_tag *tags, uint32_t n, bool *came)
{
    *came = false;
    (void)pthread_mutex_lock(&d->lock);
    rg_status code = claim(d, tags, n, came);
    (void)pthread_mutex_unlock(&d->lock);
    return code;
}

static bool may_unclaim(rg_deals *d, const rg_push_tag *tag)
{
    range *it;
    return find_range(d, tag->reading, tag->range, &it) == RG_OK &&
           it->generation == tag->generation && it->rows == tag->to;
}

bool rg_deals_unclaim(rg_deals *d, const rg_push_tag *tags, uint32_t n)
{
    bool may = true;
    (void)pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < n; i++)
        may = may && may_unclaim(d, &tags[i]);
    for (uint32_t i = 0; may && i < n; i++)
        d->readings[tags[i].reading].ranges[tags[i].range].rows = tags[i].from;
    (void)pthread_mutex_unlock(&d->lock);
    return may;
}

uint32_t rg_deals_count(rg_deals *d, rg_pass_state *last)
{
    (void)pthread_mutex_lock(&d->lock);
    uint32_t n = (uint32_t)d->n;
    *last = n > 0 ? d->readings[n - 1].is : (rg_pass_state){0};
    (void)pthread_mutex_unlock(&d->lock);
    return n;
}

/* ---- a job that has stopped ---- */

/* What the other has of a range of ours; all of it where the reading is over there. */
static uint64_t theirs(const rg_deals *other, size_t number, uint32_t i, uint64_t all)
{
    if (number >= other->n)
        return 0;
    const range *ranges = other->readings[number].ranges;
    return ranges != NULL ? ranges[i].rows : all;
}

rg_status rg_deals_agree(rg_deals *d, rg_deals *other)
{
    for (size_t k = 0; k < d->n; k++) {
        reading *r = &d->readings[k];
        for (uint32_t i = 0; r->ranges != NULL && i < r->is.ranges; i++) {
            uint64_t rows = theirs(other, k, i, r->ranges[i].rows);
            if (rows < r->ranges[i].rows && r->ranges[i].state == RG_RANGE_DONE)
                return rg_fail(
                    RG_ESTALE,
                    "range %u of the data is done, of %llu examples, and a server has lost "
                    "all but %llu",
                    i, (unsigned long long)r->ranges[i].rows, (unsigned long long)rows);
            if (rows < r->ranges[i].rows)
                r->ranges[i].rows = rows;
        }
    }
    return RG_OK;
}

uint32_t rg_deals_beyond(rg_deals *d, rg_deals *other)
{
    uint32_t n = 0;
    for (size_t k = 0; k < d->n; k++)
        for (uint32_t i = 0; d->readings[k].ranges != NULL && i < d->readings[k].is.ranges; i++) {
            uint64_t rows = d->readings[k].ranges[i].rows;
            n += theirs(other, k, i, rows) > rows;
        }
    return n;
}

bool rg_deals_lacks(rg_deals *d, const rg_push_tag *tags, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const reading *r = tags[i].reading < d->n ? &d->readings[tags[i].reading] : NULL;
        if (r == NULL || (r->ranges != NULL && (tags[i].range >= r->is.ranges ||
                                                tags[i].to > r->ranges[tags[i].range].rows)))
            return true;
    }
    return false;
}

/* ---- again ---- */

/* Of notes and of snapshots: where it belongs follows from its state. */
static void sort_in(reading *r, uint32_t i)
{
    const range *it = &r->ranges[i];
    if (it->state == RG_RANGE_HELD)
        r->held[r->n_held++] = i;
    else if (it->state == RG_RANGE_FREE && it->generation > 0)
        r->back[r->n_back++] = i;
    if (it->generation > 0 && r->next <= i)
        r->next = i + 1;
}

static rg_status replay(rg_deals *d, const rg_range_note *note)
{
    range *it;
    if (note->reading < d->n && d->readings[note->reading].ranges == NULL)
        return RG_OK;
    RG_TRY(find_range(d, note->reading, note->range, &it));
    reading *r = &d->readings[note->reading];
    if (note->state > RG_RANGE_DONE || it->state == RG_RANGE_DONE)
        return note->state > RG_RANGE_DONE
                   ? rg_fail(RG_ECORRUPT, "a range in state %u", note->state)
                   : RG_OK;
    bool was_held = it->state == RG_RANGE_HELD;
    drop_held(r, note->range);
    drop_back(r, note->range);
    it->generation = note->generation;
    it->holder = note->holder;
    it->epoch = note->epoch;
    it->ticket = note->ticket;
    if (note->state == RG_RANGE_DONE) {
        is_done(r, note->range, note->rows);
        return RG_OK;
    }
    r->is.returned += note->state == RG_RANGE_FREE && was_held;
    it->state = (uint8_t)note->state;
    sort_in(r, note->range);
    return RG_OK;
}

rg_status rg_deals_replay(rg_deals *d, const rg_range_note *note)
{
    (void)pthread_mutex_lock(&d->lock);
    rg_status code = replay(d, note);
    (void)pthread_mutex_unlock(&d->lock);
    return code;
}

/* Examples of the range that count: not those of pushes that are asked for again. */
static uint64_t rows_that_count(uint32_t number, uint32_t i, const range *it,
                                const rg_push_tag *const *claimed, const uint32_t *n_tags,
                                size_t n_claimed)
{
    uint64_t rows = it->rows;
    for (size_t k = 0; k < n_claimed; k++)
        for (uint32_t t = 0; t < n_tags[k]; t++)
            if (claimed[k][t].reading == number && claimed[k][t].range == i &&
                claimed[k][t].to == it->rows)
                rows = claimed[k][t].from;
    return rows;
}

/* {u64 readings, of each {u64 over, u64 digest, u64 rows, u32 done, u32 returned, u64 range_bytes,
 * u32 files, u32 ranges, u64 sizes, ranges}}; no ranges where it is over. */
void rg_deals_write(rg_deals *d, const rg_push_tag *const *claimed, const uint32_t *n_tags,
                    size_t n_claimed, rg_buf *out)
{
    (void)pthread_mutex_lock(&d->lock);
    rg_buf_u64(out, d->n);
    for (uint32_t k = 0; k < d->n; k++) {
        const reading *r = &d->readings[k];
        rg_buf_u32(out, r->is.over);
        rg_buf_u32(out, r->ranges != NULL);
        rg_buf_u64(out, r->digest);
        rg_buf_u64(out, r->is.rows);
        rg_buf_u32(out, r->is.done);
        rg_buf_u32(out, r->is.returned);
        rg_buf_u32(out, r->is.ranges);
        rg_buf_u32(out, r->n_files);
        rg_buf_u64(out, r->range_bytes);
        for (uint32_t i = 0; r->ranges != NULL && i < r->n_files; i++)
            rg_buf_u64(out, r->sizes[i]);
        for (uint32_t i = 0; r->ranges != NULL && i < r->is.ranges; i++) {
            const range *it = &r->ranges[i];
            rg_buf_u32(out, it->state);
            rg_buf_u32(out, it->generation);
            rg_buf_u32(out, it->holder);
            rg_buf_u32(out, 0);
            rg_buf_u64(out, it->epoch);
            rg_buf_u64(out, it->ticket);
            rg_buf_u64(out, rows_that_count(k, i, it, claimed, n_tags, n_claimed));
        }
    }
    (void)pthread_mutex_unlock(&d->lock);
}

static rg_status read_ranges(reading *r, rg_cursor *in)
{
    for (uint32_t i = 0; i < r->is.ranges; i++) {
        range *it = &r->ranges[i];
        uint32_t state, zero;
        RG_TRY(rg_cursor_u32(in, &state));
        RG_TRY(rg_cursor_u32(in, &it->generation));
        RG_TRY(rg_cursor_u32(in, &it->holder));
        RG_TRY(rg_cursor_u32(in, &zero));
        RG_TRY(rg_cursor_u64(in, &it->epoch));
        RG_TRY(rg_cursor_u64(in, &it->ticket));
        RG_TRY(rg_cursor_u64(in, &it->rows));
        if (state > RG_RANGE_DONE)
            return rg_fail(RG_ECORRUPT, "a range in state %u", state);
        it->state = (uint8_t)state;
        sort_in(r, i);
    }
    return RG_OK;
}

static rg_status read_reading(reading *r, uint32_t number, rg_cursor *in)
{
    uint32_t over, whole, files;
    rg_pass_state is = {0};
    rg_deal_plan plan = {.reading = number};
    const uint8_t *sizes = NULL;
    RG_TRY(rg_cursor_u32(in, &over));
    RG_TRY(rg_cursor_u32(in, &whole));
    RG_TRY(rg_cursor_u64(in, &plan.digest));
    RG_TRY(rg_cursor_u64(in, &is.rows));
    RG_TRY(rg_cursor_u32(in, &is.done));
    RG_TRY(rg_cursor_u32(in, &is.returned));
    RG_TRY(rg_cursor_u32(in, &is.ranges));
    RG_TRY(rg_cursor_u32(in, &files));
    RG_TRY(rg_cursor_u64(in, &plan.range_bytes));
    is.over = over != 0;
    r->digest = plan.digest;
    r->is = is;
    if (!whole)
        return RG_OK;
    RG_TRY(rg_cursor_take(in, (size_t)files * sizeof(uint64_t), &sizes));
    plan.n_files = files;
    plan.sizes = rg_alloc((size_t)files * sizeof(uint64_t) + 1);
    if (plan.sizes == NULL)
        return rg_no_memory(files, "ranges of data");
    memcpy((void *)(uintptr_t)plan.sizes, sizes, (size_t)files * sizeof(uint64_t));
    rg_status code = lay_out(r, &plan);
    rg_free((void *)(uintptr_t)plan.sizes);
    RG_TRY(code);
    if (r->is.ranges != is.ranges)
        return rg_fail(RG_ECORRUPT, "%u ranges of data, and the files have %u", is.ranges,
                       r->is.ranges);
    r->is = is;
    return read_ranges(r, in);
}

rg_status rg_deals_read(rg_deals *d, rg_cursor *in)
{
    uint64_t n;
    RG_TRY(rg_cursor_u64(in, &n));
    for (uint64_t i = 0; i < n; i++) {
        RG_TRY(rg_grow((void **)&d->readings, d->n, &d->cap, sizeof *d->readings));
        d->readings[d->n] = (reading){0};
        RG_TRY(read_reading(&d->readings[d->n++], (uint32_t)i, in));
    }
    return RG_OK;
}
