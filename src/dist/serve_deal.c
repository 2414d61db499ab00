/* serve_deal.c - which shard of a server has which variable.
 *
 * Shards own what they change, so whatever one update writes and another one reads or writes
 * keeps the two together. Else the large go first, each to the shard that has least. */
#include "dist/serve_tables.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

typedef struct dealing {
    rg_engine *engine;
    rg_map writers; /* name -> 1 + the variable whose update writes it */
    int *group;     /* by variable: another of its group, or itself */
} dealing;

static int leader_of(const dealing *d, int i)
{
    while (d->group[i] != i)
        i = d->group[i];
    return i;
}

/* The smaller number leads. */
static void join(dealing *d, int i, int k)
{
    int a = leader_of(d, i), b = leader_of(d, k);
    d->group[a > b ? a : b] = a < b ? a : b;
}

/* What is shared outlives a run; names inside of blocks are each block's own. */
static bool is_kept(const rg_engine *s, const char *name)
{
    const rg_vardesc *var = rg_block_var(s->program->blocks[0], name);
    return var != NULL && var->persistable;
}

static rg_status note_writer(dealing *d, const char *name, int i)
{
    if (!is_kept(d->engine, name))
        return RG_OK;
    uintptr_t before = (uintptr_t)rg_map_get(&d->writers, name);
    if (before == 0)
        return rg_map_put(&d->writers, name, (void *)(uintptr_t)(i + 1));
    join(d, i, (int)before - 1);
    return RG_OK;
}

static const rg_block *block_of(const rg_engine *s, size_t i)
{
    return rg_program_block((rg_program *)(uintptr_t)s->program, s->shards[0].vars[i].block);
}

static rg_status note_writes(dealing *d, int i)
{
    const rg_block *block = block_of(d->engine, (size_t)i);
    for (size_t o = 0; o < block->n_ops; o++)
        for (int k = 0; k < block->ops[o]->n_out; k++)
            for (int a = 0; a < block->ops[o]->out[k].n; a++)
                RG_TRY(note_writer(d, block->ops[o]->out[k].names[a], i));
    return RG_OK;
}

static void join_readers(dealing *d, int i)
{
    const rg_block *block = block_of(d->engine, (size_t)i);
    for (size_t o = 0; o < block->n_ops; o++)
        for (int k = 0; k < block->ops[o]->n_in; k++)
            for (int a = 0; a < block->ops[o]->in[k].n; a++) {
                uintptr_t writer = (uintptr_t)rg_map_get(&d->writers,
                                                         block->ops[o]->in[k].names[a]);
                if (writer != 0)
                    join(d, i, (int)writer - 1);
            }
}

/* ---- the deal ---- */

typedef struct load {
    int leader;
    int64_t weight;
} load;

static int by_weight(const void *a, const void *b)
{
    const load *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->leader - y->leader;
}

static bool is_alone(const dealing *d, int i)
{
    for (int k = 0; k < (int)d->engine->schema.n; k++)
        if (k != i && leader_of(d, k) == leader_of(d, i))
            return false;
    return true;
}

static void deal_groups(const dealing *d, load *loads)
{
    rg_engine *s = d->engine;
    int64_t held[RG_RPC_MAX_LOOPS] = {0};
    int n = (int)s->schema.n;
    for (int i = 0; i < n; i++)
        loads[i] = (load){.leader = i};
    for (int i = 0; i < n; i++)
        loads[leader_of(d, i)].weight += s->schema.vars[i].rows * s->schema.vars[i].width;
    for (int i = 0; i < n; i++)
        if (s->owners[i] == RG_EVERY_SHARD)
            loads[i].weight = -1;
    qsort(loads, (size_t)n, sizeof *loads, by_weight);
    for (int l = 0; l < n; l++) {
        int least = 0;
        if (loads[l].weight < 0 || leader_of(d, loads[l].leader) != loads[l].leader)
            continue;
        for (int k = 1; k < s->n_shards; k++)
            least = held[k] < held[least] ? k : least;
        held[least] += loads[l].weight;
        for (int i = 0; i < n; i++)
            if (leader_of(d, i) == loads[l].leader)
                s->owners[i] = least;
    }
}

rg_status rg_serve_deal(rg_engine *s)
{
    size_t n = s->schema.n;
    dealing d = {.engine = s, .group = rg_alloc((n + 1) * sizeof *d.group)};
    load *loads = rg_alloc((n + 1) * sizeof *loads);
    rg_status code = d.group && loads ? RG_OK : rg_no_memory(n, "the deal of variables");
    for (size_t i = 0; code == RG_OK && i < n; i++)
        d.group[i] = (int)i;
    for (size_t i = 0; code == RG_OK && i < n; i++)
        code = note_writes(&d, (int)i);
    for (size_t i = 0; code == RG_OK && i < n; i++)
        join_readers(&d, (int)i);
    for (size_t i = 0; code == RG_OK && i < n; i++)
        s->owners[i] = s->n_shards > 1 && rg_served_can_spread(s, &s->shards[0].vars[i]) &&
                               is_alone(&d, (int)i)
                           ? RG_EVERY_SHARD
                           : 0;
    if (code == RG_OK && s->n_shards > 1)
        deal_groups(&d, loads);
    rg_map_fini(&d.writers);
    rg_free(d.group);
    rg_free(loads);
    return code;
}

/* ---- whose a name is ---- */

static bool mentions(const rg_opdesc *op, const char *name)
{
    for (int k = 0; k < op->n_out; k++)
        for (int a = 0; a < op->out[k].n; a++)
            if (strcmp(op->out[k].names[a], name) == 0)
                return true;
    return false;
}

rg_shard_set rg_serve_owners_of(const rg_engine *s, const char *name)
{
    for (size_t i = 0; i < s->schema.n; i++) {
        int owner = s->owners[i] == RG_EVERY_SHARD ? 0 : s->owners[i];
        const rg_block *block = rg_program_block((rg_program *)(uintptr_t)s->program,
                                                 s->shards[owner].vars[i].block);
        bool its = strcmp(s->schema.vars[i].name, name) == 0;
        for (size_t o = 0; !its && block != NULL && o < block->n_ops; o++)
            its = mentions(block->ops[o], name);
        if (its)
            return (rg_shard_set)1 << owner;
    }
    return 1; /* nobody's, or the schedule's: the first has the engine's own scope */
}

/* ---- scopes ---- */

/* A variable that all shards change alike. */
static rg_status copy_own(const rg_engine *s, rg_shard *shard, const char *name)
{
    const rg_value *there = rg_scope_find(s->scope, name);
    rg_value *own;
    if (there == NULL || there->data == NULL || rg_scope_find(shard->scope, name) != there)
        return RG_OK; /* it has none, or has it already */
    RG_TRY(rg_scope_own(shard->scope, name, &own));
    return rg_value_copy(own, there);
}

static rg_status copy_args(const rg_engine *s, rg_shard *shard, const rg_args *args, int n)
{
    for (int k = 0; k < n; k++)
        for (int a = 0; a < args[k].n; a++)
            RG_TRY(copy_own(s, shard, args[k].names[a]));
    return RG_OK;
}

/* The schedule's, and how many pushes of each trainer it has counted. */
static rg_status copy_schedule(const rg_engine *s, rg_shard *shard, int schedule)
{
    const rg_block *block = rg_program_block((rg_program *)(uintptr_t)s->program, schedule);
    for (size_t o = 0; block != NULL && o < block->n_ops; o++) {
        RG_TRY(copy_args(s, shard, block->ops[o]->in, block->ops[o]->n_in));
        RG_TRY(copy_args(s, shard, block->ops[o]->out, block->ops[o]->n_out));
    }
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        char name[64];
        (void)snprintf(name, sizeof name, RG_PUSHES_COUNTED, t);
        RG_TRY(copy_own(s, shard, name));
    }
    return RG_OK;
}

static bool is_column(const rg_served *var, const char *name)
{
    for (int i = 0; i < var->n_columns; i++)
        if (strcmp(var->columns[i], name) == 0)
            return true;
    return false;
}

/* Of a table that is in all shards: what its update writes beside rows, as powers of beta. */
static rg_status copy_counters(const rg_engine *s, rg_shard *shard, const rg_served *var)
{
    for (int k = 0; var->op != NULL && k < var->op->n_out; k++)
        for (int a = 0; a < var->op->out[k].n; a++)
            if (!is_column(var, var->op->out[k].names[a]))
                RG_TRY(copy_own(s, shard, var->op->out[k].names[a]));
    return RG_OK;
}

rg_status rg_serve_open_scopes(rg_engine *s, int schedule)
{
    s->shards[0].scope = s->scope;
    for (int k = 1; k < s->n_shards; k++) {
        RG_TRY(rg_scope_new(&s->shards[k].scope, s->scope));
        if (schedule > 0)
            RG_TRY(copy_schedule(s, &s->shards[k], schedule));
        for (size_t i = 0; i < s->schema.n; i++)
            if (s->owners[i] == RG_EVERY_SHARD)
                RG_TRY(copy_counters(s, &s->shards[k], &s->shards[0].vars[i]));
    }
    return RG_OK;
}
