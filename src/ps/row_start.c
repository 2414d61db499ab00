/* row_start.c - start values, with the bits that ops/random.c gives the whole tensor. */
#include "ps/row_start_priv.h"

#include "math/draw.h"

void rg_row_start(const rg_table_spec *spec, int64_t id, float *value)
{
    /* Where ids have no bound the product may wrap: still one start for one id. */
    uint64_t first = (uint64_t)id * (uint64_t)spec->dim;
    float span = (float)((double)spec->b - (double)spec->a);
    switch (spec->start) {
    case RG_START_CONSTANT:
        for (int64_t i = 0; i < spec->dim; i++)
            value[i] = spec->a;
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
