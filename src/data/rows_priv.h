/* rows_priv.h - appending to columns: for the parser and for what merges instances. */
#ifndef RG_DATA_ROWS_PRIV_H
#define RG_DATA_ROWS_PRIV_H

#include "data/rows.h"

/* Room for `more` values. */
rg_status rg_column_reserve(rg_column *column, size_t more);
/* Instance `row`, the last, has got its n values: they stand before n_values. */
rg_status rg_column_end_row(rg_column *column, size_t row, uint32_t n);
rg_status rg_texts_add(rg_texts *texts, size_t row, const char *text, size_t n);
/* Forget what was appended of the instance n_rows. */
void rg_rows_undo(rg_rows *rows);

static inline const char *rg_text_at(const rg_texts *texts, size_t row)
{
    return texts->n_bytes ? texts->bytes + texts->at[row] : "";
}

#endif
