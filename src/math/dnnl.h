/* dnnl.h - oneDNN primitives, prepared once and run many times.
 *
 * A call is one primitive together with the reorders that its arguments need: tensors come
 * and go in plain layouts, and oneDNN may compute in another. A cache holds the calls of
 * one op by whatever tells them apart (shapes, mostly), a few at a time. It belongs to one
 * thread at a time; there is nothing global here. Memory for a call's own layouts and for
 * oneDNN is the caller's, lent for the run. */
#ifndef RG_MATH_DNNL_H
#define RG_MATH_DNNL_H

#include "base/status.h"
#include "math/libraries.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rg_dnnl_cache rg_dnnl_cache;
typedef struct rg_dnnl_call rg_dnnl_call;

enum { RG_DNNL_ARGS = 4 };

/* One argument of a primitive. */
typedef struct rg_dnnl_arg {
    int id;             /* DNNL_ARG_SRC, ... */
    dnnl_query_t query; /* what asks a primitive for the layout it wants */
    bool output;
    dnnl_memory_desc_t plain; /* as the caller has it */
} rg_dnnl_arg;

/* RG_ENOMEM or RG_EUNIMPL, saying what failed; RG_OK of dnnl_success. */
rg_status rg_dnnl_check(dnnl_status_t status, const char *what);

/* *cache is made where it is NULL. */
rg_status rg_dnnl_cache_open(rg_dnnl_cache **cache);
void rg_dnnl_cache_close(rg_dnnl_cache *cache); /* NULL is allowed */
dnnl_engine_t rg_dnnl_engine(const rg_dnnl_cache *cache);

/* The call put under these bytes; NULL: none. Borrowed until the next put. */
rg_dnnl_call *rg_dnnl_find(const rg_dnnl_cache *cache, const void *key, size_t bytes);

/* Make a call of the primitive and put it in the cache, where it may take the place of the
 * oldest. The primitive must have been described with a scratchpad of the user's. */
rg_status rg_dnnl_put(rg_dnnl_cache *cache, const void *key, size_t bytes,
                      const_dnnl_primitive_desc_t primitive, const rg_dnnl_arg *args, int n,
                      rg_dnnl_call **call);

/* Bytes that a run borrows, aligned to 64. */
size_t rg_dnnl_scratch(const rg_dnnl_call *call);

/* data[i] is argument i in its plain layout; inputs are not changed. */
rg_status rg_dnnl_run(rg_dnnl_call *call, void *const *data, void *scratch);

#endif
