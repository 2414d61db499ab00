/* value_text.h - a tensor as text, the way Fluid prints it:
 *
 *     lod: {{0, 1, 3}}
 *             dim: 3, 1
 *             layout: NCHW
 *             dtype: int64_t
 *             data: [5 6 7]
 */
#ifndef RG_TENSOR_VALUE_TEXT_H
#define RG_TENSOR_VALUE_TEXT_H

#include "base/buf.h"
#include "tensor/value.h"

/* Every line but the first behind a tab; all of them end. */
void rg_value_write_text(rg_buf *text, const rg_value *value);

#endif
