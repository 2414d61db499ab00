/* print_fetch_priv.h - a fetched variable on stdout, as Fluid's trainer writes it. */
#ifndef RG_TRAIN_PRINT_FETCH_PRIV_H
#define RG_TRAIN_PRINT_FETCH_PRIV_H

#include "tensor/value.h"

rg_status rg_print_fetch(const char *info, const char *name, const rg_value *value);

#endif
