/* parallel_sum.c - what threads have of one variable, made into one: sums and means of every dtype
 * that has them. Others are refused by name, unless all threads have the same. */
#include "exec/parallel_priv.h"

#include "math/vector.h"

#include <string.h>

static rg_status no_sum(const char *name, rg_dtype dtype)
{
    return rg_fail(RG_EUNIMPL,
                   "%s is %s, which cannot be added up over threads, and theirs differ; cast it, "
                   "or run with CPU_NUM=1",
                   name, rg_dtype_name(dtype));
}

/* ---- counters ---- */

#define ADD_DIFFERENCE(T)                                               \
    do {                                                                \
        T *to = all->data;                                              \
        const T *now = own->data, *was = base->data;                    \
        for (int64_t k = 0; k < n; k++)                                 \
            to[k] = (T)(to[k] + (now[k] - was[k]));                     \
    } while (0)

rg_status rg_parallel_count(const char *name, const rg_value *base, const rg_value *own,
                            rg_value *all)
{
    int64_t n = rg_numel(all);
    if (own->meta.dtype != all->meta.dtype || base->meta.dtype != all->meta.dtype ||
        rg_value_bytes(own) != rg_value_bytes(all) || rg_value_bytes(base) != rg_value_bytes(all))
        return rg_fail(RG_ESHAPE, "the threads' counts in %s differ in type or shape", name);
    switch ((int)all->meta.dtype) {
    case RG_F32:
        ADD_DIFFERENCE(float);
        return RG_OK;
    case RG_F64:
        ADD_DIFFERENCE(double);
        return RG_OK;
    case RG_I64:
        ADD_DIFFERENCE(int64_t);
        return RG_OK;
    case RG_I32:
        ADD_DIFFERENCE(int32_t);
        return RG_OK;
    case RG_I16:
        ADD_DIFFERENCE(int16_t);
        return RG_OK;
    case RG_I8:
        ADD_DIFFERENCE(int8_t);
        return RG_OK;
    case RG_U8:
        ADD_DIFFERENCE(uint8_t);
        return RG_OK;
    default:
        return memcmp(own->data, base->data, rg_value_bytes(own)) == 0
                   ? RG_OK
                   : no_sum(name, all->meta.dtype);
    }
}

/* ---- gradients, and whatever else the update reads ---- */

static int64_t whole_at(const rg_value *value, int64_t i)
{
    switch ((int)value->meta.dtype) {
    case RG_I64:
        return ((const int64_t *)value->data)[i];
    case RG_I32:
        return ((const int32_t *)value->data)[i];
    case RG_I16:
        return ((const int16_t *)value->data)[i];
    case RG_I8:
        return ((const int8_t *)value->data)[i];
    default:
        return ((const uint8_t *)value->data)[i];
    }
}

/* Whether it fits. */
static bool set_whole(rg_value *value, int64_t i, int64_t x)
{
    switch ((int)value->meta.dtype) {
    case RG_I64:
        ((int64_t *)value->data)[i] = x;
        break;
    case RG_I32:
        ((int32_t *)value->data)[i] = (int32_t)x;
        break;
    case RG_I16:
        ((int16_t *)value->data)[i] = (int16_t)x;
        break;
    case RG_I8:
        ((int8_t *)value->data)[i] = (int8_t)x;
        break;
    default:
        ((uint8_t *)value->data)[i] = (uint8_t)x;
    }
    return whole_at(value, i) == x;
}

static rg_status reduce_whole(const rg_reduction *r, rg_value *out)
{
    int64_t n = rg_numel(out);
    for (int64_t i = 0; i < n; i++) {
        int64_t total = 0;
        bool fits = true;
        for (int t = 0; t < r->n; t++)
            fits = !__builtin_add_overflow(total, whole_at(r->part(r, t), i), &total) && fits;
        if (!r->sum && total % r->n != 0)
            return rg_fail(RG_EVALUE,
                           "the mean over threads of %s, which is %s, is no whole number: cast it "
                           "to float32, or run with CPU_NUM=1",
                           r->name, rg_dtype_name(out->meta.dtype));
        if (!fits || !set_whole(out, i, r->sum ? total : total / r->n))
            return rg_fail(RG_EVALUE, "the sum over threads of %s does not fit into %s", r->name,
                           rg_dtype_name(out->meta.dtype));
    }
    return RG_OK;
}

static void scale(rg_value *out, const rg_reduction *r, int64_t n)
{
    if (r->sum)
        return;
    if (out->meta.dtype == RG_F32)
        rg_scale_f32(out->data, 1.0f / (float)r->n, n);
    else
        for (int64_t k = 0; k < n; k++)
            ((double *)out->data)[k] /= (double)r->n;
}

static rg_status check_alike(const rg_reduction *r, const rg_value *first)
{
    for (int t = 1; t < r->n; t++) {
        const rg_value *part = r->part(r, t);
        if (part->meta.kind != first->meta.kind || part->meta.dtype != first->meta.dtype ||
            (first->meta.kind == RG_TENSOR &&
             !rg_shape_equal(&part->meta.shape, &first->meta.shape)))
            return rg_fail(RG_ESHAPE, "the threads' values of %s differ in shape or type", r->name);
    }
    return RG_OK;
}

static rg_status reduce_dense(const rg_reduction *r, rg_value *out)
{
    const rg_value *first = r->part(r, 0);
    RG_TRY(rg_value_copy(out, first));
    int64_t n = rg_numel(out);
    rg_dtype dtype = out->meta.dtype;
    if (dtype == RG_I64 || dtype == RG_I32 || dtype == RG_I16 || dtype == RG_I8 || dtype == RG_U8)
        return reduce_whole(r, out);
    for (int t = 1; t < r->n; t++) {
        const rg_value *part = r->part(r, t);
        if (dtype == RG_F32)
            rg_add_f32(out->data, part->data, n);
        else if (dtype == RG_F64)
            rg_add_f64(out->data, part->data, n);
        else if (memcmp(part->data, first->data, rg_value_bytes(first)) != 0)
            return no_sum(r->name, dtype);
    }
    if (dtype == RG_F32 || dtype == RG_F64)
        scale(out, r, n);
    return RG_OK;
}

/* Sparse gradients one after another, as a sum op joins them. */
static rg_status reduce_sparse(const rg_reduction *r, rg_value *out)
{
    const rg_value *first = r->part(r, 0);
    size_t total = 0, at = 0, size = rg_dtype_size(first->meta.dtype);
    size_t width = (size_t)rg_value_width(first);
    if (first->meta.dtype != RG_F32 && first->meta.dtype != RG_F64)
        return rg_fail(RG_EUNIMPL,
                       "%s is a sparse gradient of %s, which several threads cannot add up",
                       r->name, rg_dtype_name(first->meta.dtype));
    for (int t = 0; t < r->n; t++)
        total += r->part(r, t)->n_rows;
    RG_TRY(rg_value_resize_rows(out, first->meta.dtype, &first->meta.shape, total));
    for (int t = 0; t < r->n; t++) {
        const rg_value *part = r->part(r, t);
        if (part->n_rows == 0)
            continue;
        memcpy(out->rows + at, part->rows, part->n_rows * sizeof *part->rows);
        memcpy((uint8_t *)out->data + at * width * size, part->data, part->n_rows * width * size);
        at += part->n_rows;
    }
    scale(out, r, (int64_t)(total * width));
    return RG_OK;
}

rg_status rg_parallel_reduce(const rg_reduction *r, rg_value *out)
{
    const rg_value *first = r->part(r, 0);
    RG_TRY(check_alike(r, first));
    return first->meta.kind == RG_ROWS ? reduce_sparse(r, out) : reduce_dense(r, out);
}
