/* serve_state_rows.c - what shards have, for a snapshot: variables and what stands beside rows at
 * the cut, and then the rows of tables, while the server goes on.
 *
 * The rows at the cut are a walk (ps/table_state.h) that each shard opens in its own loop, for each
 * of its tables. A thread of little weight asks for a piece of one after the other: the loop copies
 * it, between two requests, and the thread makes the checksum and writes it. Rows that change
 * before are copied aside, a bounded number of them; beyond that the loop that changes them writes
 * a piece itself. Rows on disk are read by the thread alone. All of it has a pace (ps/pace.h,
 * FLAGS_ps_snapshot_share), in which the time of the loops counts, too. */
#include "dist/serve_journal.h"

#include "base/mem.h"
#include "ps/pace.h"
#include "sys/clock.h"
#include "sys/fault.h"
#include "sys/flags.h"

#include <stdio.h>

enum {
    ROWS_PIECE = 1 << 18, /* bytes that a loop copies between two requests */
    SYNC_EACH = 32 << 20, /* bytes until the disk shall have them */
    MOST_REST = 20000000, /* ns until it looks whether it shall go on */
};

/* ---- beside rows ---- */

static rg_status write_beside(const rg_served *var, uint32_t number, rg_snapshot *to)
{
    rg_buf body;
    uint32_t trainers = var->shard->engine->schema.trainers;
    rg_buf_init(&body, 0);
    rg_buf_u32(&body, (uint32_t)var->shard->number);
    rg_buf_u32(&body, number);
    rg_buf_u32(&body, var->age);
    rg_buf_u32(&body, (var->past != NULL ? 1u : 0u) | (var->changed != NULL ? 2u : 0u));
    if (var->past != NULL)
        rg_past_write(var->past, &body);
    if (var->changed != NULL)
        rg_geo_rows_write(var->changed, &body);
    for (uint32_t t = 0; var->changed != NULL && t < trainers; t++)
        rg_buf_u64(&body, var->told[t]);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_snapshot_add_last(to, RG_STATE_TABLE, &(rg_iov){body.data, body.len}, 1);
    rg_buf_fini(&body);
    return code;
}

static rg_status write_before(rg_served *var, uint32_t number, rg_snapshot *to)
{
    rg_buf body;
    if (!var->has_before && var->n_before == 0)
        return RG_OK;
    rg_buf_init(&body, 0);
    rg_buf_u32(&body, (uint32_t)var->shard->number);
    rg_buf_u32(&body, number);
    rg_served_write_before(var, &body);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_snapshot_add_last(to, RG_STATE_BEFORE, &(rg_iov){body.data, body.len}, 1);
    rg_buf_fini(&body);
    return code;
}

rg_status rg_state_read_before(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    uint32_t shard, number;
    RG_TRY(rg_cursor_u32(&in, &shard));
    RG_TRY(rg_cursor_u32(&in, &number));
    if (shard >= (uint32_t)s->n_shards || number >= s->schema.n)
        return rg_fail(RG_ECORRUPT, "variable %u of shard %u, which there is not", number, shard);
    RG_TRY(rg_served_read_before(&s->shards[shard].vars[number], &in));
    return rg_cursor_end(&in);
}

static rg_status find_table(rg_engine *s, rg_cursor *in, rg_served **var)
{
    uint32_t shard, number;
    RG_TRY(rg_cursor_u32(in, &shard));
    RG_TRY(rg_cursor_u32(in, &number));
    if (shard >= (uint32_t)s->n_shards || number >= s->schema.n ||
        s->shards[shard].vars[number].table == NULL)
        return rg_fail(RG_ECORRUPT, "table %u of shard %u, which there is not", number, shard);
    *var = &s->shards[shard].vars[number];
    return RG_OK;
}

rg_status rg_state_read_beside(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    rg_served *var;
    uint32_t parts;
    RG_TRY(find_table(s, &in, &var));
    RG_TRY(rg_cursor_u32(&in, &var->age));
    RG_TRY(rg_cursor_u32(&in, &parts));
    if ((parts & 1) != (var->past != NULL) || (parts >> 1 & 1) != (var->changed != NULL))
        return rg_fail(RG_ECORRUPT, "%s is another kind of table here", var->about->name);
    if (var->past != NULL)
        RG_TRY(rg_past_read(var->past, &in));
    if (var->changed != NULL)
        RG_TRY(rg_geo_rows_read(var->changed, &in));
    for (uint32_t t = 0; var->changed != NULL && t < s->schema.trainers; t++)
        RG_TRY(rg_cursor_u64(&in, &var->told[t]));
    return rg_cursor_end(&in);
}

/* ---- the cut ---- */

/* The rows of a table in one shard. */
typedef struct rows_cut {
    rg_served *var;
    rg_snapshot *to;
    uint32_t head[2];           /* shard, number of the variable: of each record */
    rg_table_walk *cold, *rows; /* on disk, and the rest, ... */
    uint64_t bytes;             /* ... of which so many are rows */
} rows_cut;

struct rg_state_rows {
    rg_spread spread; /* of the cut, and of its end */
    rg_snapshot *to;
    uint64_t synced;      /* bytes that the disk has */
    uint64_t bytes, done; /* of rows in memory: all, and how many are written */
    rows_cut *cuts;       /* by shard and variable; owned */
};

static rg_status add_rows(rows_cut *cut, const uint8_t *chunk, size_t n)
{
    return rg_snapshot_add(cut->to, RG_STATE_ROWS,
                           (rg_iov[]){{cut->head, sizeof cut->head}, {chunk, n}}, 2);
}

/* In the loop. */
static rg_status spill(void *arg, const uint8_t *chunk, size_t n)
{
    (void)rg_fault("snapshot.spill");
    return add_rows(arg, chunk, n);
}

/* Of a delta: rows that went since the last one. Those that came follow, and may be them again. */
static rg_status write_gone(rows_cut *cut)
{
    rg_table_walk *walk = NULL;
    rg_buf chunk;
    bool more = true;
    rg_buf_init(&chunk, 0);
    rg_status code = rg_table_walk_open(&walk, cut->var->table, RG_WALK_GONE);
    while (code == RG_OK && more) {
        rg_buf_clear(&chunk);
        code = rg_table_walk_next(walk, &chunk, ROWS_PIECE, &more);
        if (code == RG_OK && more)
            code = add_rows(cut, chunk.data, chunk.len);
    }
    rg_table_walk_close(walk);
    rg_buf_fini(&chunk);
    return code;
}

static rg_status cut_rows(rows_cut *cut, rg_served *var, uint32_t number, rg_snapshot *to)
{
    bool delta = rg_snapshot_is_delta(to);
    int notes = rg_flag_int("ps_snapshot_deltas") > 0 && rg_table_can_note(var->table)
                    ? RG_WALK_NOTES
                    : 0;
    cut->var = var;
    cut->to = to;
    cut->head[0] = (uint32_t)var->shard->number;
    cut->head[1] = number;
    RG_TRY(rg_table_walk_open(&cut->cold, var->table, RG_WALK_DISK));
    if (delta)
        RG_TRY(write_gone(cut));
    RG_TRY(rg_table_walk_open(&cut->rows, var->table,
                              RG_WALK_MEMORY | RG_WALK_COUNTS | notes |
                                  (delta ? RG_WALK_CHANGES : 0)));
    rg_table_walk_spills(cut->rows, spill, cut);
    cut->bytes = rg_table_walk_bytes(cut->rows);
    return RG_OK;
}

static rows_cut *cuts_of(const rg_state_rows *rows, const rg_shard *shard)
{
    return rows->cuts + (size_t)shard->number * rows->spread.engine->schema.n;
}

/* What a shard has, by its loop. */
static rg_status cut_shard(rg_spread *spread, rg_shard *shard)
{
    const rg_state_rows *rows = (rg_state_rows *)spread;
    RG_TRY(rg_state_write_values(shard, rows->to));
    for (uint32_t v = 0; v < spread->engine->schema.n; v++) {
        rg_served *var = &shard->vars[v];
        RG_TRY(write_before(var, v, rows->to));
        if (var->table == NULL)
            continue;
        RG_TRY(write_beside(var, v, rows->to));
        RG_TRY(cut_rows(cuts_of(rows, shard) + v, var, v, rows->to));
    }
    return RG_OK;
}

typedef struct asking {
    const rg_shard *shard;
    bool notes;
} asking;

static void ask_shard(void *arg)
{
    asking *a = arg;
    for (uint32_t v = 0; v < a->shard->engine->schema.n; v++)
        if (a->shard->vars[v].table != NULL)
            a->notes = a->notes && rg_table_notes_changes(a->shard->vars[v].table);
}

bool rg_state_notes_changes(rg_engine *s)
{
    asking a = {.notes = atomic_load(&s->ready)};
    for (int k = 0; k < s->n_shards && a.notes; k++) {
        a.shard = &s->shards[k];
        rg_loop_do(s->shards[k].loop, ask_shard, &a);
    }
    return a.notes;
}

rg_status rg_state_cut_shards(rg_engine *s, rg_snapshot *to, rg_state_rows **out)
{
    rg_state_rows *rows = rg_spread_new(s, sizeof *rows);
    rows_cut *cuts = rg_alloc_zero((size_t)s->n_shards * s->schema.n + 1, sizeof *cuts);
    if (rows == NULL || cuts == NULL) {
        rg_free(rows);
        rg_free(cuts);
        return rg_no_memory(sizeof *cuts, "a snapshot");
    }
    rows->to = to;
    rows->cuts = cuts;
    *out = rows; /* also where it fails: some may be open */
    RG_TRY(rg_spread_wait(&rows->spread, rg_serve_all_shards(s), cut_shard));
    for (size_t i = 0; i < (size_t)s->n_shards * s->schema.n; i++)
        rows->bytes += cuts[i].bytes;
    return RG_OK;
}

static rg_status close_shard(rg_spread *spread, rg_shard *shard)
{
    rows_cut *cuts = cuts_of((rg_state_rows *)spread, shard);
    for (uint32_t v = 0; v < spread->engine->schema.n; v++) {
        rg_table_walk_close(cuts[v].rows);
        rg_table_walk_close(cuts[v].cold);
    }
    return RG_OK;
}

void rg_state_rows_close(rg_state_rows *rows)
{
    if (rows == NULL)
        return;
    (void)rg_spread_wait(&rows->spread, rg_serve_all_shards(rows->spread.engine), close_shard);
    rg_free(rows->cuts);
    rg_free(rows);
}

/* ---- while the server goes on ---- */

typedef struct piece {
    rg_table_walk *walk;
    rg_buf bytes;
    bool more, presses;
    uint64_t ns; /* that it took of who filled it */
    rg_status code;
    char why[512];
} piece;

static void fill_piece(void *arg)
{
    piece *p = arg;
    uint64_t begin = rg_clock_thread_ns();
    p->code = rg_table_walk_next(p->walk, &p->bytes, ROWS_PIECE, &p->more);
    p->presses = rg_table_walk_presses(p->walk);
    p->ns = rg_clock_thread_ns() - begin;
    if (p->code != RG_OK)
        (void)snprintf(p->why, sizeof p->why, "%s", rg_error_message());
}

static rg_status sync_some(rg_state_rows *rows)
{
    uint64_t bytes = rg_snapshot_bytes(rows->to);
    if (bytes - rows->synced < SYNC_EACH)
        return RG_OK;
    rows->synced = bytes;
    return rg_snapshot_sync(rows->to);
}

typedef struct pacing {
    rg_pace pace;
    uint64_t begin, begin_cpu; /* of the clock, and of this thread's time */
    uint64_t loops_ns;         /* what loops have spent on it */
    const atomic_bool *stop;
} pacing;

static pacing pacing_of(double share, const atomic_bool *stop)
{
    int64_t mb = rg_flag_int("ps_snapshot_mb"), seconds = rg_flag_int("ps_snapshot_seconds");
    return (pacing){.pace = {.share = share,
                             .within_ns = seconds > 0 ? (uint64_t)seconds * 500000000u : 0,
                             .most_journal = mb > 0 ? ((uint64_t)mb << 20) / 2 : 0},
                    .begin = rg_clock_ns(),
                    .begin_cpu = rg_clock_thread_ns(),
                    .stop = stop};
}

static void rest(const pacing *p, const rg_state_rows *rows, bool presses)
{
    const struct rg_serve_journal *j = rows->spread.engine->journal;
    rg_pace_now now = {.spent_ns = rg_clock_thread_ns() - p->begin_cpu + p->loops_ns,
                       .bytes = rows->bytes,
                       .done = rows->done,
                       .presses = presses};
    uint64_t ns = 1;
    while (ns > 0 && !atomic_load(p->stop)) {
        now.passed_ns = rg_clock_ns() - p->begin;
        now.journal = j != NULL && j->journal != NULL ? rg_journal_bytes(j->journal) : 0;
        ns = rg_pace_rest_ns(&p->pace, &now);
        if (ns > 0)
            rg_clock_sleep(ns < MOST_REST ? ns : MOST_REST);
    }
}

/* All that a walk has. */
static rg_status write_walk(rg_state_rows *rows, rows_cut *cut, bool cold, piece *p, pacing *paced)
{
    p->walk = cold ? cut->cold : cut->rows;
    for (p->more = true; p->more;) {
        if (atomic_load(paced->stop))
            return rg_fail(RG_ECLOSED, "the job is over");
        rg_buf_clear(&p->bytes);
        if (cold)
            fill_piece(p);
        else
            rg_loop_do(cut->var->shard->loop, fill_piece, p);
        if (p->code != RG_OK)
            return rg_fail(p->code, "%s", p->why);
        if (p->more)
            RG_TRY(add_rows(cut, p->bytes.data, p->bytes.len));
        RG_TRY(sync_some(rows));
        rows->done += cold ? 0 : p->bytes.len;
        paced->loops_ns += cold ? 0 : p->ns;
        if (p->more && paced->pace.share < 1)
            rest(paced, rows, p->presses);
    }
    return RG_OK;
}

rg_status rg_state_rows_write(rg_state_rows *rows, double share, const atomic_bool *stop)
{
    piece p = {.more = true};
    pacing paced = pacing_of(share, stop);
    rg_status code = RG_OK;
    size_t n = rows != NULL ? (size_t)rows->spread.engine->n_shards * rows->spread.engine->schema.n
                            : 0;
    rg_buf_init(&p.bytes, 0);
    (void)rg_fault("snapshot.rows");
    if (n > 0)
        rg_snapshot_gather(rows->to);
    for (size_t i = 0; code == RG_OK && i < n; i++) {
        if (rows->cuts[i].rows == NULL)
            continue;
        code = write_walk(rows, &rows->cuts[i], true, &p, &paced);
        if (code == RG_OK)
            code = write_walk(rows, &rows->cuts[i], false, &p, &paced);
    }
    rg_buf_fini(&p.bytes);
    return code;
}

rg_status rg_state_read_rows(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    rg_served *var;
    RG_TRY(find_table(s, &in, &var));
    return rg_table_put(var->table, in.at, in.left, NULL, NULL);
}
