/* deal_state.c - how far the data of a job is, beyond a process: in journals, in snapshots, and of
 * several servers whose job has stopped. */
#include "dist/deal_priv.h"

#include "base/mem.h"

#include <string.h>

/* ---- a job that has stopped ---- */

/* What the other has of a range of ours; all of it where the reading is over there. */
static uint64_t theirs(const rg_deals *other, size_t number, uint32_t i, uint64_t all)
{
    if (number >= other->n)
        return 0;
    const rg_range *ranges = other->readings[number].ranges;
    return ranges != NULL ? ranges[i].rows : all;
}

rg_status rg_deals_agree(rg_deals *d, rg_deals *other)
{
    for (size_t k = 0; k < d->n; k++) {
        rg_reading *r = &d->readings[k];
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
        const rg_reading *r = tags[i].reading < d->n ? &d->readings[tags[i].reading] : NULL;
        if (r == NULL || (r->ranges != NULL && (tags[i].range >= r->is.ranges ||
                                                tags[i].to > r->ranges[tags[i].range].rows)))
            return true;
    }
    return false;
}

/* ---- again ---- */

/* Of notes and of snapshots: where it belongs follows from its state. */
static void sort_in(rg_reading *r, uint32_t i)
{
    const rg_range *it = &r->ranges[i];
    if (it->state == RG_RANGE_HELD)
        r->held[r->n_held++] = i;
    else if (it->state == RG_RANGE_FREE && it->generation > 0)
        r->back[r->n_back++] = i;
    if (it->generation > 0 && r->next <= i)
        r->next = i + 1;
}

static rg_status replay(rg_deals *d, const rg_range_note *note)
{
    rg_range *it;
    if (note->reading < d->n && d->readings[note->reading].ranges == NULL)
        return RG_OK;
    RG_TRY(rg_deals_find_range(d, note->reading, note->range, &it));
    rg_reading *r = &d->readings[note->reading];
    if (note->state > RG_RANGE_DONE || it->state == RG_RANGE_DONE)
        return note->state > RG_RANGE_DONE
                   ? rg_fail(RG_ECORRUPT, "a range in state %u", note->state)
                   : RG_OK;
    bool was_held = it->state == RG_RANGE_HELD;
    rg_reading_drop_held(r, note->range);
    rg_reading_drop_back(r, note->range);
    it->generation = note->generation;
    it->holder = note->holder;
    it->epoch = note->epoch;
    it->ticket = note->ticket;
    if (note->state == RG_RANGE_DONE) {
        rg_reading_is_done(r, note->range, note->rows);
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
static uint64_t rows_that_count(uint32_t number, uint32_t i, const rg_range *it,
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
        const rg_reading *r = &d->readings[k];
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
            const rg_range *it = &r->ranges[i];
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

static rg_status read_ranges(rg_reading *r, rg_cursor *in)
{
    for (uint32_t i = 0; i < r->is.ranges; i++) {
        rg_range *it = &r->ranges[i];
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

static rg_status read_reading(rg_reading *r, uint32_t number, rg_cursor *in)
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
    rg_status code = rg_reading_lay_out(r, &plan);
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
        d->readings[d->n] = (rg_reading){0};
        RG_TRY(read_reading(&d->readings[d->n++], (uint32_t)i, in));
    }
    return RG_OK;
}
