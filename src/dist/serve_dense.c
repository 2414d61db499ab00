/* serve_dense.c - the step of a dense variable in one pass over its memory, and what becomes of
 * that memory while trainers read it.
 *
 * The mean of what trainers pushed need not stand anywhere: it is made of a piece at a time, in the
 * first cache, and the optimizer moves that piece of the parameter before the next is looked at. So
 * gradients, parameter and states each come from memory once. It is the optimizer's own row_step
 * that does so (ir/update.h), which knows no difference between a piece and a row. */
#include "dist/serve_tables.h"

#include "base/mem.h"
#include "dist/serve_push.h"
#include "ops/optimizer.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/lent.h"
#include "sys/profile.h"

#include <string.h>

/* Its optimizer's op, bound to the shard's scope. */
struct rg_dense_stepper {
    rg_ctx ctx;
    rg_run run;
    rg_scope *grad; /* nothing but that; owned */
};

/* The op is all that the block does, and moves each element by itself. */
static bool can_step(const rg_served *var)
{
    const rg_update *update = rg_update_of(var->op);
    if (!var->only_reads || update == NULL || update->row_step == NULL || update->begin != NULL ||
        !rg_update_in_place(var->op) || rg_flag_bool("check_nan_inf"))
        return false;
    for (int k = 0; k < update->n; k++)
        if (update->state[k].counter)
            return false;
    return true;
}

rg_status rg_served_open_dense_stepper(rg_served *var)
{
    if (!can_step(var))
        return RG_OK;
    rg_engine *s = var->shard->engine;
    rg_dense_stepper *stepper = rg_arena_zero(&s->arena, sizeof *stepper);
    if (stepper == NULL)
        return rg_no_memory(sizeof *stepper, "an optimizer");
    RG_TRY(rg_scope_new(&stepper->grad, NULL));
    var->dense_stepper = stepper;
    return rg_served_bind(var, stepper->grad, var->shard->scope, &stepper->ctx, &stepper->run);
}

void rg_served_close_dense_stepper(rg_served *var)
{
    if (var->dense_stepper != NULL)
        rg_scope_release(var->dense_stepper->grad);
    var->dense_stepper = NULL;
}

/* Where the parameter and its states stand; false: not as they should for this. */
static bool find_states(const rg_served *var, float *states[1 + RG_MAX_STATES])
{
    const rg_ctx *ctx = &var->dense_stepper->ctx;
    const rg_update *update = rg_update_of(var->op);
    if (update->rate >= 0 && rg_in(ctx, update->rate)->data == NULL)
        return false;
    for (int k = 0; k < update->n; k++) {
        const rg_value *value = rg_in(ctx, update->state[k].in);
        if (value == NULL || value->data == NULL || value->late != NULL ||
            value->meta.kind != RG_TENSOR || value->meta.dtype != RG_F32 ||
            rg_numel(value) != rg_numel(var->param))
            return false;
        states[k] = value->data;
    }
    return true;
}

bool rg_served_step_dense(rg_served *var, const float *const *found, int count, float scale)
{
    float *states[1 + RG_MAX_STATES], mean[RG_MERGE_PIECE];
    rg_row_batch rows; /* large: it is not cleared */
    if (var->dense_stepper == NULL || !find_states(var, states))
        return false;
    rg_ctx *ctx = &var->dense_stepper->ctx;
    const rg_update *update = rg_update_of(var->op);
    float rate = rg_step_rate(ctx);
    int64_t n = rg_numel(var->param);
    uint64_t began = rg_profiling ? rg_clock_ns() : 0;
    rows.n = 1;
    rows.grads = mean;
    for (int64_t at = 0; at < n; at += RG_MERGE_PIECE) {
        rows.width = n - at < RG_MERGE_PIECE ? n - at : RG_MERGE_PIECE;
        rg_merge_values(mean, found, count, scale, at, rows.width);
        for (int k = 0; k < update->n; k++)
            rows.part[k][0] = states[k] + at;
        update->row_step(ctx, rate, &rows);
    }
    if (began != 0)
        rg_profile_add(RG_SPAN_OP, var->op->op->type, began, rg_clock_ns());
    return true;
}

rg_status rg_served_leave_shown(rg_served *var)
{
    rg_value *param = var->param;
    uint64_t place;
    if (var->shard->engine->mode->try_step == NULL || var->shown != NULL ||
        param->storage == NULL || !rg_lent_find(param->data, rg_value_bytes(param), &place))
        return RG_OK;
    rg_storage *other;
    RG_TRY(rg_storage_new(&other));
    rg_status code = rg_storage_grow(other, rg_value_bytes(param));
    if (code != RG_OK) {
        rg_storage_release(other);
        return code;
    }
    memcpy(other->data, param->data, rg_value_bytes(param));
    var->shown = param->storage;
    param->storage = other;
    param->data = other->data;
    return RG_OK;
}

void rg_served_drop_shown(rg_served *var)
{
    if (var->shown != NULL)
        rg_storage_release(var->shown);
    var->shown = NULL;
}
