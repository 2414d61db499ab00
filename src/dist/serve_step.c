/* serve_step.c - gradients taken, steps made, parameters handed out.
 *
 * What becomes of a push, and when it is answered, is the mode's to say (dist/mode.h); these are
 * the pieces: a push applied by itself, or one step of what all trainers pushed, whose gradients
 * are added in the order of the trainers' numbers, so that a run repeats bit by bit. */
#include "dist/serve_priv.h"

#include "base/hot.h"
#include "base/mem.h"
#include "math/vector.h"
#include "ops/sort_keys.h"
#include "rpc/body.h"

#include <stdio.h>
#include <string.h>

void rg_serve_refuse(rg_rpc_request *request, rg_status code)
{
    char text[1024];
    (void)strncpy(text, rg_error_message(), sizeof text - 1);
    text[sizeof text - 1] = '\0';
    rg_rpc_refuse(request, code, "%s", text);
}

/* ---- handing out ---- */

static size_t bytes_of(const rg_ps_var *var)
{
    return (size_t)(var->rows * var->width) * sizeof(float);
}

static void release_copy(void *copy)
{
    rg_free(copy);
}

static rg_payload payload_of(const rg_rpc_request *request)
{
    rg_payload payload = RG_PAYLOAD_FLOATS;
    (void)rg_payload_of_request(rg_rpc_request_flags(request), &payload); /* was checked */
    return payload;
}

/* n values at the end of the buffer, padded. */
static void add_values(rg_buf *out, const float *values, size_t n, rg_payload payload)
{
    size_t start = out->len;
    rg_buf_room(out, rg_payload_padded(payload, n, 0));
    if (rg_buf_status(out) == RG_OK)
        rg_payload_write(payload, out->data + start, values, n, 0);
}

/* The buffer's bytes are the answer, or what went wrong is. */
void rg_serve_reply_buf(rg_rpc_request *request, rg_status code, rg_buf *out)
{
    if (code == RG_OK)
        code = rg_buf_status(out);
    if (code != RG_OK) {
        rg_buf_fini(out);
        rg_serve_refuse(request, code);
        return;
    }
    size_t n = out->len;
    char *bytes = rg_buf_take(out);
    rg_rpc_reply(request, rg_payload_to_flags(rg_payload_back(payload_of(request))),
                 &(rg_iov){bytes, n}, 1, release_copy, bytes);
}

/* DC-ASGD: what this trainer is about to get. */
static void note_sent(rg_engine *s, const uint32_t *pull, uint32_t n, int trainer)
{
    for (uint32_t i = 0; i < n && trainer >= 0; i++) {
        rg_served *var = &s->vars[pull[i]];
        if (var->sent != NULL)
            memcpy(var->sent[trainer]->data, var->param->data, bytes_of(var->about));
    }
}

/* Parameters in halves. */
static void reply_halves(rg_engine *s, rg_rpc_request *request, const uint32_t *pull, uint32_t n)
{
    rg_buf out;
    rg_buf_init(&out, 0);
    for (uint32_t i = 0; i < n; i++) {
        const rg_ps_var *var = &s->schema.vars[pull[i]];
        add_values(&out, s->vars[pull[i]].param->data, (size_t)(var->rows * var->width),
                   RG_PAYLOAD_HALVES);
    }
    rg_serve_reply_buf(request, RG_OK, &out);
}

/* The values of the variables, each padded. A copy, unless nothing changes until all who wait
 * for it have it (`still`): in sync mode the next step needs the next push of each of them, or
 * that it has left. */
void rg_serve_reply(rg_engine *s, rg_rpc_request *request, const uint32_t *pull, uint32_t n,
                    bool still, int trainer)
{
    static const uint8_t zeros[RG_PS_ALIGN];
    size_t total = 0, at = 0;
    note_sent(s, pull, n, trainer);
    if (rg_payload_back(payload_of(request)) == RG_PAYLOAD_HALVES) {
        reply_halves(s, request, pull, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        total += rg_ps_padded(bytes_of(&s->schema.vars[pull[i]]));
    rg_iov *iov = rg_alloc(((size_t)n * 2 + 1) * sizeof *iov);
    uint8_t *copy = still ? NULL : rg_body_alloc(total);
    if (iov == NULL || (copy == NULL && !still)) {
        rg_free(iov);
        rg_body_free(copy);
        rg_rpc_refuse(request, RG_ENOMEM, "no memory for %zu bytes of parameters", total);
        return;
    }
    size_t pieces = 0;
    for (uint32_t i = 0; i < n; i++) {
        rg_served *var = &s->vars[pull[i]];
        size_t bytes = bytes_of(var->about), pad = rg_ps_padded(bytes) - bytes;
        if (still) {
            iov[pieces++] = (rg_iov){var->param->data, bytes};
            if (pad > 0)
                iov[pieces++] = (rg_iov){zeros, pad};
        } else {
            memcpy(copy + at, var->param->data, bytes);
            memset(copy + at + bytes, 0, pad);
            at += bytes + pad;
        }
    }
    if (!still)
        iov[pieces++] = (rg_iov){copy, total};
    rg_rpc_reply(request, 0, iov, pieces, rg_body_free, copy);
    rg_free(iov);
}

static rg_status too_much(uint64_t room)
{
    return rg_fail(RG_ETOOBIG, "an answer has at most %llu bytes (FLAGS_rpc_max_peer_memory_mb)",
                   (unsigned long long)room);
}

void rg_serve_pull(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    (void)trainer;
    size_t bytes;
    uint64_t total = 0, room = rg_rpc_request_room(request);
    const uint8_t *body = rg_rpc_request_body(request, &bytes);
    const uint32_t *pull = (const uint32_t *)(const void *)body;
    if (bytes % sizeof *pull != 0 || bytes / sizeof *pull > s->schema.n) {
        rg_rpc_refuse(request, RG_ECORRUPT, "a pull of %zu bytes from a server of %zu variables",
                      bytes, s->schema.n);
        return;
    }
    uint32_t n = (uint32_t)(bytes / sizeof *pull);
    for (uint32_t i = 0; i < n; i++)
        if (pull[i] >= s->schema.n || s->schema.vars[pull[i]].table) {
            rg_rpc_refuse(request, RG_ECORRUPT, "a pull names variable %u of %zu", pull[i],
                          s->schema.n);
            return;
        }
    for (uint32_t i = 0; i < n; i++)
        total += rg_ps_padded(bytes_of(&s->schema.vars[pull[i]]));
    if (total > room) {
        rg_serve_refuse(request, too_much(room));
        return;
    }
    rg_serve_reply(s, request, pull, n, false, -1);
}

/* The rows at the end of the buffer, padded. */
static rg_status add_rows(rg_engine *s, rg_buf *out, const rg_rows_wanted *wanted,
                          rg_payload payload)
{
    rg_served *var = &s->vars[wanted->var];
    size_t n = (size_t)wanted->n * (size_t)var->about->width, start = out->len;
    if (payload != RG_PAYLOAD_FLOATS) {
        float *rows = rg_arena_alloc(&s->scratch, (n + 1) * sizeof *rows);
        if (rows == NULL)
            return rg_no_memory(n * sizeof *rows, "rows");
        RG_TRY(rg_served_pull(s, var, wanted->ids, wanted->n, rows));
        add_values(out, rows, n, payload);
        return rg_buf_status(out);
    }
    rg_buf_room(out, rg_ps_padded(n * sizeof(float)));
    RG_TRY(rg_buf_status(out));
    float *rows = (float *)(void *)(out->data + start);
    if (n % 2 != 0)
        rows[n] = 0;
    return rg_served_pull(s, var, wanted->ids, wanted->n, rows);
}

void rg_serve_rows(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    (void)trainer;
    size_t left;
    const uint8_t *at = rg_rpc_request_body(request, &left);
    rg_payload back = rg_payload_back(payload_of(request));
    rg_buf out;
    rg_status code = RG_OK;
    uint64_t room = rg_rpc_request_room(request), total = 0;
    rg_buf_init(&out, 0);
    while (left > 0 && code == RG_OK) {
        rg_rows_wanted wanted;
        code = rg_wanted_read(&at, &left, &s->schema, &wanted);
        if (code != RG_OK)
            break;
        /* An id may be asked for again and again: eight bytes each for a whole row. */
        total += (uint64_t)wanted.n * (uint64_t)s->vars[wanted.var].about->width * sizeof(float);
        code = total <= room ? add_rows(s, &out, &wanted, back) : too_much(room);
    }
    rg_serve_reply_buf(request, code, &out);
}

/* ---- one push, applied ---- */

/* Rows in ascending order, each once. */
static rg_status merge_rows(rg_engine *s, const rg_push_rows *const *parts, int n_parts,
                            int64_t width, float scale, int64_t **ids, float **grads, size_t *n)
{
    size_t total = 0, k = 0;
    for (int p = 0; p < n_parts; p++)
        total += parts[p]->n;
    rg_keyed *keys = rg_arena_alloc(&s->scratch, (total + 1) * sizeof *keys);
    rg_keyed *spare = rg_arena_alloc(&s->scratch, (total + 1) * sizeof *spare);
    const float **from = rg_arena_alloc(&s->scratch, (total + 1) * sizeof *from);
    *ids = rg_arena_alloc(&s->scratch, (total + 1) * sizeof **ids);
    *grads = rg_arena_alloc(&s->scratch, (total + 1) * (size_t)width * sizeof **grads);
    if (!keys || !spare || !from || !*ids || !*grads)
        return rg_no_memory(total, "rows");
    for (int p = 0; p < n_parts; p++)
        for (uint32_t i = 0; i < parts[p]->n; i++, k++) {
            from[k] = parts[p]->rows + (int64_t)i * width;
            keys[k] = (rg_keyed){(uint64_t)parts[p]->ids[i], (int64_t)k};
        }
    rg_sort_keys(keys, spare, (int64_t)total); /* stable: trainers stay in order */
    size_t out = 0;
    for (size_t i = 0; i < total; i++) {
        const float *row = from[keys[i].at];
        bool same = i > 0 && keys[i].key == keys[i - 1].key;
        out += same ? 0 : 1;
        float *to = *grads + (int64_t)(out - 1) * width;
        (*ids)[out - 1] = (int64_t)keys[i].key;
        for (int64_t c = 0; c < width; c++)
            to[c] = same ? to[c] + row[c] : row[c];
    }
    for (int64_t i = 0; scale != 1 && i < (int64_t)out * width; i++)
        (*grads)[i] *= scale;
    *n = out;
    return RG_OK;
}

static bool is_ascending(const rg_push_rows *rows)
{
    for (uint32_t i = 1; i < rows->n; i++)
        if (rows->ids[i] <= rows->ids[i - 1])
            return false;
    return true;
}

static rg_status apply_table(rg_engine *s, const rg_push_rows *rows)
{
    rg_served *var = &s->vars[rows->var];
    int64_t *ids;
    float *grads;
    size_t n;
    if (is_ascending(rows))
        return rg_served_push(s, var, rows->ids, rows->n, (float *)(uintptr_t)rows->rows);
    RG_TRY(merge_rows(s, &rows, 1, var->about->width, 1, &ids, &grads, &n));
    return rg_served_push(s, var, ids, n, grads);
}

rg_status rg_serve_apply_rows(rg_engine *s, const rg_push *push)
{
    for (uint32_t i = 0; i < push->n_sparse; i++)
        RG_TRY(apply_table(s, &push->sparse[i]));
    return RG_OK;
}

/* A schedule without barriers counts what each trainer has pushed. */
static rg_status count_push(rg_engine *s, int trainer)
{
    char name[64];
    if (s->schedule == NULL)
        return RG_OK;
    (void)snprintf(name, sizeof name, "@LR_DECAY_COUNTER@.trainer_%d", trainer);
    rg_value *counter = rg_scope_find(s->scope, name);
    if (counter != NULL && counter->data != NULL && counter->meta.dtype == RG_I64)
        ++*(int64_t *)counter->data;
    return rg_serve_schedule(s);
}

static rg_status apply_push(rg_engine *s, const rg_push *push, int trainer)
{
    RG_TRY(count_push(s, trainer));
    for (uint32_t i = 0; i < push->n_dense; i++)
        RG_TRY(rg_serve_update(s, push->dense[i], push->values[i], trainer));
    return rg_serve_apply_rows(s, push);
}

void rg_serve_at_once(rg_engine *s, rg_member *trainer, rg_rpc_request *request, bool again)
{
    int number = (int)(trainer - s->trainers);
    rg_status code = again ? RG_OK : apply_push(s, &trainer->push, number);
    if (code != RG_OK)
        rg_serve_refuse(request, code);
    else
        rg_serve_reply(s, request, trainer->push.pull, trainer->push.n_pull, false, number);
}

/* ---- one step of all trainers ---- */

RG_HOT static void add_scaled(float *to, const float *a, const float *b, float scale, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = (a[i] + b[i]) * scale;
}

RG_HOT static void scale_to(float *to, const float *from, float scale, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i] * scale;
}

/* What each trainer's gradient counts for. */
static float weight_of(const rg_engine *s, int took_part)
{
    return s->sums ? 1.0f : 1.0f / (float)took_part;
}

/* The mean (or sum) of the gradients that trainers pushed of one variable, applied where any did.
 */
static rg_status step_dense(rg_engine *s, uint32_t var, int took_part)
{
    int64_t n = s->schema.vars[var].rows * s->schema.vars[var].width;
    const float **found = rg_arena_alloc(&s->scratch, (s->schema.trainers + 1) * sizeof *found);
    float scale = weight_of(s, took_part), *mean;
    int count = 0;
    if (found == NULL)
        return rg_no_memory(1, "a step");
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        for (uint32_t i = 0; s->trainers[t].waiting != NULL && i < s->trainers[t].push.n_dense; i++)
            if (s->trainers[t].push.dense[i] == var)
                found[count++] = s->trainers[t].push.values[i];
    if (count == 0)
        return RG_OK;
    RG_TRY(rg_serve_gradient(s, var, &mean));
    if (mean == NULL)
        return RG_OK;
    if (count == 1)
        scale_to(mean, found[0], scale, n);
    else
        add_scaled(mean, found[0], found[1], count == 2 ? scale : 1, n);
    for (int i = 2; i < count; i++)
        add_scaled(mean, mean, found[i], i + 1 == count ? scale : 1, n);
    return rg_serve_apply(s, var);
}

static rg_status step_rows(rg_engine *s, uint32_t var, int took_part)
{
    const rg_push_rows **parts = rg_arena_alloc(&s->scratch,
                                                (s->schema.trainers + 1) * sizeof *parts);
    int64_t *ids = NULL;
    float *grads = NULL;
    size_t n = 0;
    int count = 0;
    if (parts == NULL)
        return rg_no_memory(1, "a step");
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        for (uint32_t i = 0; s->trainers[t].waiting != NULL && i < s->trainers[t].push.n_sparse;
             i++)
            if (s->trainers[t].push.sparse[i].var == var)
                parts[count++] = &s->trainers[t].push.sparse[i];
    if (count == 0)
        return RG_OK;
    RG_TRY(merge_rows(s, parts, count, s->schema.vars[var].width, weight_of(s, took_part), &ids,
                      &grads, &n));
    return rg_served_push(s, &s->vars[var], ids, n, grads);
}

rg_status rg_serve_make_step(rg_engine *s, int took_part)
{
    RG_TRY(rg_serve_schedule(s));
    for (uint32_t v = 0; v < s->schema.n; v++) {
        rg_arena_reset(&s->scratch);
        RG_TRY(s->schema.vars[v].table ? step_rows(s, v, took_part) : step_dense(s, v, took_part));
    }
    s->steps++;
    return RG_OK;
}

void rg_serve_try_step(rg_engine *s)
{
    if (s->mode != NULL && s->mode->try_step != NULL)
        s->mode->try_step(s);
}

/* ---- pushes as they come ---- */

/* Each thread of a trainer counts its pushes. *came: this one has come before, and is answered but
 * not applied. What is refused has come, too. */
static rg_status count_in(rg_member *trainer, const rg_push *head, bool *came)
{
    if (head->thread >= trainer->n_pushed) {
        size_t n = (size_t)head->thread + 1;
        uint64_t *pushed = rg_realloc(trainer->pushed, n * sizeof *pushed);
        if (pushed == NULL)
            return rg_no_memory(n * sizeof *pushed, "pushes of a trainer");
        memset(pushed + trainer->n_pushed, 0, (n - trainer->n_pushed) * sizeof *pushed);
        trainer->pushed = pushed;
        trainer->n_pushed = n;
    }
    uint64_t *pushed = &trainer->pushed[head->thread];
    if (head->step > *pushed)
        return rg_fail(RG_ESTALE,
                       "%s sends its push number %llu, and only %llu have come: those in between "
                       "are lost, and with them what it has learned; start the job again",
                       trainer->who, (unsigned long long)head->step, (unsigned long long)*pushed);
    *came = head->step < *pushed;
    *pushed += *came ? 0 : 1;
    return RG_OK;
}

/* The push, checked; it is the trainer's until its next. */
static rg_status take_push(rg_engine *s, rg_member *trainer, const rg_rpc_request *request,
                           bool *came)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    int number = (int)(trainer - s->trainers);
    rg_payload payload = payload_of(request);
    rg_push head;
    RG_TRY(rg_push_read_head(&head, body, n));
    RG_TRY(count_in(trainer, &head, came));
    if (trainer->waiting != NULL)
        return rg_fail(RG_EINVAL, "%s has pushed twice in one step", trainer->who);
    for (uint32_t v = 0; !*came && head.taken && v < s->schema.n; v++)
        rg_served_heard(&s->vars[v], number);
    rg_arena_reset(&trainer->arena);
    RG_TRY(rg_push_read(&trainer->push, &trainer->arena, &s->schema, payload, body, n));
    if (payload != RG_PAYLOAD_FLOATS && s->mode->only_floats != NULL)
        return rg_fail(RG_EUNIMPL, "no %s in %s: %s", rg_payload_name(payload),
                       s->mode->programs.name, s->mode->only_floats);
    for (uint32_t i = 0; i < trainer->push.n_sparse; i++) {
        const rg_push_rows *rows = &trainer->push.sparse[i];
        RG_TRY(rg_served_check(&s->vars[rows->var], rows->ids, rows->n));
    }
    return RG_OK;
}

void rg_serve_push(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    bool again = false;
    rg_status code = take_push(s, trainer, request, &again);
    if (code != RG_OK)
        rg_serve_refuse(request, code);
    else
        s->mode->pushed(s, trainer, request, again);
}
