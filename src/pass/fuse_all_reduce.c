/* fuse_all_reduce.c - the sums of gradients over ranks put together, begun when the last of each
 * lot is there, and waited for before the first is used.
 *
 *   c_allreduce_sum(g) -> g ...; uses of g
 *       c_bucket_start(g ...) -> work; the rest of backward; c_bucket_wait(work, g ...); uses of g
 *
 * So the group works while backward goes on. Gradients come in the order in which backward makes
 * them. A large one, or one of rows, goes alone and at once, without a copy; small ones wait until
 * they are many enough (FLAGS_fuse_parameter_memory_size). An op with use_calc_stream is one that
 * must be over where it stands, and stays. Every rank has the same program, so the lots are the
 * same everywhere. */
#include "pass/edit.h"
#include "pass/uses.h"

#include "base/mem.h"
#include "sys/flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_BYTES = 256 * 1024 };

typedef struct lot {
    size_t first, n;    /* of the members */
    size_t start_at;    /* the op that becomes its start */
    size_t wait_before; /* the first op that uses a member */
    size_t bytes;
    rg_dtype dtype;
    int32_t ring;
    bool alone;
} lot;

typedef struct lots {
    rg_block *block;
    const char **members; /* names of gradients */
    size_t n_members;
    lot *list;
    size_t n, open; /* open: 1 + the lot that still takes gradients; 0: none */
    size_t limit;
} lots;

static bool is_marker(const rg_opdesc *op)
{
    return rg_is_type(op, "c_sync_calc_stream") || rg_is_type(op, "c_sync_comm_stream");
}

/* Ops with a block of their own may use anything. */
static size_t first_use(const rg_block *block, const char *name, size_t after)
{
    for (size_t i = after + 1; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        const rg_attr *sub = rg_opdesc_attr(op, "sub_block");
        if (is_marker(op))
            continue;
        if (rg_op_reads(op, name) || rg_op_writes(op, name) ||
            (sub != NULL && sub->type == RG_ATTR_BLOCK))
            return i;
    }
    return block->n_ops;
}

/* The gradient of an op that may be begun now and waited for later; NULL: it stays as it is. */
static const char *candidate(const lots *l, const rg_opdesc *op, const rg_vardesc **var)
{
    if (!rg_is_type(op, "c_allreduce_sum"))
        return NULL;
    const char *x = rg_one_in(op, "X"), *out = rg_one_out(op, "Out");
    const rg_attr *waits = rg_opdesc_attr(op, "use_calc_stream");
    if (x == NULL || out == NULL || strcmp(x, out) != 0 || (waits != NULL && waits->b))
        return NULL;
    *var = rg_block_find(l->block, x);
    if (*var == NULL || ((*var)->meta.kind != RG_TENSOR && (*var)->meta.kind != RG_ROWS))
        return NULL;
    return x;
}

static void add(lots *l, size_t at, const char *name, const rg_vardesc *var)
{
    const rg_attr *ring = rg_opdesc_attr(l->block->ops[at], "ring_id");
    int64_t numel = rg_shape_numel(&var->meta.shape);
    bool alone = var->meta.kind == RG_ROWS || numel < 0 ||
                 (size_t)numel * rg_dtype_size(var->meta.dtype) >= l->limit;
    size_t bytes = alone ? 0 : (size_t)numel * rg_dtype_size(var->meta.dtype);
    lot *to = l->open > 0 ? &l->list[l->open - 1] : NULL;
    if (!alone && to != NULL &&
        (to->dtype != var->meta.dtype || to->wait_before <= at || to->bytes >= l->limit))
        to = NULL;
    if (alone || to == NULL) {
        to = &l->list[l->n++];
        *to = (lot){.wait_before = l->block->n_ops,
                    .dtype = var->meta.dtype,
                    .alone = alone,
                    .first = l->n_members,
                    .ring = ring ? ring->i : 0};
        if (!alone)
            l->open = l->n;
    }
    /* Members of a lot stand together in the list of names. */
    size_t place = to->first + to->n;
    memmove(l->members + place + 1, l->members + place,
            (l->n_members - place) * sizeof *l->members);
    l->members[place] = name;
    l->n_members++;
    for (size_t i = 0; i < l->n; i++)
        if (&l->list[i] != to && l->list[i].first >= place)
            l->list[i].first++;
    to->n++;
    to->bytes += bytes;
    to->start_at = at;
    size_t used = first_use(l->block, name, at);
    if (used < to->wait_before)
        to->wait_before = used;
}

/* A variable that stands for what is under way. */
static rg_status name_work(rg_block *block, size_t number, const char **name)
{
    char text[64];
    rg_vardesc *var;
    (void)snprintf(text, sizeof text, "c_bucket_%zu@WORK", number);
    var = rg_block_var(block, text);
    if (var == NULL) {
        RG_TRY(rg_block_add_var(block, text, &var));
        var->meta.kind = RG_RAW;
    }
    *name = var->name;
    return RG_OK;
}

static rg_status become_start(const lots *l, size_t k)
{
    const lot *it = &l->list[k];
    rg_opdesc *op = l->block->ops[it->start_at];
    const char *work;
    RG_TRY(name_work(l->block, k, &work));
    RG_TRY(rg_opdesc_become(op, "c_bucket_start"));
    RG_TRY(rg_opdesc_set_in(op, "X", (int)it->n, l->members + it->first));
    RG_TRY(rg_edit_out(op, "Work", work));
    return rg_edit_int(op, "ring_id", it->ring);
}

static rg_status insert_wait(const lots *l, size_t k)
{
    const lot *it = &l->list[k];
    const char *const *names = l->members + it->first, *work;
    rg_opdesc *op;
    RG_TRY(name_work(l->block, k, &work));
    RG_TRY(rg_edit_op(l->block, it->wait_before, "c_bucket_wait", RG_ROLE_BACKWARD, &op));
    RG_TRY(rg_edit_in(op, "Work", work));
    RG_TRY(rg_opdesc_set_in(op, "X", (int)it->n, names));
    RG_TRY(rg_opdesc_set_out(op, "Out", (int)it->n, names));
    return rg_edit_int(op, "ring_id", it->ring);
}

/* From the last to the first, so that indices before stay as they are. The waits of several lots
 * may be before one op. */
static rg_status rewrite(lots *l, const bool *gone)
{
    rg_block *block = l->block;
    for (size_t i = block->n_ops + 1; i-- > 0;) {
        for (size_t k = 0; k < l->n; k++)
            if (l->list[k].start_at == i)
                RG_TRY(become_start(l, k));
        if (gone[i])
            rg_block_remove_ops(block, i, i + 1);
        for (size_t k = l->n; k-- > 0;)
            if (l->list[k].wait_before == i)
                RG_TRY(insert_wait(l, k));
    }
    return RG_OK;
}

static size_t limit_of_flag(void)
{
    const char *text;
    double megabytes = rg_flag_text("fuse_parameter_memory_size", &text) == RG_OK
                           ? strtod(text, NULL)
                           : -1;
    return megabytes < 0 ? DEFAULT_BYTES : (size_t)(megabytes * 1024 * 1024);
}

rg_status rg_pass_fuse_all_reduce(rg_program *program, const rg_protected *keep)
{
    lots l = {.block = program->blocks[0], .limit = limit_of_flag()};
    size_t n = l.block->n_ops, found = 0;
    rg_status code = RG_OK;
    (void)keep; /* every variable has its value in the end, under its name */
    for (size_t i = 0; i < n; i++)
        found += rg_is_type(l.block->ops[i], "c_allreduce_sum");
    if (found == 0)
        return RG_OK;
    bool *gone = rg_alloc_zero(n + 1, sizeof *gone);
    l.members = rg_alloc_zero(found + 1, sizeof *l.members);
    l.list = rg_alloc_zero(found + 1, sizeof *l.list);
    if (gone == NULL || l.members == NULL || l.list == NULL)
        code = rg_no_memory(found * sizeof *l.list, "buckets of gradients");
    for (size_t i = 0; code == RG_OK && i < n; i++) {
        const rg_vardesc *var;
        const char *name = candidate(&l, l.block->ops[i], &var);
        if (name != NULL)
            add(&l, i, name, var);
        gone[i] = name != NULL || is_marker(l.block->ops[i]);
    }
    for (size_t k = 0; k < l.n; k++)
        gone[l.list[k].start_at] = false;
    if (code == RG_OK)
        code = rewrite(&l, gone);
    rg_free(gone);
    rg_free(l.members);
    rg_free(l.list);
    return code;
}
