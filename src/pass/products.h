/* products.h - ops that multiply matrices: mul, matmul and their gradients. */
#ifndef RG_PASS_PRODUCTS_H
#define RG_PASS_PRODUCTS_H

#include "ir/program.h"

bool rg_multiplies(const rg_opdesc *op);

#endif
