/* serve_push.c - gradients taken: read and checked in the loop of who pushes, applied by the
 * shards.
 *
 * A push is counted before it is read: the trainer's loop alone knows how many of each of its
 * threads have come, and one that comes again is answered, and applied in no shard. What becomes
 * of it is the mode's to say (dist/mode.h). At once: each shard applies its part, and writes into
 * the answer what it has of the values that are wanted back, so that these have the push in them.
 */
#include "dist/serve_members.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"

#include "base/mem.h"
#include "rpc/body.h"
#include "sys/fault.h"
#include "sys/metrics.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SPARE = 16 }; /* pushes whose memory a loop keeps */

/* ---- its memory ---- */

rg_pushing *rg_pushing_begin(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_shard *home = &s->shards[rg_rpc_peer_loop(rg_rpc_request_peer(request))];
    pthread_mutex_lock(&home->spare_lock);
    rg_pushing *p = home->spare;
    if (p != NULL) {
        home->spare = p->next;
        home->n_spare--;
    }
    pthread_mutex_unlock(&home->spare_lock);
    if (p == NULL)
        p = rg_spread_new(s, sizeof *p);
    if (p == NULL)
        return NULL;
    p->home = home;
    p->trainer = trainer;
    p->request = request;
    p->came = p->before = p->empty = false;
    p->rows = NULL;
    p->mine = NULL;
    p->push.n_tags = 0;
    return p;
}

static void free_pushing(rg_pushing *p)
{
    rg_arena_free(&p->arena);
    rg_free(p);
}

void rg_pushing_end(rg_pushing *p)
{
    rg_shard *home = p->home;
    rg_body_free(p->values);
    p->values = NULL;
    rg_arena_reset(&p->arena);
    pthread_mutex_lock(&home->spare_lock);
    bool kept = home->n_spare < MOST_SPARE;
    if (kept) {
        p->next = home->spare;
        home->spare = p;
        home->n_spare++;
    }
    pthread_mutex_unlock(&home->spare_lock);
    if (!kept)
        free_pushing(p);
}

void rg_serve_free_spare(rg_shard *shard)
{
    while (shard->spare != NULL) {
        rg_pushing *p = shard->spare;
        shard->spare = p->next;
        free_pushing(p);
    }
}

/* ---- reading ---- */

static rg_status count_more(uint64_t **counts, size_t before, size_t n)
{
    uint64_t *more = rg_realloc(*counts, n * sizeof *more);
    if (more == NULL)
        return rg_no_memory(n * sizeof *more, "pushes of a trainer");
    memset(more + before, 0, (n - before) * sizeof *more);
    *counts = more;
    return RG_OK;
}

rg_status rg_serve_count_threads(rg_member *trainer, size_t n)
{
    if (trainer->refused == NULL)
        trainer->refused = rg_alloc_zero(RG_PS_MAX_THREADS, sizeof *trainer->refused);
    if (trainer->refused == NULL)
        return rg_no_memory(RG_PS_MAX_THREADS, "pushes of a trainer");
    RG_TRY(count_more(&trainer->pushed, trainer->n_pushed, n));
    RG_TRY(count_more(&trainer->positions, trainer->n_pushed, n));
    RG_TRY(count_more(&trainer->before, trainer->n_pushed, n));
    trainer->n_pushed = n;
    return RG_OK;
}

/* Each thread of a trainer counts its pushes. *came: this one has come before, and is answered but
 * not applied. What is refused has come, too. */
static rg_status count_in(rg_member *trainer, const rg_push *head, bool *came)
{
    if (head->thread >= trainer->n_pushed)
        RG_TRY(rg_serve_count_threads(trainer, (size_t)head->thread + 1));
    uint64_t *pushed = &trainer->pushed[head->thread];
    if (head->step > *pushed)
        return rg_fail(RG_ESTALE,
                       "%s sends its push number %llu, and only %llu have come: those in between "
                       "are lost, and with them what it has learned; start the job again",
                       trainer->who, (unsigned long long)head->step, (unsigned long long)*pushed);
    *came = head->step < *pushed;
    *pushed += *came ? 0 : 1;
    trainer->behind = false; /* it has what it needed of the step before */
    if (*came)
        return RG_OK;
    trainer->before[head->thread] = trainer->positions[head->thread];
    trainer->positions[head->thread] = head->position;
    atomic_store(&trainer->refused[head->thread], 0);
    (void)atomic_fetch_add_explicit(&trainer->n_pushes, 1, memory_order_relaxed);
    rg_metric_add(RG_M_PUSHES, 1);
    return RG_OK;
}

static bool has_pushed(rg_engine *s, const rg_member *trainer)
{
    pthread_mutex_lock(&s->lock);
    bool waits = trainer->waiting != NULL;
    pthread_mutex_unlock(&s->lock);
    return waits;
}

/* Of a push that waits for others its trainer may be given up, or replaced, and it counts all the
 * same. One that was may wake up, and write where it lent its gradients. */
static bool may_outlive_its_trainer(const rg_engine *s)
{
    return s->mode->try_step != NULL && (rg_serve_waits_for_return() || s->elastic > 0);
}

bool rg_serve_reads_lent(void *user, const rg_frame *frame)
{
    rg_engine *s = user;
    rg_payload payload;
    return frame->method == RG_PS_PUSH && atomic_load_explicit(&s->ready, memory_order_acquire) &&
           !may_outlive_its_trainer(s) && rg_payload_of_request(frame->flags, &payload) == RG_OK &&
           payload == RG_PAYLOAD_FLOATS;
}

/* Gradients are read where the trainer lends them; numbers of rows are checked, and so copied. */
static void find_parts(const rg_engine *s, rg_pushing *p, const uint8_t *body)
{
    for (uint32_t i = 0; i < p->push.n_dense; i++) {
        const rg_ps_var *var = &s->schema.vars[p->push.dense[i]];
        p->push.values[i] = (const float *)(const void *)rg_rpc_request_part(
            p->request, (uint64_t)((const uint8_t *)p->push.values[i] - body),
            (size_t)(var->rows * var->width) * sizeof(float));
    }
    for (uint32_t i = 0; i < p->push.n_sparse; i++) {
        rg_push_rows *rows = &p->push.sparse[i];
        size_t row = (size_t)s->schema.vars[rows->var].width * sizeof(float);
        (void)rg_rpc_request_copied(p->request, (uint64_t)((const uint8_t *)rows->ids - body),
                                    rows->n * sizeof *rows->ids);
        rows->rows = (const float *)(const void *)rg_rpc_request_part(
            p->request, (uint64_t)((const uint8_t *)rows->rows - body), rows->n * row);
    }
}

/* The push, checked, its rows by shard. */
static rg_status read_push(rg_engine *s, rg_pushing *p)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(p->request, &n);
    rg_payload payload = rg_payload_asked(p->request);
    rg_push head;
    (void)rg_rpc_request_copied(p->request, 0, rg_push_head_bytes(&(rg_push){0}, n));
    RG_TRY(rg_push_read_head(&head, body, n));
    (void)rg_rpc_request_copied(p->request, 0, rg_push_head_bytes(&head, n));
    RG_TRY(count_in(p->trainer, &head, &p->came));
    p->push.thread = head.thread;
    if (s->mode->try_step != NULL && has_pushed(s, p->trainer))
        return rg_fail(RG_EINVAL, "%s has pushed twice in one step", p->trainer->who);
    RG_TRY(rg_push_read(&p->push, &p->arena, &s->schema, payload, body, n));
    if (payload != RG_PAYLOAD_FLOATS && s->mode->only_floats != NULL)
        return rg_fail(RG_EUNIMPL, "no %s in %s: %s", rg_payload_name(payload),
                       s->mode->programs.name, s->mode->only_floats);
    if (payload == RG_PAYLOAD_FLOATS)
        find_parts(s, p, body);
    p->rows = rg_arena_alloc(&p->arena, ((size_t)p->push.n_sparse + 1) * (size_t)s->n_shards *
                                            sizeof *p->rows);
    if (p->rows == NULL)
        return rg_no_memory(1, "a push");
    for (uint32_t i = 0; i < p->push.n_sparse; i++) {
        const rg_push_rows *rows = &p->push.sparse[i];
        RG_TRY(rg_served_check(rg_serve_var(s, rows->var), rows->ids, rows->n));
        RG_TRY(rg_rows_by_shard(s, rows->var, &p->arena, rows->ids, rows->n,
                                p->rows + (size_t)i * (size_t)s->n_shards));
    }
    return RG_OK;
}

/* ---- applying it ---- */

static bool is_ascending(const rg_push_rows *rows)
{
    for (uint32_t i = 1; i < rows->n; i++)
        if (rows->ids[i] <= rows->ids[i - 1])
            return false;
    return true;
}

static rg_status apply_table(rg_shard *shard, const rg_merge_part *part)
{
    rg_served *var = &shard->vars[part->rows->var];
    int64_t *ids;
    float *grads;
    size_t n;
    rg_arena_reset(&shard->scratch);
    if (part->some.at == NULL && is_ascending(part->rows))
        return rg_served_push(shard->engine, var, part->rows->ids, part->rows->n,
                              (float *)(uintptr_t)part->rows->rows);
    RG_TRY(rg_merge_pushed(shard, part, 1, var->about->width, 1, &ids, &grads, &n));
    return rg_served_push(shard->engine, var, ids, n, grads);
}

/* A schedule without barriers counts what each trainer has pushed, in each shard by itself. */
static rg_status count_push(rg_shard *shard, int trainer)
{
    char name[64];
    if (shard->schedule == NULL)
        return RG_OK;
    (void)snprintf(name, sizeof name, RG_PUSHES_COUNTED, (unsigned)trainer);
    rg_value *counter = rg_scope_find(shard->scope, name);
    if (counter != NULL && counter->data != NULL && counter->meta.dtype == RG_I64)
        ++*(int64_t *)counter->data;
    return rg_plan_run(shard->schedule);
}

rg_status rg_serve_apply_rows(rg_shard *shard, const rg_pushing *p)
{
    for (uint32_t i = 0; i < p->push.n_sparse; i++) {
        rg_merge_part part;
        if (rg_pushing_rows(p, i, shard, &part)) /* also no rows: its optimizer counts pushes */
            RG_TRY(apply_table(shard, &part));
    }
    return RG_OK;
}

static rg_status apply_part(rg_shard *shard, const rg_pushing *p)
{
    const rg_engine *s = shard->engine;
    int trainer = (int)(p->trainer - s->trainers);
    RG_TRY(count_push(shard, trainer));
    RG_TRY(rg_serve_apply_rows(shard, p)); /* first: as in step_part() */
    for (uint32_t i = 0; i < p->push.n_dense; i++)
        if (s->owners[p->push.dense[i]] == shard->number)
            RG_TRY(rg_serve_update(&shard->vars[p->push.dense[i]], p->push.values[i], trainer));
    return RG_OK;
}

/* ---- as it comes ---- */

static rg_status push_part(rg_spread *spread, rg_shard *shard)
{
    rg_pushing *p = (rg_pushing *)spread;
    (void)rg_fault("ps.apply");
    if (!p->came)
        RG_TRY(apply_part(shard, p));
    (void)rg_fault("ps.applied");
    rg_pushing_copy_values(p, shard);
    return RG_OK;
}

static void end_push(rg_spread *spread)
{
    rg_pushing *p = (rg_pushing *)spread;
    if (spread->code != RG_OK)
        rg_serve_fail_half(p);
    if (spread->code != RG_OK)
        rg_rpc_refuse(p->request, spread->code, "%s", spread->why);
    else
        rg_pushing_reply_values(p);
    rg_pushing_end(p);
}

/* Whoever has a part in it. A schedule counts pushes, and is in all shards. */
static rg_shard_set shards_of(const rg_engine *s, const rg_pushing *p)
{
    rg_shard_set shards = s->scheduled ? rg_serve_all_shards(s) : 0;
    for (uint32_t i = 0; i < p->push.n_dense; i++)
        shards |= rg_serve_owners(s, p->push.dense[i]);
    for (uint32_t i = 0; i < p->push.n_sparse; i++)
        shards |= rg_serve_owners(s, p->push.sparse[i].var);
    for (uint32_t i = 0; i < p->push.n_pull; i++)
        shards |= rg_serve_owners(s, p->push.pull[i]);
    return shards;
}

void rg_serve_at_once(rg_engine *s, rg_pushing *p)
{
    rg_status code = rg_pushing_make_room(p);
    if (code == RG_OK) {
        rg_spread_start(&p->spread, shards_of(s, p), push_part, end_push);
        return;
    }
    rg_refuse_with_message(p->request, code);
    rg_pushing_end(p);
}

void rg_serve_push(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_pushing *p = rg_pushing_begin(s, trainer, request);
    if (p == NULL) {
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
        return;
    }
    rg_status code = read_push(s, p);
    if (code == RG_OK)
        code = rg_serve_claim(s, p);
    if (code == RG_OK) {
        if (!rg_serve_reserve(s, p))
            s->mode->pushed(s, p);
        return;
    }
    if (code != RG_ESTALE) /* that is not counted */
        rg_serve_note_refused(p);
    rg_refuse_with_message(request, code);
    rg_pushing_end(p);
}
