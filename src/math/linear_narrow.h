/* linear_narrow.h - a layer of a few outputs, such as the last of a classifier.
 *
 * Libraries are poor at products with so few columns, and would want bfloat16 made floats first.
 * Sums are of floats and in an order that the sizes alone decide. */
#ifndef RG_MATH_LINEAR_NARROW_H
#define RG_MATH_LINEAR_NARROW_H

#include "math/linear_bf16.h"

enum { RG_NARROW = 15 }; /* outputs at most */

/* out[m,n] = x w + bias; `turned` is room for k n floats. */
void rg_narrow_forward(const rg_linear *l, rg_numbers x, const float *w, const float *bias,
                       float *turned, float *out);
/* dx = dz w^T */
void rg_narrow_by_x(const rg_linear *l, const float *dz, const float *w, float *turned,
                    rg_numbers dx);
/* The sums are left in `turned`, [n, k]. */
void rg_narrow_by_w(const rg_linear *l, rg_numbers x, const float *dz, float *turned);

#endif
