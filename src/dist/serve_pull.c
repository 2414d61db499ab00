/* serve_pull.c - values handed out: of whole variables, with a push or without, and of rows.
 *
 * The loop of whoever asks makes room for the answer; each shard writes into it what it owns. */
#include "dist/serve_members.h"
#include "dist/serve_notes.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"

#include "base/half.h"
#include "base/mem.h"
#include "rpc/body.h"

#include <stdio.h>
#include <string.h>

void rg_refuse_with_message(rg_rpc_request *request, rg_status code)
{
    char text[1024];
    (void)strncpy(text, rg_error_message(), sizeof text - 1);
    text[sizeof text - 1] = '\0';
    rg_rpc_refuse(request, code, "%s", text);
}

rg_payload rg_payload_asked(const rg_rpc_request *request)
{
    rg_payload payload = RG_PAYLOAD_FLOATS;
    (void)rg_payload_of_request(rg_rpc_request_flags(request), &payload); /* was checked */
    return payload;
}

static rg_status too_much(uint64_t room)
{
    return rg_fail(RG_ETOOBIG, "an answer has at most %llu bytes (FLAGS_rpc_max_peer_memory_mb)",
                   (unsigned long long)room);
}

/* ---- whole variables ---- */

static size_t numel_of(const rg_ps_var *var)
{
    return (size_t)(var->rows * var->width);
}

rg_status rg_pushing_make_room(rg_pushing *p)
{
    const rg_ps_schema *schema = &p->spread.engine->schema;
    p->back = rg_payload_back(rg_payload_asked(p->request));
    p->n_values = 0;
    for (uint32_t i = 0; i < p->push.n_pull; i++)
        p->n_values += rg_payload_padded(p->back, numel_of(&schema->vars[p->push.pull[i]]), 0);
    p->values = rg_body_alloc(p->n_values);
    return p->values != NULL ? RG_OK : rg_no_memory(p->n_values, "parameters");
}

/* DC-ASGD also notes what this trainer is about to get. */
void rg_pushing_copy_values(rg_pushing *p, const rg_shard *shard)
{
    const rg_engine *s = shard->engine;
    uint8_t *to = p->values;
    for (uint32_t i = 0; i < p->push.n_pull; i++) {
        uint32_t number = p->push.pull[i];
        const rg_served *var = &shard->vars[number];
        size_t n = numel_of(&s->schema.vars[number]);
        if (s->owners[number] == shard->number) {
            rg_payload_write(p->back, to, rg_served_values(var, p->before), n, 0);
            if (var->sent != NULL && p->trainer != NULL)
                memcpy(var->sent[p->trainer - s->trainers]->data, var->param->data,
                       n * sizeof(float));
        }
        to += rg_payload_padded(p->back, n, 0);
    }
}

void rg_pushing_reply_values(rg_pushing *p)
{
    uint8_t *values = p->values;
    p->values = NULL;
    rg_rpc_reply(p->request, rg_payload_to_flags(p->back), &(rg_iov){values, p->n_values}, 1,
                 rg_body_free, values);
}

static rg_status copy_part(rg_spread *spread, rg_shard *shard)
{
    rg_pushing_copy_values((rg_pushing *)spread, shard);
    return RG_OK;
}

static void end_pull(rg_spread *spread)
{
    rg_pushing *p = (rg_pushing *)spread;
    rg_pushing_reply_values(p);
    rg_pushing_end(p);
}

static rg_status read_pull(const rg_engine *s, const rg_rpc_request *request, rg_push *push)
{
    size_t bytes;
    const uint8_t *body = rg_rpc_request_body(request, &bytes);
    const uint32_t *pull = (const uint32_t *)(const void *)body;
    uint64_t total = 0, room = rg_rpc_request_room(request);
    if (bytes % sizeof *pull != 0 || bytes / sizeof *pull > s->schema.n)
        return rg_fail(RG_ECORRUPT, "a pull of %zu bytes from a server of %zu variables", bytes,
                       s->schema.n);
    *push = (rg_push){.pull = pull, .n_pull = (uint32_t)(bytes / sizeof *pull)};
    for (uint32_t i = 0; i < push->n_pull; i++) {
        if (pull[i] >= s->schema.n || s->schema.vars[pull[i]].table)
            return rg_fail(RG_ECORRUPT, "a pull names variable %u of %zu", pull[i], s->schema.n);
        total += rg_ps_padded(numel_of(&s->schema.vars[pull[i]]) * sizeof(float));
    }
    return total <= room ? RG_OK : too_much(room);
}

void rg_serve_pull(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_shard_set shards = 0;
    rg_push push;
    rg_status code = read_pull(s, request, &push);
    rg_pushing *p = code == RG_OK ? rg_pushing_begin(s, NULL, request) : NULL;
    if (p != NULL) {
        p->push = push;
        p->before = trainer != NULL && trainer->behind;
        code = rg_pushing_make_room(p);
    } else if (code == RG_OK) {
        code = rg_no_memory(sizeof *p, "a pull");
    }
    if (code != RG_OK) {
        rg_refuse_with_message(request, code);
        if (p != NULL)
            rg_pushing_end(p);
        return;
    }
    for (uint32_t i = 0; i < push.n_pull; i++)
        shards |= rg_serve_owners(s, push.pull[i]);
    rg_spread_start(&p->spread, shards, copy_part, end_pull);
}

/* ---- rows ---- */

/* Rows of one table that are asked for. */
typedef struct wanted_rows {
    rg_rows_wanted rows;
    rg_some *some; /* by shard */
    uint8_t *to;   /* in the answer */
} wanted_rows;

/* A request for rows. */
typedef struct asking {
    rg_spread spread;
    rg_rpc_request *request;
    rg_payload back;
    rg_reading how;
    rg_arena arena;
    wanted_rows *wanted; /* owned */
    size_t n, cap;
    uint8_t *answer; /* owned */
    size_t bytes;
    rg_shard_set shards; /* that have some of the rows */
    rg_status refused;   /* since there is no memory for rows that are new */
    atomic_bool changed; /* rows came to be, or made steps that they had missed */
} asking;

/* Each row to its place, in halves. */
static rg_status pull_halves(rg_served *var, rg_reading how, const wanted_rows *w,
                             const int64_t *ids, const rg_some *some)
{
    size_t width = (size_t)var->about->width, n = (size_t)some->n * width;
    float *rows = rg_arena_alloc(&var->shard->scratch, (n + 1) * sizeof *rows);
    uint16_t *to = (uint16_t *)(void *)w->to;
    if (rows == NULL)
        return rg_no_memory(n * sizeof *rows, "rows");
    RG_TRY(rg_served_pull_as(var, how, ids, NULL, some->n, rows));
    if (some->at == NULL)
        rg_half_from_floats(to, rows, n);
    for (uint32_t i = 0; some->at != NULL && i < some->n; i++)
        rg_half_from_floats(to + some->at[i] * width, rows + i * width, width);
    return RG_OK;
}

static rg_status pull_part(rg_spread *spread, rg_shard *shard)
{
    const asking *a = (const asking *)spread;
    for (size_t k = 0; k < a->n; k++) {
        const wanted_rows *w = &a->wanted[k];
        const rg_some *some = &w->some[shard->number];
        rg_served *var = &shard->vars[w->rows.var];
        const int64_t *ids = w->rows.ids;
        if (some->n == 0)
            continue;
        var->noticed = false;
        rg_arena_reset(&shard->scratch);
        if (some->at != NULL) {
            int64_t *own = rg_arena_alloc(&shard->scratch, some->n * sizeof *own);
            if (own == NULL)
                return rg_no_memory(some->n * sizeof *own, "ids");
            for (uint32_t i = 0; i < some->n; i++)
                own[i] = ids[some->at[i]];
            ids = own;
        }
        RG_TRY(a->back == RG_PAYLOAD_FLOATS
                   ? rg_served_pull_as(var, a->how, ids, some->at, some->n, (float *)(void *)w->to)
                   : pull_halves(var, a->how, w, ids, some));
        if (var->noticed)
            atomic_store(&((asking *)spread)->changed, true);
    }
    return RG_OK;
}

static void free_asking(asking *a)
{
    rg_arena_free(&a->arena);
    rg_free(a->wanted);
    rg_free(a);
}

static rg_status unmake_part(rg_spread *spread, rg_shard *shard)
{
    const asking *a = (const asking *)spread;
    for (size_t k = 0; k < a->n; k++)
        (void)rg_serve_unmake(shard, a->wanted[k].rows.var, a->wanted[k].rows.ids,
                              &a->wanted[k].some[shard->number]);
    return RG_OK;
}

static void note_rows(asking *a)
{
    rg_status code = rg_serve_note_rows(a->spread.engine, a->request);
    if (code == RG_OK)
        return;
    a->spread.code = code;
    (void)snprintf(a->spread.why, sizeof a->spread.why, "%s", rg_error_message());
}

/* Without memory for all new rows none is made, in no shard. */
static void end_rows(rg_spread *spread)
{
    asking *a = (asking *)spread;
    if (spread->code == RG_ENOMEM && a->refused == RG_OK) {
        a->refused = spread->code;
        rg_spread_start(spread, a->shards, unmake_part, end_rows);
        return;
    }
    if (a->changed && a->request != NULL)
        note_rows(a);
    if (a->request == NULL) {
        rg_body_free(a->answer); /* from the journal: nobody has asked */
    } else if (a->refused != RG_OK || spread->code != RG_OK) {
        rg_rpc_refuse(a->request, a->refused != RG_OK ? a->refused : spread->code, "%s",
                      spread->why);
        rg_body_free(a->answer);
    } else {
        rg_rpc_reply(a->request, rg_payload_to_flags(a->back), &(rg_iov){a->answer, a->bytes}, 1,
                     rg_body_free, a->answer);
    }
    free_asking(a);
}

static rg_status read_one(rg_engine *s, asking *a, const uint8_t **at, size_t *left)
{
    wanted_rows *w;
    RG_TRY(rg_grow((void **)&a->wanted, a->n, &a->cap, sizeof *a->wanted));
    w = &a->wanted[a->n];
    RG_TRY(rg_wanted_read(at, left, &s->schema, &w->rows));
    RG_TRY(rg_served_check(rg_serve_var(s, w->rows.var), w->rows.ids, w->rows.n));
    w->some = rg_arena_alloc(&a->arena, (size_t)s->n_shards * sizeof *w->some);
    if (w->some == NULL)
        return rg_no_memory(1, "rows");
    a->n++;
    return rg_rows_by_shard(s, w->rows.var, &a->arena, w->rows.ids, w->rows.n, w->some);
}

/* What is asked for, and where in the answer it goes. */
static rg_status read_wanted(rg_engine *s, asking *a, const uint8_t *at, size_t left, uint64_t room)
{
    uint64_t total = 0;
    while (left > 0) {
        RG_TRY(read_one(s, a, &at, &left));
        const rg_rows_wanted *rows = &a->wanted[a->n - 1].rows;
        size_t width = (size_t)s->schema.vars[rows->var].width;
        /* An id may be asked for again and again: eight bytes each for a whole row. */
        total += (uint64_t)rows->n * width * sizeof(float);
        if (total > room)
            return too_much(room);
        a->bytes += rg_payload_padded(a->back, rows->n * width, 0);
    }
    a->answer = rg_body_alloc(a->bytes);
    if (a->answer == NULL)
        return rg_no_memory(a->bytes, "rows");
    uint8_t *to = a->answer;
    for (size_t k = 0; k < a->n; k++) {
        size_t n = a->wanted[k].rows.n * (size_t)s->schema.vars[a->wanted[k].rows.var].width;
        size_t padded = rg_payload_padded(a->back, n, 0);
        if (padded > 0) /* what is padding is nobody's */
            memset(to + padded - RG_PS_ALIGN, 0, RG_PS_ALIGN);
        a->wanted[k].to = to;
        to += padded;
    }
    return RG_OK;
}

/* Where it fails it is over. */
static rg_status start_asking(rg_engine *s, asking *a, const uint8_t *body, size_t n, uint64_t room)
{
    rg_status code = read_wanted(s, a, body, n, room);
    if (code != RG_OK) {
        rg_body_free(a->answer);
        free_asking(a);
        return code;
    }
    for (size_t w = 0; w < a->n; w++)
        for (int k = 0; k < s->n_shards; k++)
            a->shards |= a->wanted[w].some[k].n > 0 ? (rg_shard_set)1 << k : 0;
    rg_spread_start(&a->spread, a->shards, pull_part, end_rows);
    return RG_OK;
}

void rg_serve_rows(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    asking *a = rg_spread_new(s, sizeof *a);
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    if (a == NULL) {
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
        return;
    }
    a->request = request;
    a->how = (rg_reading){.before = trainer != NULL && trainer->behind,
                          .peeks = rg_rpc_request_method(request) == RG_PS_PEEK};
    a->back = rg_payload_back(rg_payload_asked(request));
    rg_status code = start_asking(s, a, body, n, rg_rpc_request_room(request));
    if (code != RG_OK)
        rg_refuse_with_message(request, code);
}

rg_status rg_serve_look_up(rg_engine *s, const uint8_t *body, size_t n)
{
    asking *a = rg_spread_new(s, sizeof *a);
    if (a == NULL)
        return rg_no_memory(sizeof *a, "rows");
    a->back = RG_PAYLOAD_FLOATS;
    return start_asking(s, a, body, n, UINT64_MAX);
}
