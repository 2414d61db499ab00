/* serve_return.c - trainers that died and come back.
 *
 * With FLAGS_ps_return_seconds a trainer that is gone is *away* for so long: the others wait for it
 * (sync), or go on (async). A new process in its place begins another session, with the next epoch;
 * whatever the old one still sends is refused (commands.c). It runs its script from the start, asks
 * how far its predecessor was (RESUME), and computes what is missing. What it asks for on the way
 * that was done before is answered, and not done again:
 *
 *   pushes        are numbered: it begins with the first that is missing somewhere.
 *   rendezvous    are the same for all trainers, so their results are kept, in order.
 *   SET, SHRINK,  change something, each trainer's in the order of its script, whose calls have
 *   CLEAR, SAVE   numbers: whatever the number of servers, those up to the last are done.
 *
 * A sync trainer that died between its pushes to two servers has one server a step ahead of the
 * other. To compute that step once more it needs the values from before it: those are kept by each
 * shard, of the last step, and given to it until its push has come again. */
#include "dist/serve_members.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"
#include "dist/stats.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "base/sorted.h"
#include "sys/flags.h"

#include <string.h>

enum { KEPT_BYTES = 64 << 20 }; /* of results of rendezvous */

bool rg_serve_waits_for_return(void)
{
    return rg_flag_int("ps_return_seconds") > 0;
}

/* ---- another session ---- */

/* The first request of another session: what was counted for the one before begins anew. In the
 * loop of both. */
void rg_serve_new_session(rg_engine *s, rg_member *trainer)
{
    uint64_t epoch = atomic_load(&trainer->epoch);
    if (trainer->seen_epoch == epoch)
        return;
    trainer->asked = 0;
    pthread_mutex_lock(&s->lock);
    trainer->done = trainer->changed;
    trainer->seen_epoch = epoch;
    trainer->shuffled = trainer->n_posted > 0 || trainer->inbox.taken > 0;
    trainer->met = 0;
    trainer->idle = trainer->idle || trainer->leased; /* until it begins with the data */
    trainer->holds = 0;
    if (trainer->rendezvous.request != NULL) /* the new one comes to it again */
        rg_rpc_refuse(trainer->rendezvous.request, RG_ESTALE, "%s has taken its place",
                      trainer->who);
    rg_free(trainer->rendezvous.name);
    trainer->rendezvous = (rg_rendezvous){0};
    if (trainer->resume != NULL)
        rg_rpc_refuse(trainer->resume, RG_ESTALE, "%s has taken its place", trainer->who);
    trainer->resume = NULL;
    pthread_mutex_unlock(&s->lock);
}

bool rg_serve_was_done(rg_member *trainer, uint32_t call)
{
    if (rg_change_call(trainer->asked) != call)
        trainer->asked = rg_change_at(call, 0);
    return ++trainer->asked <= trainer->done;
}

void rg_serve_count_change(rg_engine *s, rg_member *trainer, uint64_t at, uint32_t of, bool saves)
{
    pthread_mutex_lock(&s->lock);
    if (at > trainer->changed) { /* threads of a script may have their calls side by side */
        trainer->changed = at;
        trainer->of = of;
        trainer->saves = saves;
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- RESUME ---- */

/* {u64 rendezvous, u32 threads, u32 statistics, of each thread {u64 pushes, u64 position}}, and
 * where `statistics` is 1 what it had told last, as in STATS. */
static void tell_ledger(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    const rg_reported *told = &trainer->stats;
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_buf_u64(&out, s->n_meetings);
    rg_buf_u32(&out, (uint32_t)trainer->n_pushed);
    rg_buf_u32(&out, told->has ? 1 : 0);
    for (size_t i = 0; i < trainer->n_pushed; i++) {
        rg_buf_u64(&out, trainer->pushed[i]);
        rg_buf_u64(&out, trainer->positions[i]);
    }
    if (told->has)
        rg_stats_write(&out, &(rg_stats){.rows = told->rows,
                                         .batches = told->batches,
                                         .seconds = told->seconds,
                                         .loss_sum = told->loss_sum,
                                         .pos = told->bins,
                                         .neg = told->bins ? told->bins + told->n_bins : NULL,
                                         .bins = told->n_bins});
    rg_serve_reply(request, &out);
}

void rg_serve_tell_resuming(rg_engine *s, rg_member *trainer)
{
    rg_rpc_request *request = trainer->resume;
    trainer->resume = NULL;
    if (request != NULL)
        tell_ledger(s, trainer, request);
}

void rg_serve_note_refused(rg_pushing *p)
{
    rg_serve_unclaim(p);
    if (p->trainer != NULL && !p->came && p->trainer->refused != NULL)
        atomic_store(&p->trainer->refused[p->push.thread], 1);
}

void rg_serve_fail_half(rg_pushing *p)
{
    rg_engine *s = p->spread.engine;
    if (p->trainer == NULL || p->came || (!rg_serve_waits_for_return() && p->push.n_tags == 0))
        return;
    pthread_mutex_lock(&s->lock);
    rg_serve_fail(s, p->spread.code, "a push of %s could not be applied in whole: %s",
                  p->trainer->who, p->spread.why);
    pthread_mutex_unlock(&s->lock);
}

/* A push that was refused counts for who goes on behind it; who starts again makes it again. */
void rg_serve_take_back_refused(rg_member *trainer)
{
    for (size_t i = 0; i < trainer->n_pushed; i++)
        if (atomic_exchange(&trainer->refused[i], 0) != 0 && trainer->pushed[i] > 0) {
            trainer->pushed[i]--;
            trainer->positions[i] = trainer->before[i];
        }
}

/* A push that waits for those of others is made again. Were it to count, and the answer to RESUME
 * to wait for its step, two trainers that died with their pushes at one server each would wait for
 * each other. With the lock. */
static void take_back_waiting(rg_engine *s, rg_member *trainer)
{
    rg_pushing *p = trainer->waiting;
    /* Of leased data it counts: others may have been told so. Nobody waits for this trainer. */
    if (p == NULL || s->stepping || trainer->leased)
        return;
    trainer->waiting = NULL;
    trainer->pushed[p->push.thread]--;
    trainer->positions[p->push.thread] = trainer->before[p->push.thread];
    (void)atomic_fetch_sub_explicit(&trainer->n_pushes, 1, memory_order_relaxed);
    rg_rpc_refuse(p->request, RG_ESTALE, "%s has taken its place", trainer->who);
    rg_pushing_end(p);
}

/* Of leased data ranges say what has been trained on, and the new process has others than the one
 * before: its pushes are numbered from 0. */
static void forget_counts(rg_member *trainer)
{
    for (size_t i = 0; i < trainer->n_pushed; i++)
        trainer->pushed[i] = trainer->positions[i] = trainer->before[i] = 0;
}

/* The pushes of each thread that it goes on with. */
static rg_status go_on_from(rg_member *trainer, const uint8_t *body, size_t n)
{
    rg_cursor in = {body, n};
    bool behind = false;
    if (n != trainer->n_pushed * sizeof(uint64_t))
        return rg_fail(RG_ECORRUPT, "%zu bytes for %zu threads", n, trainer->n_pushed);
    for (size_t i = 0; i < trainer->n_pushed; i++) {
        uint64_t from;
        RG_TRY(rg_cursor_u64(&in, &from));
        if (from > trainer->pushed[i])
            return rg_fail(
                RG_ESTALE, "%s goes on with its push number %llu, and only %llu have come",
                trainer->who, (unsigned long long)from, (unsigned long long)trainer->pushed[i]);
        behind = behind || from < trainer->pushed[i];
    }
    trainer->behind = behind;
    return RG_OK;
}

void rg_serve_resume(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    if (n > 0) {
        rg_status code = go_on_from(trainer, body, n);
        if (code != RG_OK)
            rg_refuse_with_message(request, code);
        else
            rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
        return;
    }
    rg_serve_take_back_refused(trainer);
    pthread_mutex_lock(&s->lock);
    take_back_waiting(s, trainer);
    if (trainer->leased)
        forget_counts(trainer);
    if (s->ended && s->failed != RG_OK)
        rg_rpc_refuse(request, s->failed, "%s", s->why);
    else if (trainer->waiting != NULL)
        trainer->resume = request; /* its push is in the step that is made: that is over soon */
    else
        tell_ledger(s, trainer, request);
    pthread_mutex_unlock(&s->lock);
    rg_serve_try_step(s);
}

/* ---- rendezvous that are over ---- */

static void forget_results(rg_engine *s)
{
    for (; s->meeting_bytes > KEPT_BYTES && s->first_kept < s->n_meetings; s->first_kept++) {
        rg_meeting *m = &s->meetings[s->first_kept];
        s->meeting_bytes -= m->n_result;
        rg_free(m->result);
        m->result = NULL;
        m->forgotten = m->n_result > 0;
    }
}

void rg_serve_keep_meeting(rg_engine *s, const rg_rendezvous *of, const void *result, size_t n)
{
    if (!rg_serve_waits_for_return() && s->elastic == 0)
        return;
    rg_meeting m = {.kind = of->kind, .name = rg_strdup(of->name), .n_result = n};
    m.result = n > 0 ? rg_alloc(n) : NULL;
    if (m.name == NULL || (n > 0 && m.result == NULL) ||
        rg_grow((void **)&s->meetings, s->n_meetings, &s->cap_meetings, sizeof m) != RG_OK) {
        rg_free(m.name);
        rg_free(m.result);
        rg_serve_fail(s, RG_ENOMEM, "no memory for what '%s' came to", of->name);
        return;
    }
    if (n > 0)
        memcpy(m.result, result, n);
    s->meetings[s->n_meetings++] = m;
    s->meeting_bytes += n;
    forget_results(s);
}

bool rg_serve_meet_again(rg_engine *s, rg_member *trainer, const rg_rendezvous *of)
{
    if (trainer->met >= s->n_meetings)
        return false;
    const rg_meeting *m = &s->meetings[trainer->met++];
    if (m->kind != of->kind || strcmp(m->name, of->name) != 0)
        rg_rpc_refuse(of->request, RG_EINVAL,
                      "%s was started again, and waits for '%s' where it waited for '%s' before: a "
                      "script that does other things when it is run again cannot go on",
                      trainer->who, of->name, m->name);
    else if (m->forgotten)
        rg_rpc_refuse(of->request, RG_ESTALE,
                      "what '%s' came to is not known any more: %d MiB of such results are kept",
                      of->name, KEPT_BYTES >> 20);
    else
        rg_rpc_reply(of->request, 0, &(rg_iov){m->result, m->n_result}, m->n_result > 0 ? 1 : 0,
                     NULL, NULL);
    return true;
}

void rg_serve_forget_meetings(rg_engine *s)
{
    for (size_t i = 0; i < s->n_meetings; i++) {
        rg_free(s->meetings[i].name);
        rg_free(s->meetings[i].result);
    }
    rg_free(s->meetings);
}

void rg_serve_write_meetings(const rg_engine *s, rg_buf *out)
{
    rg_buf_u64(out, s->n_meetings);
    for (size_t i = 0; i < s->n_meetings; i++) {
        const rg_meeting *m = &s->meetings[i];
        rg_buf_u32(out, m->kind);
        rg_buf_u32(out, m->forgotten);
        rg_ps_put_text(out, m->name);
        rg_buf_u64(out, m->forgotten ? 0 : m->n_result);
        if (!m->forgotten && m->n_result > 0)
            rg_buf_add(out, m->result, m->n_result);
    }
}

static rg_status read_meeting(rg_cursor *in, rg_meeting *m)
{
    const uint8_t *bytes;
    uint32_t forgotten;
    uint64_t n;
    RG_TRY(rg_cursor_u32(in, &m->kind));
    RG_TRY(rg_cursor_u32(in, &forgotten));
    RG_TRY(rg_ps_get_text(in, &m->name));
    RG_TRY(rg_cursor_u64(in, &n));
    RG_TRY(rg_cursor_take(in, (size_t)n, &bytes));
    m->forgotten = forgotten != 0;
    m->n_result = (size_t)n;
    m->result = n > 0 ? rg_alloc((size_t)n) : NULL;
    if (n > 0 && m->result == NULL)
        return rg_no_memory((size_t)n, "what a rendezvous came to");
    if (n > 0)
        memcpy(m->result, bytes, (size_t)n);
    return RG_OK;
}

rg_status rg_serve_read_meetings(rg_engine *s, rg_cursor *in)
{
    uint64_t n;
    RG_TRY(rg_cursor_u64(in, &n));
    for (uint64_t i = 0; i < n; i++) {
        RG_TRY(
            rg_grow((void **)&s->meetings, s->n_meetings, &s->cap_meetings, sizeof *s->meetings));
        rg_meeting *m = &s->meetings[s->n_meetings++];
        *m = (rg_meeting){0};
        RG_TRY(read_meeting(in, m));
        s->meeting_bytes += m->n_result;
    }
    return RG_OK;
}

/* ---- the values before the last step ---- */

void rg_served_step_begins(rg_served *var)
{
    var->n_before = 0;
    var->has_before = false;
    rg_served_drop_shown(var);
}

rg_status rg_served_keep_dense(rg_served *var)
{
    size_t n = (size_t)(var->about->rows * var->about->width);
    if (!var->shard->engine->keeps_before)
        return RG_OK;
    if (var->before == NULL && (var->before = rg_alloc((n + 1) * sizeof *var->before)) == NULL)
        return rg_no_memory(n * sizeof *var->before, "the values before a step");
    memcpy(var->before, var->param->data, n * sizeof *var->before);
    var->has_before = true;
    return RG_OK;
}

rg_status rg_served_keep_rows(rg_served *var, const int64_t *ids, size_t n)
{
    size_t width = (size_t)var->about->width;
    if (!var->shard->engine->keeps_before || n == 0)
        return RG_OK;
    if (n > var->cap_before) {
        size_t cap = n + n / 2;
        int64_t *more_ids = rg_realloc(var->before_ids, cap * sizeof *more_ids);
        var->before_ids = more_ids != NULL ? more_ids : var->before_ids;
        float *more = more_ids != NULL ? rg_realloc(var->before, cap * width * sizeof *more) : NULL;
        if (more == NULL)
            return rg_no_memory(cap * width * sizeof *more, "the rows before a step");
        var->before = more;
        var->cap_before = cap;
    }
    memcpy(var->before_ids, ids, n * sizeof *ids);
    RG_TRY(rg_served_pull(var, ids, NULL, n, var->before));
    var->n_before = n;
    return RG_OK;
}

const float *rg_served_values(const rg_served *var, bool before)
{
    return before && var->has_before ? var->before : var->param->data;
}

/* ids of `before_ids` ascend. */
static const float *row_before(const rg_served *var, int64_t id)
{
    size_t at = rg_first_from(var->before_ids, var->n_before, id);
    return at < var->n_before && var->before_ids[at] == id
               ? var->before + at * (size_t)var->about->width
               : NULL;
}

rg_status rg_served_pull_as(rg_served *var, rg_reading how, const int64_t *ids, const uint32_t *at,
                            size_t n, float *out)
{
    size_t width = (size_t)var->about->width;
    /* Who is behind reads rows that have made the step: to read them is no use of them either. */
    RG_TRY((how.peeks || how.before ? rg_served_peek : rg_served_pull)(var, ids, at, n, out));
    for (size_t i = 0; how.before && i < n; i++) {
        const float *row = row_before(var, ids[i]);
        if (row != NULL)
            memcpy(out + (at != NULL ? at[i] : i) * width, row, width * sizeof *row);
    }
    return RG_OK;
}

void rg_served_free_before(rg_served *var)
{
    rg_free(var->before);
    rg_free(var->before_ids);
}

/* Of a table {u64 n, ids, rows}, else {u64 values, values}. */
void rg_served_write_before(const rg_served *var, rg_buf *out)
{
    size_t width = (size_t)var->about->width;
    size_t n = var->table != NULL || var->n_before > 0 ? var->n_before : (size_t)var->about->rows;
    rg_buf_u64(out, n);
    if (var->n_before > 0)
        rg_buf_add(out, var->before_ids, n * sizeof *var->before_ids);
    rg_buf_add(out, var->before, n * width * sizeof *var->before);
}

rg_status rg_served_read_before(rg_served *var, rg_cursor *in)
{
    size_t width = (size_t)var->about->width;
    bool rows = var->about->table;
    const uint8_t *ids = NULL, *values;
    uint64_t n;
    RG_TRY(rg_cursor_u64(in, &n));
    if (n > in->left / sizeof(float) || (!rows && n != (uint64_t)var->about->rows))
        return rg_fail(RG_ECORRUPT, "%llu rows of %s before a step", (unsigned long long)n,
                       var->about->name);
    if (rows)
        RG_TRY(rg_cursor_take(in, (size_t)n * sizeof *var->before_ids, &ids));
    RG_TRY(rg_cursor_take(in, (size_t)n * width * sizeof *var->before, &values));
    rg_served_free_before(var);
    var->before_ids = rows ? rg_alloc((n + 1) * sizeof *var->before_ids) : NULL;
    var->before = rg_alloc((n * width + 1) * sizeof *var->before);
    if ((rows && var->before_ids == NULL) || var->before == NULL)
        return rg_no_memory(n * width * sizeof *var->before, "the values before a step");
    if (rows && n > 0)
        memcpy(var->before_ids, ids, n * sizeof *var->before_ids);
    memcpy(var->before, values, n * width * sizeof *var->before);
    var->n_before = var->cap_before = rows ? (size_t)n : 0;
    var->has_before = !rows;
    return RG_OK;
}
