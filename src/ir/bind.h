/* bind.h - an op description and its variables made into a context: names looked
 * up, slots put in the schema's order, attributes filled in. */
#ifndef RG_IR_BIND_H
#define RG_IR_BIND_H

#include "base/arena.h"
#include "ir/op.h"
#include "ir/program.h"

/* The meta of the variable `name`: NULL, with the message set, where there is none. */
typedef rg_meta *(*rg_find_meta)(void *arg, const char *name, bool output);

/* Check `op` against its schema and fill `ctx`; arrays live in `arena`. */
rg_status rg_ctx_bind(rg_ctx *ctx, rg_arena *arena, const rg_opdesc *op, rg_find_meta find,
                      void *arg);

/* The op's shape rule, or the rule of `like`. */
rg_status rg_ctx_infer(rg_ctx *ctx);

#endif
