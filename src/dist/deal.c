/* deal.c - the data of a job in ranges of files. */
#include "dist/deal_priv.h"

#include "base/mem.h"

#include <string.h>

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
static void fold(rg_reading *r)
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

rg_status rg_reading_lay_out(rg_reading *r, const rg_deal_plan *plan)
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
static void find_bytes(const rg_reading *r, uint32_t number, rg_lease *lease)
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
static rg_status find(rg_deals *d, uint32_t number, rg_reading **out)
{
    if (number >= d->n)
        return rg_fail(RG_EINVAL, "pass %u over the data has not begun", number);
    if (d->readings[number].ranges == NULL && !d->readings[number].is.over)
        return rg_fail(RG_ESTALE, "pass %u over the data was done long ago", number);
    *out = &d->readings[number];
    return RG_OK;
}

rg_status rg_deals_find_range(rg_deals *d, uint32_t number, uint32_t i, rg_range **out)
{
    rg_reading *r;
    RG_TRY(find(d, number, &r));
    if (r->ranges == NULL)
        return rg_fail(RG_ESTALE, "pass %u over the data was done long ago", number);
    if (i >= r->is.ranges)
        return rg_fail(RG_EINVAL, "range %u of %u", i, r->is.ranges);
    *out = &r->ranges[i];
    return RG_OK;
}

static rg_status tell(const rg_deals *d, const rg_reading *r, uint32_t i)
{
    const rg_range *it = &r->ranges[i];
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

void rg_reading_drop_held(rg_reading *r, uint32_t i)
{
    uint32_t at = 0;
    while (at < r->n_held && r->held[at] != i)
        at++;
    if (at < r->n_held)
        r->held[at] = r->held[--r->n_held];
}

void rg_reading_drop_back(rg_reading *r, uint32_t i)
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
    rg_reading *r = &d->readings[d->n];
    *r = (rg_reading){0};
    rg_status code = rg_reading_lay_out(r, plan);
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

static bool is_asked_again(const rg_reading *r, const rg_holder *holder, uint32_t *out)
{
    for (uint32_t k = 0; k < r->n_held; k++) {
        const rg_range *it = &r->ranges[r->held[k]];
        if (it->holder == holder->trainer && it->epoch == holder->epoch &&
            it->ticket == holder->ticket) {
            *out = r->held[k];
            return true;
        }
    }
    return false;
}

static bool find_free(rg_reading *r, uint32_t *out)
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
    rg_reading *r;
    uint32_t i;
    RG_TRY(find(d, number, &r));
    *is = r->is;
    if (r->ranges == NULL)
        return RG_EOF;
    if (!is_asked_again(r, holder, &i)) {
        if (!find_free(r, &i))
            return RG_EOF;
        rg_range *it = &r->ranges[i];
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

void rg_reading_is_done(rg_reading *r, uint32_t i, uint64_t rows)
{
    rg_range *it = &r->ranges[i];
    it->state = RG_RANGE_DONE;
    it->rows = rows;
    rg_reading_drop_held(r, i);
    r->is.done++;
    r->is.rows += rows;
    r->is.over = r->is.done == r->is.ranges;
}

static rg_status finish(rg_deals *d, uint32_t number, const rg_lease_done *done)
{
    rg_range *it;
    if (number < d->n && d->readings[number].ranges == NULL)
        return RG_OK;
    RG_TRY(rg_deals_find_range(d, number, done->range, &it));
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
    rg_reading_drop_back(&d->readings[number],
                         done->range); /* it was thought dead, and nobody has it yet */
    rg_reading_is_done(&d->readings[number], done->range, done->rows);
    return tell(d, &d->readings[number], done->range);
}

rg_status rg_deals_finish(rg_deals *d, uint32_t number, const rg_lease_done *done)
{
    (void)pthread_mutex_lock(&d->lock);
    rg_status code = finish(d, number, done);
    (void)pthread_mutex_unlock(&d->lock);
    return code;
}

static void is_back(rg_reading *r, uint32_t i)
{
    r->ranges[i].state = RG_RANGE_FREE;
    rg_reading_drop_held(r, i);
    r->back[r->n_back++] = i;
    r->is.returned++;
}

uint32_t rg_deals_return(rg_deals *d, uint32_t trainer, uint64_t epoch)
{
    uint32_t n = 0;
    (void)pthread_mutex_lock(&d->lock);
    rg_reading *r = d->n > 0 ? &d->readings[d->n - 1] : NULL;
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
    rg_range *it;
    RG_TRY(rg_deals_find_range(d, number, i, &it));
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
    rg_range *it;
    RG_TRY(rg_deals_find_range(d, tag->reading, tag->range, &it));
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
        rg_range *it = &d->readings[tags[i].reading].ranges[tags[i].range];
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
    rg_range *it;
    return rg_deals_find_range(d, tag->reading, tag->range, &it) == RG_OK &&
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

rg_pass_state rg_deals_state(rg_deals *d, uint32_t reading)
{
    (void)pthread_mutex_lock(&d->lock);
    rg_pass_state is = reading < d->n ? d->readings[reading].is : (rg_pass_state){0};
    (void)pthread_mutex_unlock(&d->lock);
    return is;
}

uint32_t rg_deals_count(rg_deals *d, rg_pass_state *last)
{
    (void)pthread_mutex_lock(&d->lock);
    uint32_t n = (uint32_t)d->n;
    *last = n > 0 ? d->readings[n - 1].is : (rg_pass_state){0};
    (void)pthread_mutex_unlock(&d->lock);
    return n;
}
