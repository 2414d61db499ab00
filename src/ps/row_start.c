/* row_start.c - start values, with the bits that ops/random.c gives the whole tensor. */
#include "ps/row_start_priv.h"

#include "base/map.h"

rg_philox_key rg_table_key(const char *name, int seed)
{
    return (rg_philox_key){(uint64_t)(uint32_t)seed, rg_hash_text(name)};
}

/* Elements first .. first + n - 1 of the tensor; a block of four numbers is made once. */
static void start_uniform(const rg_table_spec *spec, uint64_t first, float *value)
{
    float low = spec->a, span = (float)((double)spec->b - (double)spec->a);
    int64_t i = 0;
    while (i < spec->dim) {
        uint32_t r[4];
        rg_philox(spec->key, (first + (uint64_t)i) >> 2, r);
        for (unsigned k = (first + (uint64_t)i) & 3; k < 4 && i < spec->dim; k++, i++)
            value[i] = low + span * ((float)(r[k] >> 8) * 0x1p-24f);
    }
}

void rg_row_start(const rg_table_spec *spec, int64_t id, float *value)
{
    /* Where ids have no bound the product may wrap: still one start for one id. */
    uint64_t first = (uint64_t)id * (uint64_t)spec->dim;
    double mean = (double)spec->a, deviation = (double)spec->b;
    switch (spec->start) {
    case RG_START_CONSTANT:
        for (int64_t i = 0; i < spec->dim; i++)
            value[i] = spec->a;
        break;
    case RG_START_UNIFORM:
        start_uniform(spec, first, value);
        break;
    case RG_START_NORMAL:
        for (int64_t i = 0; i < spec->dim; i++)
            value[i] = (float)(mean + deviation * rg_philox_normal(spec->key, first + (uint64_t)i));
        break;
    case RG_START_TRUNCATED_NORMAL:
        for (int64_t i = 0; i < spec->dim; i++)
            value[i] = (float)(mean + deviation * rg_philox_truncated_normal(spec->key,
                                                                             first + (uint64_t)i));
        break;
    }
}
