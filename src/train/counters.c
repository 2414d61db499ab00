/* counters.c - what metrics add up, apart for each trainer thread. */
#include "train/counters_priv.h"

#include "base/mem.h"

#include <string.h>

static bool is_counter(const rg_block *block, const rg_opdesc *op, const char *name)
{
    const rg_vardesc *var = rg_block_find(block, name);
    return var != NULL && var->persistable && rg_opdesc_adds_to(op, name);
}

static rg_status find_names(rg_counters *c, const rg_program *program, const rg_scope *scope)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++)
        for (int s = 0; s < block->ops[i]->n_out; s++)
            for (int k = 0; k < block->ops[i]->out[s].n; k++) {
                const char *name = block->ops[i]->out[s].names[k];
                const rg_value *value = rg_scope_find(scope, name);
                if (!is_counter(block, block->ops[i], name) || value == NULL ||
                    value->data == NULL || value->meta.dtype != RG_F32)
                    continue;
                RG_TRY(rg_grow((void **)&c->names, c->n, &c->cap, sizeof *c->names));
                c->names[c->n++] = name;
            }
    return RG_OK;
}

static rg_status open_scope(rg_counters *c, rg_scope *scope, int thread)
{
    RG_TRY(rg_scope_new(&c->scopes[thread], scope));
    for (size_t i = 0; i < c->n; i++) {
        rg_value *own;
        RG_TRY(rg_scope_own(c->scopes[thread], c->names[i], &own));
        RG_TRY(rg_value_copy(own, rg_scope_find(scope, c->names[i])));
        memset(own->data, 0, rg_value_bytes(own));
    }
    return RG_OK;
}

rg_status rg_counters_open(rg_counters *c, const rg_program *program, rg_scope *scope, int threads)
{
    *c = (rg_counters){.common = scope, .threads = threads};
    if (threads < 2)
        return RG_OK;
    RG_TRY(find_names(c, program, scope));
    if (c->n == 0)
        return RG_OK;
    c->scopes = rg_alloc_zero((size_t)threads, sizeof *c->scopes);
    if (c->scopes == NULL)
        return rg_no_memory(1, "trainer threads");
    for (int t = 1; t < threads; t++)
        RG_TRY(open_scope(c, scope, t));
    return RG_OK;
}

rg_scope *rg_counters_scope(const rg_counters *c, int thread)
{
    return c->scopes != NULL && thread > 0 ? c->scopes[thread] : c->common;
}

void rg_counters_add(rg_counters *c)
{
    for (int t = 1; c->scopes != NULL && t < c->threads; t++)
        for (size_t i = 0; i < c->n; i++) {
            rg_value *own = rg_scope_find(c->scopes[t], c->names[i]);
            rg_value *all = rg_scope_find(c->common, c->names[i]);
            if (rg_value_bytes(own) != rg_value_bytes(all))
                continue;
            for (int64_t k = 0; k < rg_numel(all); k++)
                ((float *)all->data)[k] += ((const float *)own->data)[k];
            memset(own->data, 0, rg_value_bytes(own));
        }
}

void rg_counters_close(rg_counters *c)
{
    for (int t = 1; c->scopes != NULL && t < c->threads; t++)
        rg_scope_release(c->scopes[t]);
    rg_free(c->scopes);
    rg_free(c->names);
}
