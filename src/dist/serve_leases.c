/* serve_leases.c - data that is dealt to trainers: requests about ranges, and the examples of
 * pushes. dist/deal.h is the table. */
#include "dist/serve_members.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "sys/fault.h"
#include "sys/log.h"

static rg_status note(void *arg, const rg_range_note *what)
{
    return rg_serve_note_lease(arg, what);
}

rg_status rg_serve_open_leases(rg_engine *s)
{
    return rg_deals_open(&s->deals, note, s);
}

/* ---- requests ---- */

static rg_status begin_pass(rg_engine *s, rg_member *trainer, rg_rpc_request *request,
                            rg_pass_state *is)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_deal_plan plan;
    rg_status code = rg_deal_plan_read(&plan, body, n);
    if (code == RG_OK && !trainer->leased && atomic_load(&trainer->n_pushes) > 0)
        code = rg_fail(
            RG_EINVAL,
            "%s has trained on examples that are not leased; in one job they all are, or "
            "none is",
            trainer->who);
    if (code == RG_OK)
        code = rg_deals_begin(s->deals, &plan, is);
    rg_free((void *)(uintptr_t)plan.sizes);
    return code;
}

void rg_serve_begin_pass(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_pass_state is;
    rg_buf out;
    rg_status code = begin_pass(s, trainer, request, &is);
    if (code != RG_OK) {
        rg_refuse_with_message(request, code);
        return;
    }
    trainer->leased = true;
    rg_buf_init(&out, 0);
    rg_pass_state_write(&out, &is);
    rg_buf_u64(&out, trainer->idle);
    rg_serve_reply(request, &out);
}

static void tell_end(const rg_engine *s, uint32_t reading, const rg_pass_state *is)
{
    rg_log(RG_LOG_I, "ps",
           "server=%d pass=%u ranges=%u given_back=%u examples=%llu \"each example of the data was "
           "trained on once\"",
           s->id, reading, is->ranges, is->returned, (unsigned long long)is->rows);
}

static rg_status deal(rg_engine *s, rg_member *trainer, const rg_lease_ask *ask, rg_buf *out)
{
    rg_holder holder = {.trainer = (uint32_t)(trainer - s->trainers),
                        .epoch = trainer->epoch,
                        .ticket = ask->ticket};
    rg_lease lease = {0};
    rg_pass_state is, last, before = rg_deals_state(s->deals, ask->reading);
    for (uint32_t i = 0; i < ask->n_done; i++)
        RG_TRY(rg_deals_finish(s->deals, ask->reading, &ask->done[i]));
    rg_status code = RG_EOF;
    if (ask->wants)
        code = rg_deals_take(s->deals, ask->reading, &holder, &lease, &is);
    if (code != RG_OK && code != RG_EOF)
        return code;
    /* Of the pass that it asks about: others may have begun the next one. */
    is = rg_deals_state(s->deals, ask->reading);
    if (!before.over && is.over)
        tell_end(s, ask->reading, &is);
    is.over = is.over || ask->reading + 1 < rg_deals_count(s->deals, &last);
    rg_lease_given_write(out, code == RG_OK, &lease, &is);
    return RG_OK;
}

void rg_serve_lease(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_lease_ask ask;
    rg_buf out;
    rg_buf_init(&out, 0);
    (void)rg_fault("ps.lease");
    rg_status code = rg_lease_ask_read(&ask, body, n);
    if (code == RG_OK)
        code = deal(s, trainer, &ask, &out);
    rg_free(ask.done);
    (void)rg_fault("ps.leased");
    rg_serve_wait_for_notes(s, request);
    if (code == RG_OK) {
        rg_serve_reply(request, &out);
        return;
    }
    rg_refuse_with_message(request, code);
    rg_buf_fini(&out);
}

void rg_serve_range(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    rg_cursor in = {.at = rg_rpc_request_body(request, &n)};
    uint32_t numbers[4];
    uint64_t rows = 0;
    rg_status code = RG_OK;
    rg_buf out;
    (void)trainer;
    in.left = n;
    for (int i = 0; i < 4 && code == RG_OK; i++)
        code = rg_cursor_u32(&in, &numbers[i]);
    if (code == RG_OK)
        code = rg_cursor_end(&in);
    if (code == RG_OK)
        code = rg_deals_fence(s->deals, numbers[0], numbers[1], numbers[2], &rows);
    if (code != RG_OK) {
        rg_refuse_with_message(request, code);
        return;
    }
    rg_buf_init(&out, 0);
    rg_buf_u64(&out, rows);
    rg_serve_reply(request, &out);
}

void rg_serve_idle(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    (void)s;
    trainer->idle = true; /* the way in of commands tries the step */
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
}

/* ---- who is gone ---- */

void rg_serve_return_leases(rg_engine *s, const rg_member *trainer, uint64_t epoch)
{
    uint32_t n = rg_deals_return(s->deals, (uint32_t)(trainer - s->trainers), epoch);
    if (n > 0)
        rg_log(RG_LOG_W, "ps",
               "server=%d trainer=%d ranges=%u \"what it had of the data, and was not done with, "
               "goes to others\"",
               s->id, (int)(trainer - s->trainers), n);
}

/* ---- pushes ---- */

rg_status rg_serve_claim(rg_engine *s, rg_pushing *p)
{
    bool came = false;
    if (p->push.n_tags == 0 && p->trainer->leased)
        return rg_fail(RG_EINVAL,
                       "%s pushes what it has learned of examples that are not leased; in one job "
                       "they all are, or none is",
                       p->trainer->who);
    if (p->push.n_tags == 0 && s->elastic > 0 && s->mode->programs.merges)
        return rg_fail(
            RG_EINVAL,
            "%s pushes what it has learned of examples that are not leased, in a sync job "
            "whose trainers come and go: lease the files "
            "(dataset.set_filelist(files, lease=True)), or use async mode",
            p->trainer->who);
    if (p->push.n_tags == 0 || p->came)
        return RG_OK;
    RG_TRY(rg_deals_claim(s->deals, p->push.tags, p->push.n_tags, &came));
    p->came = p->empty = came;
    return RG_OK;
}

void rg_serve_unclaim(rg_pushing *p)
{
    if (p->push.n_tags > 0 && !p->came)
        (void)rg_deals_unclaim(p->spread.engine->deals, p->push.tags, p->push.n_tags);
}

/* ---- snapshots, and the end ---- */

/* Pushes that wait for their step are asked for again, and claimed then. One that brings nothing
 * has claimed nothing: its examples are those of a push that was applied. */
void rg_serve_write_leases(rg_engine *s, rg_buf *out)
{
    size_t n = 0;
    const rg_push_tag **tags = rg_alloc_zero((size_t)s->schema.trainers + 1, sizeof *tags);
    uint32_t *counts = rg_alloc_zero((size_t)s->schema.trainers + 1, sizeof *counts);
    for (uint32_t t = 0; tags != NULL && counts != NULL && t < s->schema.trainers; t++) {
        const rg_pushing *p = s->trainers[t].waiting;
        if (p == NULL || p->empty)
            continue;
        tags[n] = p->push.tags;
        counts[n++] = p->push.n_tags;
    }
    if (tags == NULL || counts == NULL)
        rg_buf_room(out, SIZE_MAX); /* the buffer says that there is no memory */
    else
        rg_deals_write(s->deals, tags, counts, n, out);
    rg_free((void *)tags);
    rg_free(counts);
}

void rg_serve_sum_up_leases(rg_engine *s)
{
    rg_pass_state is;
    uint32_t passes = rg_deals_count(s->deals, &is);
    if (passes > 0 && is.done > 0 && !is.over && s->failed == RG_OK)
        rg_log(
            RG_LOG_W, "ps",
            "server=%d pass=%u ranges=%u done=%u \"the job has ended, and not all of the data was "
            "trained on\"",
            s->id, passes - 1, is.ranges, is.done);
}
