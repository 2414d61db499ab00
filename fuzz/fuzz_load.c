/* fuzz_load.c - any bytes as the programs that a server is sent: what is accepted is run. */
#include "base/mem.h"
#include "dist/serve_load.h"
#include "dist/serve_tables.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MOST = 4096 }; /* larger numbers are memory and time, and no other paths */

static bool is_small(const uint8_t *bytes, size_t n)
{
    rg_program *program;
    bool small = true;
    if (rg_program_unpack(&program, bytes, n) != RG_OK)
        return false;
    for (size_t b = 0; b < program->n_blocks; b++) {
        const rg_block *block = program->blocks[b];
        for (size_t i = 0; i < block->vars.n_entries; i++) {
            const rg_map_entry *e = rg_map_at(&block->vars, i);
            const rg_vardesc *var = e ? e->value : NULL;
            for (int d = 0; var != NULL && d < var->meta.shape.rank; d++)
                small = small && var->meta.shape.dim[d] <= MOST;
        }
        for (size_t i = 0; i < block->n_ops; i++)
            for (int a = 0; a < block->ops[i]->n_attrs; a++) {
                const rg_attr *attr = &block->ops[i]->attrs[a];
                small = small && !(attr->type == RG_ATTR_INT && attr->i > MOST);
                small = small && !(attr->type == RG_ATTR_LONG && attr->l > MOST);
                for (int k = 0; attr->type == RG_ATTR_LONGS && k < attr->n; k++)
                    small = small && attr->longs[k] <= MOST;
                for (int k = 0; attr->type == RG_ATTR_INTS && k < attr->n; k++)
                    small = small && attr->ints[k] <= MOST;
            }
    }
    rg_program_close(program);
    return small;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_ps_load load;
    rg_shard shard = {0};
    rg_engine s = {.schema = {.trainers = 2}, .shards = &shard, .n_shards = 1};
    shard.engine = &s;
    if (rg_ps_load_read(&load, bytes, n) != RG_OK || !is_small(load.startup, load.n_startup) ||
        !is_small(load.main, load.n_main))
        return 0;
    if (rg_serve_take(&s, &load) != RG_OK &&
        (s.desc != NULL || s.sent != NULL || shard.vars != NULL))
        abort(); /* nothing has changed */
    rg_serve_close_vars(&s);
    rg_scope_release(s.sent ? s.scope : NULL);
    rg_program_close(s.sent);
    rg_arena_free(&s.arena);
    rg_arena_free(&shard.scratch);
    rg_arena_free(&s.scratch);
    return 0;
}
