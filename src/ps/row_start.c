/* row_start.c - start values, with the bits that ops/random.c gives the whole tensor. */
#include "ps/row_start_priv.h"

#include "math/draw.h"

#include <string.h>

static void fill(const rg_table_spec *spec, float *value)
{
    for (int64_t i = 0; i < spec->dim; i++)
        value[i] = spec->a;
}

static void take_value(const rg_table_spec *spec, int64_t id, float *value)
{
    if (id < spec->first_value || id - spec->first_value >= spec->n_values)
        fill(spec, value);
    else
        memcpy(value, spec->values + (id - spec->first_value) * spec->dim,
               (size_t)spec->dim * sizeof *value);
}

void rg_row_start(const rg_table_spec *spec, int64_t id, float *value)
{
    /* Where ids have no bound the product may wrap: still one start for one id. */
    uint64_t first = (uint64_t)id * (uint64_t)spec->dim;
    float span = (float)((double)spec->b - (double)spec->a);
    switch (spec->start) {
    case RG_START_CONSTANT:
        fill(spec, value);
        break;
    case RG_START_VALUES:
        take_value(spec, id, value);
        break;
    case RG_START_UNIFORM:
        rg_draw_uniform(spec->key, first, spec->dim, spec->a, span, value);
        break;
    case RG_START_NORMAL:
        rg_draw_normal(spec->key, first, spec->dim, spec->a, spec->b, value);
        break;
    case RG_START_TRUNCATED_NORMAL:
        rg_draw_truncated(spec->key, first, spec->dim, spec->a, spec->b, value);
        break;
    }
}
