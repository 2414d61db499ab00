/* row_start_priv.h - how a new row of a sparse table starts. */
#ifndef RG_PS_ROW_START_PRIV_H
#define RG_PS_ROW_START_PRIV_H

#include "ps/table.h"

/* The dim floats of row `id`. */
void rg_row_start(const rg_table_spec *spec, int64_t id, float *value);

#endif
