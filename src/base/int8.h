/* int8.h - floats as signed bytes that share a scale: a value is its byte times the scale.
 *
 * Each group of values has a scale, its largest magnitude divided by 127. Bytes are rounded to the
 * nearest, ties to even. A group that is too near to zero for a normal float as its scale has the
 * scale 0. One that has a NaN or an infinity has the scale NaN and comes back as nothing but NaN:
 * what has gone wrong is not hidden.
 *
 * Plain arithmetic that compilers make vectors of, so every machine has the same bits. */
#ifndef RG_BASE_INT8_H
#define RG_BASE_INT8_H

#include <stddef.h>
#include <stdint.h>

/* A group is `group` values, and the last one what is left; of no values there is none. */
static inline size_t rg_int8_groups(size_t n, size_t group)
{
    return n == 0 ? 0 : (n - 1) / group + 1;
}

void rg_int8_from_floats(int8_t *to, float *scales, const float *from, size_t n, size_t group);
void rg_int8_to_floats(float *to, const int8_t *from, const float *scales, size_t n, size_t group);

/* What rounding took: a value less what its byte stands for; 0 where the scale is NaN. */
void rg_int8_lost(float *lost, const float *from, const int8_t *bytes, const float *scales,
                  size_t n, size_t group);

#endif
