/* serve_memory.c - what the tables of a server may take of its memory: FLAGS_ps_table_memory,
 * FLAGS_ps_table_evict, FLAGS_ps_table_disk.
 *
 * Without rows that go, all shards share one quota, and a request that would need more than there
 * is is refused whole. Since it goes over several tables and shards, a push first makes all the
 * rows that it names, which changes no value; only where every shard could is it applied, and where
 * one could not, those that were made go again (if they still are as they start: another trainer
 * may have learned something meanwhile). That costs a second look at the rows, and is left out
 * while there is room for all of them. A look-up, which makes rows and does nothing else, takes
 * back what it made in the same way.
 *
 * Where rows may go (ps/memory.h), each shard has a part of the memory: no shard's rows depend on
 * what another one does at the same time, so that a run repeats. Look-ups make no rows then. */
#include "dist/serve_members.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "ps/disk.h"
#include "sys/flags.h"
#include "sys/log.h"
#include "sys/metrics.h"

#include <stdio.h>

enum {
    LEAST_A_LOOP = 1 << 20, /* bytes */
    DISK_SHARE = 8,         /* of the memory, this part is for what the disk caches */
    MOST_GROWTH = 6 << 20,  /* of a table beside its rows: a slab and a segment of the index */
};

struct rg_table_memory {
    size_t limit; /* of all tables of this server, and the disk's caches */
    rg_evict evict;
    rg_disk *disk;
    rg_quota all;        /* where no rows go */
    rg_quota *shares;    /* by shard, where they do */
    size_t unfolded;     /* bytes of tables that every step moves as a whole */
    _Atomic size_t gone; /* rows */
};

/* ---- open, close ---- */

static rg_status read_flags(rg_table_memory *m, size_t least, const char **folder)
{
    const char *memory, *evict;
    char text[RG_BYTES_TEXT];
    RG_TRY(rg_flag_text("ps_table_memory", &memory));
    RG_TRY(rg_flag_text("ps_table_evict", &evict));
    RG_TRY(rg_flag_text("ps_table_disk", folder));
    RG_TRY(rg_parse_table_memory(memory, evict, *folder, &m->limit, &m->evict));
    if (m->limit > 0 && m->limit < least)
        return rg_fail(RG_EINVAL, RG_TABLE_MEMORY " is '%s': at least %s are needed here", memory,
                       rg_show_bytes(least, text));
    return RG_OK;
}

/* Each shard's part of the memory: as many tables as it has; one in all shards counts in each. */
static rg_status open_shares(const rg_engine *s, rg_table_memory *m)
{
    double weights[RG_RPC_MAX_LOOPS] = {0}, sum = 0;
    m->shares = rg_alloc_zero((size_t)s->n_shards, sizeof *m->shares);
    if (m->shares == NULL)
        return rg_no_memory((size_t)s->n_shards * sizeof *m->shares, "quotas");
    for (size_t i = 0; i < s->schema.n; i++)
        for (int k = 0; k < s->n_shards; k++) {
            bool every = s->owners[i] == RG_EVERY_SHARD;
            if (s->schema.vars[i].table && (every || s->owners[i] == k)) {
                weights[k] += every ? 1.0 / s->n_shards : 1.0;
                sum += every ? 1.0 / s->n_shards : 1.0;
            }
        }
    size_t for_rows = m->disk != NULL ? m->limit - m->limit / DISK_SHARE : m->limit;
    for (int k = 0; k < s->n_shards; k++)
        m->shares[k].limit = sum > 0 ? (size_t)((double)for_rows * weights[k] / sum) : for_rows;
    return RG_OK;
}

static rg_status open_disk(const rg_engine *s, rg_table_memory *m, const char *folder)
{
    char path[1024];
    if ((size_t)snprintf(path, sizeof path, "%s/pserver_%d", folder, s->id) >= sizeof path)
        return rg_fail(RG_EINVAL, RG_TABLE_DISK " has more than %zu characters", sizeof path);
    rg_status code = rg_disk_open(&m->disk, path, m->limit / DISK_SHARE);
    return code == RG_OK ? RG_OK : rg_context(code, RG_TABLE_DISK);
}

rg_status rg_serve_open_memory(rg_engine *s)
{
    const char *folder;
    rg_table_memory *m = rg_alloc_zero(1, sizeof *m);
    if (m == NULL)
        return rg_no_memory(sizeof *m, "quotas");
    s->memory = m;
    RG_TRY(read_flags(m, (size_t)s->n_shards * LEAST_A_LOOP, &folder));
    m->all.limit = m->limit;
    if (m->limit > 0)
        rg_metric_set(RG_M_TABLE_LIMIT, (double)m->limit);
    if (folder[0] != '\0')
        RG_TRY(open_disk(s, m, folder));
    return m->evict != RG_EVICT_NEVER || m->disk != NULL ? open_shares(s, m) : RG_OK;
}

void rg_serve_close_memory(rg_engine *s)
{
    if (s->memory == NULL)
        return;
    rg_disk_close(s->memory->disk);
    rg_free(s->memory->shares);
    rg_free(s->memory);
    s->memory = NULL;
}

/* ---- a table ---- */

/* Rows that are gone start anew: trainers that keep copies of them have to hear it. */
static void hear_gone(void *arg, const int64_t *ids, size_t n)
{
    rg_served *var = arg;
    (void)atomic_fetch_add_explicit(&var->shard->engine->memory->gone, n, memory_order_relaxed);
    var->gone += n;
    if (var->changed != NULL)
        (void)rg_geo_rows_note(var->changed, ids, n); /* without memory they hear it later */
}

rg_table_keep rg_serve_keep(rg_engine *s, rg_served *var)
{
    rg_table_memory *m = s->memory;
    if (m->limit == 0)
        return (rg_table_keep){0};
    return (rg_table_keep){
        .quota = m->shares != NULL ? &m->shares[var->shard->number] : &m->all,
        .evict = m->evict,
        .disk = m->disk,
        .gone = hear_gone,
        .arg = var,
    };
}

rg_status rg_serve_take_memory(rg_engine *s, const rg_served *var, size_t bytes)
{
    rg_table_memory *m = s->memory;
    rg_quota *quota = m->shares != NULL ? &m->shares[var->shard->number] : &m->all;
    char wanted[RG_BYTES_TEXT], limit[RG_BYTES_TEXT];
    m->unfolded += bytes;
    if (m->limit == 0 || rg_quota_take(quota, bytes))
        return RG_OK;
    return rg_fail(RG_ENOMEM,
                   "%s is moved as a whole by every step of its optimizer, takes %s, and does not "
                   "fit into the %s of " RG_TABLE_MEMORY
                   "; use lazy_mode, another optimizer or more memory",
                   var->about->name, rg_show_bytes(bytes, wanted), rg_show_bytes(m->limit, limit));
}

bool rg_serve_rows_may_go(const rg_engine *s)
{
    return s->memory->shares != NULL;
}

rg_status rg_serve_check_loaded(const rg_served *var)
{
    if (var->gone == 0)
        return RG_OK;
    return rg_fail(RG_ENOMEM,
                   "%s was loaded, and %zu of its rows found no place in " RG_TABLE_MEMORY
                   ": they would be lost; give it more, use more servers, or " RG_TABLE_DISK,
                   var->about->name, var->gone);
}

/* ---- the forecast ---- */

static void forecast(const rg_engine *s, size_t i, rg_buf *out)
{
    const rg_ps_var *about = &s->schema.vars[i];
    const rg_table_memory *m = s->memory;
    const rg_table *table = rg_serve_var((rg_engine *)(uintptr_t)s, i)->table;
    char whole[RG_BYTES_TEXT];
    if (table == NULL)
        return;
    size_t each = rg_table_row_cost(table), fit = m->limit / each;
    bool grows = rg_serve_var((rg_engine *)(uintptr_t)s, i)->grows;
    rg_buf_printf(out, "server %d: table %s takes %zu bytes a row", s->id, about->name, each);
    if (m->limit > 0)
        rg_buf_printf(out, ", %zu rows fit into memory", fit);
    rg_buf_printf(out, "; its %lld rows take %s", (long long)about->rows,
                  rg_show_bytes((size_t)about->rows * each, whole));
    if (grows)
        rg_buf_text(out, ", and it may grow");
    rg_buf_text(out, "\n");
}

static size_t declared_bytes(rg_engine *s)
{
    size_t bytes = s->memory->unfolded;
    for (size_t i = 0; i < s->schema.n; i++)
        if (s->schema.vars[i].table && rg_serve_var(s, i)->table != NULL)
            bytes += (size_t)s->schema.vars[i].rows * rg_table_row_cost(rg_serve_var(s, i)->table);
    return bytes;
}

void rg_serve_forecast(rg_engine *s)
{
    const rg_table_memory *m = s->memory;
    char limit[RG_BYTES_TEXT], all[RG_BYTES_TEXT];
    rg_buf text;
    if (m->limit == 0)
        return;
    rg_buf_init(&text, 0);
    for (size_t i = 0; i < s->schema.n; i++)
        if (s->schema.vars[i].table)
            forecast(s, i, &text);
    size_t bytes = declared_bytes(s);
    rg_buf_printf(&text,
                  "server %d: tables may take %s; all rows that they declare take %s, which %s\n",
                  s->id, rg_show_bytes(m->limit, limit), rg_show_bytes(bytes, all),
                  bytes <= m->limit   ? "fit"
                  : m->disk != NULL   ? "do not fit: the least used go to the disk"
                  : m->shares != NULL ? "do not fit: the least used go, and start anew"
                                      : "do not fit: what is more is refused");
    rg_say(rg_buf_cstr(&text), text.len);
    rg_buf_fini(&text);
}

/* ---- whole or not at all ---- */

/* Whether all of n rows are new and still fit, in every shard. */
static bool surely_fits(const rg_engine *s, const rg_push *push)
{
    const rg_table_memory *m = s->memory;
    size_t need = 0, used = atomic_load_explicit(&m->all.used, memory_order_relaxed);
    for (uint32_t i = 0; i < push->n_sparse; i++) {
        const rg_served *var = rg_serve_var((rg_engine *)(uintptr_t)s, push->sparse[i].var);
        if (var->table != NULL)
            need += push->sparse[i].n * rg_table_row_cost(var->table) +
                    (size_t)s->n_shards * MOST_GROWTH;
    }
    return used < m->limit && need < m->limit - used;
}

/* Where rows go, only a push that is larger than a shard's part of the memory finds no room. (So it
 * is not tried: which rows go must not depend on whose push of a step comes first.) */
static rg_status check_size(rg_engine *s, const rg_pushing *p)
{
    char limit[RG_BYTES_TEXT], wanted[RG_BYTES_TEXT];
    for (uint32_t i = 0; i < p->push.n_sparse; i++)
        for (int k = 0; k < s->n_shards; k++) {
            const rg_served *var = &s->shards[k].vars[p->push.sparse[i].var];
            size_t n = p->rows[i * (uint32_t)s->n_shards + (uint32_t)k].n;
            if (var->table == NULL || n == 0)
                continue;
            size_t bytes = n * rg_table_row_cost(var->table);
            if (bytes > rg_quota_for_rows(&s->memory->shares[k]))
                return rg_fail(RG_ENOMEM,
                               "table '%s': %zu rows of one push take %s, and all of them at once "
                               "do not fit into " RG_TABLE_MEMORY ", %s; give it more, or make "
                               "batches smaller",
                               var->about->name, n, rg_show_bytes(bytes, wanted),
                               rg_show_bytes(s->memory->limit, limit));
        }
    return RG_OK;
}

/* Those of the ids that are the shard's; in its scratch where they are not all. NULL: no memory. */
static const int64_t *own_ids(rg_shard *shard, const int64_t *ids, const rg_some *some)
{
    if (some->at == NULL)
        return ids;
    int64_t *own = rg_arena_alloc(&shard->scratch, (some->n + 1) * sizeof *own);
    for (uint32_t i = 0; own != NULL && i < some->n; i++)
        own[i] = ids[some->at[i]];
    return own;
}

rg_status rg_serve_unmake(rg_shard *shard, uint32_t var, const int64_t *ids, const rg_some *some)
{
    if (some->n == 0 || shard->vars[var].table == NULL)
        return RG_OK;
    const int64_t *own = own_ids(shard, ids, some);
    return own != NULL ? rg_table_unmake(shard->vars[var].table, own, some->n) : RG_OK;
}

static rg_status make_rows(rg_shard *shard, uint32_t var, const int64_t *ids, const rg_some *some)
{
    if (some->n == 0 || shard->vars[var].table == NULL)
        return RG_OK;
    rg_arena_reset(&shard->scratch);
    const int64_t *own = own_ids(shard, ids, some);
    rg_row_handle *handles = rg_arena_alloc(&shard->scratch, some->n * sizeof *handles);
    bool *admitted = rg_arena_alloc(&shard->scratch, some->n);
    int64_t *all = rg_arena_alloc(&shard->scratch, some->n * sizeof *all);
    if (own == NULL || handles == NULL || admitted == NULL || all == NULL)
        return rg_no_memory(some->n * sizeof *handles, "rows");
    if (!rg_entry_filters(&shard->vars[var].entry))
        return rg_table_touch(shard->vars[var].table, own, some->n, handles, NULL);
    size_t n = 0;
    RG_TRY(rg_table_admit(shard->vars[var].table, own, some->n, false, admitted));
    for (uint32_t i = 0; i < some->n; i++)
        if (admitted[i])
            all[n++] = own[i];
    return rg_table_touch(shard->vars[var].table, all, n, handles, NULL);
}

static rg_status reserve_part(rg_spread *spread, rg_shard *shard)
{
    const rg_pushing *p = (const rg_pushing *)spread;
    for (uint32_t i = 0; i < p->push.n_sparse; i++) {
        rg_merge_part part;
        if (rg_pushing_rows(p, i, shard, &part))
            RG_TRY(make_rows(shard, part.rows->var, part.rows->ids, &part.some));
    }
    return RG_OK;
}

static rg_status unmake_part(rg_spread *spread, rg_shard *shard)
{
    const rg_pushing *p = (const rg_pushing *)spread;
    for (uint32_t i = 0; i < p->push.n_sparse; i++) {
        rg_merge_part part;
        if (rg_pushing_rows(p, i, shard, &part))
            (void)rg_serve_unmake(shard, part.rows->var, part.rows->ids, &part.some);
    }
    return RG_OK;
}

static rg_shard_set shards_of(const rg_engine *s, const rg_pushing *p)
{
    rg_shard_set shards = 0;
    for (uint32_t i = 0; i < p->push.n_sparse; i++)
        shards |= rg_serve_owners(s, p->push.sparse[i].var);
    return shards;
}

/* `why` is the spread's own until it starts again. */
static void refused(rg_spread *spread)
{
    rg_pushing *p = (rg_pushing *)spread;
    rg_serve_note_refused(p);
    rg_rpc_refuse(p->request, p->refused, "%s", spread->why);
    rg_pushing_end(p);
}

static void reserved(rg_spread *spread)
{
    rg_pushing *p = (rg_pushing *)spread;
    rg_engine *s = spread->engine;
    if (spread->code == RG_OK) {
        s->mode->pushed(s, p);
        return;
    }
    p->refused = spread->code;
    rg_spread_start(spread, shards_of(s, p), unmake_part, refused);
}

bool rg_serve_reserve(rg_engine *s, rg_pushing *p)
{
    if (s->memory->limit == 0 || p->came || p->push.n_sparse == 0)
        return false;
    if (s->memory->shares != NULL) {
        rg_status code = check_size(s, p);
        if (code == RG_OK)
            return false;
        rg_serve_note_refused(p);
        rg_refuse_with_message(p->request, code);
        rg_pushing_end(p);
        return true;
    }
    if (surely_fits(s, &p->push))
        return false;
    rg_spread_start(&p->spread, shards_of(s, p), reserve_part, reserved);
    return true;
}
