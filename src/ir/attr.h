/* attr.h - the attributes of an operator, of the twelve types a saved program has. */
#ifndef RG_IR_ATTR_H
#define RG_IR_ATTR_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* numbered as in the file format */
typedef enum rg_attr_type {
    RG_ATTR_INT = 0,
    RG_ATTR_FLOAT = 1,
    RG_ATTR_STRING = 2,
    RG_ATTR_INTS = 3,
    RG_ATTR_FLOATS = 4,
    RG_ATTR_STRINGS = 5,
    RG_ATTR_BOOL = 6,
    RG_ATTR_BOOLS = 7,
    RG_ATTR_BLOCK = 8,
    RG_ATTR_LONG = 9,
    RG_ATTR_BLOCKS = 10,
    RG_ATTR_LONGS = 11,
} rg_attr_type;

typedef struct rg_attr {
    const char *name;
    rg_attr_type type;
    int n; /* elements of a list */
    union {
        int32_t i; /* INT, and the index of a BLOCK */
        float f;
        const char *s;
        bool b;
        int64_t l;
        const int32_t *ints; /* INTS, and the indices of BLOCKS */
        const float *floats;
        const char *const *strings;
        const bool *bools;
        const int64_t *longs;
    };
} rg_attr;

const char *rg_attr_type_name(rg_attr_type type); /* "INT", ... */
bool rg_attr_type_valid(int number);

/* A copy whose lists and strings live in `arena`. */
rg_status rg_attr_copy(rg_arena *arena, rg_attr *out, const rg_attr *attr);

/* `attr` as type `wanted`, where that loses nothing: INT and LONG, BOOL and INT,
 * INTS and LONGS, INT to FLOAT, an empty list of any type. RG_EINVAL else. */
rg_status rg_attr_convert(rg_arena *arena, rg_attr *out, const rg_attr *attr, rg_attr_type wanted);

bool rg_attr_equal(const rg_attr *a, const rg_attr *b);

#endif
