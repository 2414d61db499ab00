/* op_lookup.c - rows of tables that live on servers: distributed_lookup_table, prefetch and
 * lookup_sparse_table.
 *
 *   Outputs[i] = rows Ids[i] of W        zeros where an id is padding_idx
 *
 * W itself has no value on a trainer: row r is in the section that covers r, at the server
 * of that section. Its gradient is that of lookup_table, which needs W's shape alone. */
#include "dist/exchange.h"
#include "dist/fan_out.h"

#include "base/copy_row.h"
#include "base/mem.h"
#include "ops/shape_args.h"
#include "ops/sort_keys.h"
#include "sys/metrics.h"

#include <string.h>

enum { IDS, W };
enum { OUTPUTS, UNIQUE, PLACES, ROWS };
enum { TABLE_NAMES, HEIGHT_SECTIONS, ENDPOINTS, TRAINER_ID, VERSION, PADDING_IDX, DTYPE };

static rg_status ids_shape(const rg_ctx *ctx, const rg_meta *ids, bool drop_last, rg_shape *out)
{
    int last = ids->shape.rank - 1;
    *out = ids->shape;
    if (drop_last && (last < 0 || (out->dim[last] != 1 && out->dim[last] != -1))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Ids must end with a dimension of 1, and has the shape %s",
                       rg_shape_text(&ids->shape, text));
    }
    if (!drop_last && out->rank == RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "Ids has %d dimensions already", out->rank);
    int at = drop_last ? last : out->rank++;
    out->dim[at] = rg_shape_of(ctx, W)->dim[1];
    return RG_OK;
}

static rg_status look_up_infer(rg_ctx *ctx)
{
    bool drop_last = rg_attr_string(ctx, VERSION)[sizeof "lookup_table" - 1] == '\0';
    int64_t places = 0;
    RG_TRY(rg_expect_rank(ctx, W, 2));
    bool apart = rg_n_out(ctx, OUTPUTS) > 0 || !rg_has_out(ctx, ROWS);
    if (apart && rg_n_in(ctx, IDS) != rg_n_out(ctx, OUTPUTS))
        return rg_fail(RG_ESHAPE, "there are %d Ids, and %d Outputs", rg_n_in(ctx, IDS),
                       rg_n_out(ctx, OUTPUTS));
    for (int i = 0; i < rg_n_in(ctx, IDS); i++) {
        const rg_meta *ids = rg_in_meta_n(ctx, IDS, i);
        rg_meta *out = apart ? rg_out_meta_n(ctx, OUTPUTS, i) : NULL;
        rg_shape shape;
        if (ids == NULL || (apart && out == NULL))
            return rg_fail(RG_ESHAPE, "number %d of Ids or Outputs is empty", i);
        if (ids->dtype != RG_I64 && ids->dtype != RG_I32)
            return rg_fail(RG_ESHAPE, "Ids %s is %s, and must be int64 or int32",
                           rg_in_name(ctx, IDS, i), rg_dtype_name(ids->dtype));
        RG_TRY(ids_shape(ctx, ids, drop_last, &shape));
        if (apart) {
            rg_set_out_n(ctx, OUTPUTS, i, rg_dtype_of(ctx, W), &shape);
            out->lod = rg_lod_retain(ids->lod);
            out->lod_level = ids->lod_level;
        }
        int64_t n = rg_shape_numel(&ids->shape);
        places = places < 0 || n < 0 ? -1 : places + n;
    }
    if (rg_has_out(ctx, UNIQUE))
        rg_set_out(ctx, UNIQUE, RG_I64, &RG_SHAPE(places));
    if (rg_has_out(ctx, PLACES))
        rg_set_out(ctx, PLACES, RG_I32, &RG_SHAPE(places));
    if (rg_has_out(ctx, ROWS))
        rg_set_out(ctx, ROWS, RG_F32, &RG_SHAPE(places, rg_shape_of(ctx, W)->dim[1]));
    return RG_OK;
}

/* ---- the look-up ---- */

/* All ids of a step, ascending and each once; `row_of` says for each place, over all Ids one
 * after the other, which of them stands there (-1: padding). */
typedef struct wanted {
    int64_t *ids;
    int32_t *row_of;
    size_t n, places;
} wanted;

/* What one part is asked for: {u32 variable, u32 n, ids}. */
typedef struct question {
    uint32_t head[2];
    rg_iov iov[2];
    size_t first; /* of the ids */
} question;

/* The look-up of one step: it may be asked for while the step before is computed. */
typedef struct asking {
    rg_arena arena; /* of what follows */
    wanted wanted;
    question *questions;
    rg_job_request *requests;
    int n;
    rg_in_flight in_flight;
    bool asked;
    uint64_t step; /* for which it was */
} asking;

/* The parts of the table, in the order of their rows. */
typedef struct parts {
    rg_job *job;      /* that they belong to */
    uint64_t term;    /* of the job's, in which they were found */
    asking rounds[2]; /* the step's that is run, and the one's after it: step % 2 */
    int n;
    struct {
        int server;
        uint32_t var;
        int64_t first, rows;
    } list[];
} parts;

static void close_round(asking *r)
{
    if (r->requests != NULL)
        rg_job_close_all(r->requests, r->n);
    r->requests = NULL;
    r->asked = false;
    r->in_flight.n = 0; /* those given up are not counted down */
    rg_arena_reset(&r->arena);
}

static void drop_parts(void *state)
{
    parts *p = state;
    for (int i = 0; p != NULL && i < 2; i++) {
        close_round(&p->rounds[i]);
        rg_in_flight_fini(&p->rounds[i].in_flight);
        rg_arena_free(&p->rounds[i].arena);
    }
    rg_free(p);
}

static rg_status find_parts(const rg_ctx *ctx, rg_job *job, parts **out)
{
    const rg_attr *names = rg_attr_list(ctx, TABLE_NAMES);
    const rg_attr *endpoints = rg_attr_list(ctx, ENDPOINTS);
    if (names->n < 1 || endpoints->n < names->n)
        return rg_fail(RG_EINVAL, "%d parts of a table and %d endpoints", names->n, endpoints->n);
    parts *p = rg_alloc_zero(1, sizeof *p + (size_t)names->n * sizeof *p->list);
    if (p == NULL)
        return rg_no_memory(1, "a look-up");
    p->job = job;
    p->term = job->term;
    for (int i = 0; i < 2; i++)
        rg_in_flight_init(&p->rounds[i].in_flight, job);
    for (int i = 0; i < names->n; i++, p->n++) {
        rg_status code = rg_job_find(job, endpoints->strings[i], names->strings[i], false,
                                     &p->list[i].server, &p->list[i].var);
        if (code != RG_OK) {
            drop_parts(p);
            return code;
        }
        const rg_ps_var *var = &job->servers[p->list[i].server].schema.vars[p->list[i].var];
        p->list[i].first = var->begin;
        p->list[i].rows = var->rows;
    }
    *out = p;
    return RG_OK;
}

/* `ids` has one for each of the op's. */
static rg_status collect_ids(rg_ctx *ctx, const rg_value *const *all, rg_arena *arena, wanted *w)
{
    int64_t padding = rg_attr_long(ctx, PADDING_IDX);
    *w = (wanted){0};
    for (int k = 0; k < rg_n_in(ctx, IDS); k++)
        w->places += (size_t)rg_numel(all[k]);
    rg_keyed *keys = rg_arena_alloc(arena, (w->places + 1) * sizeof *keys);
    rg_keyed *spare = rg_arena_alloc(arena, (w->places + 1) * sizeof *spare);
    w->ids = rg_arena_alloc(arena, (w->places + 1) * sizeof *w->ids);
    w->row_of = rg_arena_alloc(arena, (w->places + 1) * sizeof *w->row_of);
    if (!keys || !spare || !w->ids || !w->row_of)
        return rg_no_memory(w->places * sizeof *keys, "the ids of a look-up");
    int64_t n = 0, place = 0;
    for (int k = 0; k < rg_n_in(ctx, IDS); k++) {
        for (int64_t i = 0; i < rg_numel(all[k]); i++, place++) {
            int64_t id = rg_whole_at(all[k], i);
            if (id < 0)
                return rg_fail(RG_EVALUE, "%s has the id %lld at element %lld",
                               rg_in_name(ctx, IDS, k), (long long)id, (long long)i);
            w->row_of[place] = -1;
            if (id != padding || padding == -1)
                keys[n++] = (rg_keyed){(uint64_t)id, place};
        }
    }
    rg_sort_keys(keys, spare, n);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || keys[i].key != keys[i - 1].key)
            w->ids[w->n++] = (int64_t)keys[i].key;
        w->row_of[keys[i].at] = (int32_t)(w->n - 1);
    }
    return RG_OK;
}

static void make_questions(const parts *p, asking *r, int thread)
{
    const wanted *w = &r->wanted;
    /* Of a step that is not made again, rows are looked at: to read them changes them. */
    uint16_t method = rg_exchange_replays(p->job, thread) ? RG_PS_PEEK : RG_PS_ROWS;
    size_t at = 0;
    r->n = 0;
    for (int i = 0; i < p->n && at < w->n; i++) {
        size_t end = at;
        bool is_last = i + 1 == p->n; /* ids beyond the height are its to refuse, or to grow by */
        while (end < w->n && (is_last || w->ids[end] < p->list[i].first + p->list[i].rows))
            end++;
        if (end == at)
            continue;
        question *q = &r->questions[r->n];
        *q = (question){.head = {p->list[i].var, (uint32_t)(end - at)}, .first = at};
        q->iov[0] = (rg_iov){q->head, sizeof q->head};
        q->iov[1] = (rg_iov){w->ids + at, (end - at) * sizeof *w->ids};
        r->requests[r->n++] = (rg_job_request){.server = p->list[i].server,
                                               .method = method,
                                               .flags = rg_payload_to_flags(p->job->payload),
                                               .iov = q->iov,
                                               .n = 2};
        at = end;
    }
}

static rg_status start_round(rg_ctx *ctx, parts *p, const rg_value *const *ids, uint64_t step)
{
    asking *r = &p->rounds[step % 2];
    close_round(r);
    r->n = 0;
    r->questions = rg_arena_alloc(&r->arena, (size_t)p->n * sizeof *r->questions);
    r->requests = rg_arena_zero(&r->arena, (size_t)p->n * sizeof *r->requests);
    if (r->questions == NULL || r->requests == NULL)
        return rg_no_memory((size_t)p->n, "a look-up");
    RG_TRY(collect_ids(ctx, ids, &r->arena, &r->wanted));
    make_questions(p, r, ctx->run->thread);
    r->step = step;
    r->asked = true;
    return rg_job_start_all(p->job, &r->in_flight, r->requests, r->n);
}

/* The rows of the step that is run, asked for now where they have not been. */
static rg_status finish_round(rg_ctx *ctx, parts *p)
{
    asking *r = &p->rounds[ctx->run->step % 2];
    if (!r->asked || r->step != ctx->run->step) {
        const rg_value **ids = rg_scratch(ctx, (size_t)rg_n_in(ctx, IDS) * sizeof *ids);
        if (ids == NULL)
            return RG_ENOMEM;
        for (int k = 0; k < rg_n_in(ctx, IDS); k++)
            ids[k] = rg_in_n(ctx, IDS, k);
        RG_TRY(start_round(ctx, p, ids, ctx->run->step));
    }
    return rg_job_finish_all(p->job, &r->in_flight, r->requests, r->n);
}

/* Where the next step's ids are known, its rows are asked for while this one is computed. An id
 * that cannot be is told when its step comes. */
static rg_status look_ahead(rg_ctx *ctx, parts *p)
{
    const rg_value **ids = rg_scratch(ctx, (size_t)rg_n_in(ctx, IDS) * sizeof *ids);
    if (ids == NULL)
        return RG_ENOMEM;
    for (int k = 0; k < rg_n_in(ctx, IDS); k++) {
        ids[k] = ctx->run->services->ahead(ctx, rg_in_n(ctx, IDS, k));
        if (ids[k] == NULL)
            return RG_OK;
    }
    if (start_round(ctx, p, ids, ctx->run->step + 1) != RG_OK)
        close_round(&p->rounds[(ctx->run->step + 1) % 2]);
    return RG_OK;
}

/* Rows from the answers to their places. */
static void hand_out(rg_ctx *ctx, const wanted *w, const float *const *rows, int64_t width)
{
    size_t place = 0;
    for (int k = 0; k < rg_n_out(ctx, OUTPUTS); k++) {
        rg_value *out = rg_out_n(ctx, OUTPUTS, k);
        float *to = out->data;
        int64_t n = rg_numel(rg_in_n(ctx, IDS, k));
        for (int64_t i = 0; i < n; i++, place++, to += width)
            if (w->row_of[place] < 0)
                memset(to, 0, (size_t)width * sizeof *to);
            else
                rg_copy_row(to, rows[w->row_of[place]], (size_t)width);
    }
}

/* The rows of one answer as floats. */
static rg_status rows_of(rg_ctx *ctx, const rg_rpc_call *call, size_t n, const float **rows)
{
    size_t bytes;
    const uint8_t *body = rg_rpc_answer(call, &bytes);
    rg_payload payload;
    RG_TRY(rg_payload_of_answer(rg_rpc_answer_flags(call), &payload));
    if (bytes < rg_payload_bytes(payload, n, 0))
        return rg_fail(RG_ECORRUPT, "%zu bytes for rows of %zu numbers", bytes, n);
    *rows = (const float *)(const void *)body;
    if (payload == RG_PAYLOAD_FLOATS)
        return RG_OK;
    float *widened = rg_scratch(ctx, (n + 1) * sizeof *widened);
    if (widened == NULL)
        return RG_ENOMEM;
    rg_payload_read(payload, widened, body, n, 0);
    *rows = widened;
    return RG_OK;
}

/* What the gradient needs of the order: of Unique there may be fewer than there is room for. */
static void tell_order(rg_ctx *ctx, const wanted *w)
{
    if (rg_has_out(ctx, UNIQUE))
        memcpy(rg_out(ctx, UNIQUE)->data, w->ids, w->n * sizeof *w->ids);
    if (rg_has_out(ctx, PLACES))
        memcpy(rg_out(ctx, PLACES)->data, w->row_of, w->places * sizeof *w->row_of);
}

static rg_status read_answers(rg_ctx *ctx, const asking *r, int64_t width)
{
    const wanted *w = &r->wanted;
    float *whole = rg_has_out(ctx, ROWS) ? rg_out(ctx, ROWS)->data : NULL;
    const float **rows = rg_scratch(ctx, (w->n + 1) * sizeof *rows);
    if (rows == NULL)
        return RG_ENOMEM;
    for (int i = 0; i < r->n; i++) {
        size_t count = r->questions[i].head[1];
        const float *first;
        RG_TRY(rows_of(ctx, r->requests[i].call, count * (size_t)width, &first));
        if (whole != NULL)
            memcpy(whole + (int64_t)r->questions[i].first * width, first,
                   count * (size_t)width * sizeof *whole);
        for (size_t k = 0; k < count; k++)
            rows[r->questions[i].first + k] = first + (int64_t)k * width;
    }
    hand_out(ctx, w, rows, width);
    tell_order(ctx, w);
    return RG_OK;
}

static rg_status look_up(rg_ctx *ctx)
{
    rg_job *job;
    RG_TRY(rg_job_of(ctx, &job));
    parts *p = ctx->state;
    if (p == NULL || p->job != job || p->term != job->term) {
        drop_parts(p);
        ctx->state = NULL;
        RG_TRY(find_parts(ctx, job, &p));
        ctx->state = p;
    }
    asking *now = &p->rounds[ctx->run->step % 2];
    RG_TRY(rg_exchange_refresh(job, ctx->run->thread));
    rg_status code = finish_round(ctx, p);
    if (code == RG_OK)
        code = look_ahead(ctx, p);
    if (code == RG_OK)
        code = read_answers(ctx, now, rg_shape_of(ctx, W)->dim[1]);
    close_round(now);
    return code;
}

static rg_status pull_rows(rg_ctx *ctx)
{
    rg_step_part before = rg_step_within(RG_STEP_PULL);
    rg_status code = look_up(ctx);
    (void)rg_step_enter(before);
    return code;
}

const rg_op rg_op_distributed_lookup_table = {
    .type = "distributed_lookup_table",
    .doc = "Rows, by id, of a table that lives on servers.",
    .in = RG_SLOTS([IDS] = {"Ids", "row numbers", RG_REPEATED | RG_NO_GRAD},
                   [W] = {"W", "the table: its shape and type", RG_SHAPE_ONLY | RG_NO_GRAD}),
    .out = RG_SLOTS([OUTPUTS] = {"Outputs", "the rows, one output for each Ids",
                                 RG_REPEATED | RG_OPTIONAL},
                    [UNIQUE] = {"Unique", "the ids, each once, ascending; then anything",
                                RG_OPTIONAL},
                    [PLACES] = {"Places", "which of Unique stands at each place of Ids, one list "
                                          "after the other (int32)", RG_OPTIONAL},
                    [ROWS] = {"Rows", "the rows of Unique", RG_OPTIONAL}),
    .attr = RG_ATTRS([TABLE_NAMES] = RG_LIST("table_names", RG_ATTR_STRINGS,
                                             "the slices of the table"),
                     [HEIGHT_SECTIONS] = RG_LIST("height_sections", RG_ATTR_LONGS,
                                                 "rows of each slice"),
                     [ENDPOINTS] = RG_ENDPOINTS("endpoints", "where each slice is"),
                     [TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer asks"),
                     [VERSION] = RG_STRING("lookup_table_version", "lookup_table",
                                           "the op it stands for: lookup_table or lookup_table_v2"),
                     [PADDING_IDX] = RG_LONG("padding_idx", -1,
                                             "this id gives zeros; -1: none does"),
                     [DTYPE] = RG_INT("dtype", RG_F32, "the table's data type")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_TALKS,
    .infer = look_up_infer,
    .kernel = pull_rows,
    .drop = drop_parts,
};

enum { P_X };
enum { P_OUT };

static rg_status as_declared(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

static rg_status refuse(rg_ctx *ctx)
{
    return rg_fail(RG_EUNIMPL,
                   "op %s is not implemented: transpile the program again, with this "
                   "DistributeTranspiler",
                   ctx->op->type);
}

const rg_op rg_op_prefetch = {
    .type = "prefetch",
    .doc = "Rows, by id, from one server each: of programs that real Paddle transpiled.",
    .in = RG_SLOTS([P_X] = {"X", "row numbers", RG_REPEATED | RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([P_OUT] = {"Out", "rows", RG_REPEATED}),
    .attr = RG_ATTRS(RG_INT("trainer_id", 0, "which trainer asks"),
                     RG_ENDPOINTS("epmap", "the server of each X")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_TALKS | RG_OP_DYNAMIC,
    .infer = as_declared,
    .kernel = refuse,
};

enum { L_W, L_IDS };
enum { L_OUT };

const rg_op rg_op_lookup_sparse_table = {
    .type = "lookup_sparse_table",
    .doc = "Rows, by id, of a table that grows: of servers that real Paddle transpiled.",
    .in = RG_SLOTS([L_W] = {"W", "the table", RG_NO_GRAD | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [L_IDS] = {"Ids", "row numbers", RG_NO_GRAD}),
    .out = RG_SLOTS([L_OUT] = {"Out", "rows"}),
    .attr = RG_ATTRS(RG_LONG("padding_idx", -1, "this id gives zeros; -1: none does"),
                     RG_BOOLEAN("auto_grown_table", true, "a row comes to be when asked for"),
                     RG_BOOLEAN("is_test", false, "rows that are not there are zeros")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_DYNAMIC,
    .infer = as_declared,
    .kernel = refuse,
};
