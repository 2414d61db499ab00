/* fuzz_push.c - any bytes as the bodies of the parameter server: a push in each payload, rows that
 * are asked for, a schema, a tensor, a wish to save, statistics, a server's programs, leased data.
 *
 * The first byte says which. Whatever is accepted is touched to its last element. */
#include "base/arena.h"
#include "base/mem.h"
#include "dist/deal.h"
#include "dist/stats.h"
#include "dist/protocol.h"
#include "tensor/value.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static rg_ps_var vars[] = {
    {"w.block0", "w@GRAD.block0", 100, 3, 4, false},
    {"table.block1", "table@GRAD.block1", 50, 10, 3, true},
    {"b", "b@GRAD", 0, 5, 1, false},
    {"wide", "wide@GRAD", 0, 1, (int64_t)1 << 40, true},
    {"long", "long@GRAD", 0, 30, 10, false},
};
enum { N_VARS = sizeof vars / sizeof *vars };
static const rg_ps_schema schema = {.mode = 1, .trainers = 3, .vars = vars, .n = N_VARS};

static volatile float touched;

static void as_push(rg_payload payload, const uint8_t *bytes, size_t n)
{
    rg_arena arena = RG_ARENA_EMPTY;
    rg_push push;
    if (rg_push_read(&push, &arena, &schema, payload, bytes, n) == RG_OK) {
        if (push.n_dense > N_VARS || push.n_sparse > N_VARS || push.n_pull > N_VARS)
            abort(); /* each variable once */
        for (uint32_t i = 0; i < push.n_dense; i++) {
            const rg_ps_var *var = &vars[push.dense[i]];
            for (int64_t k = 0; k < var->rows * var->width; k++)
                touched = push.values[i][k];
        }
        for (uint32_t i = 0; i < push.n_tags; i++)
            touched = (float)push.tags[i].to;
        for (uint32_t i = 0; i < push.n_sparse; i++)
            for (uint32_t r = 0; r < push.sparse[i].n; r++) {
                int64_t width = vars[push.sparse[i].var].width;
                touched = (float)push.sparse[i].ids[r];
                touched = push.sparse[i].rows[(r + 1) * width - 1];
            }
    }
    rg_arena_free(&arena);
}

static void as_floats(const uint8_t *bytes, size_t n)
{
    as_push(RG_PAYLOAD_FLOATS, bytes, n);
}

static void as_halves(const uint8_t *bytes, size_t n)
{
    as_push(RG_PAYLOAD_HALVES, bytes, n);
}

static void as_bytes(const uint8_t *bytes, size_t n)
{
    as_push(RG_PAYLOAD_BYTES, bytes, n);
}

static void as_wanted(const uint8_t *bytes, size_t n)
{
    rg_rows_wanted wanted;
    while (n > 0 && rg_wanted_read(&bytes, &n, &schema, &wanted) == RG_OK)
        for (uint32_t i = 0; i < wanted.n; i++)
            touched = (float)wanted.ids[i];
}

/* What was read says the same when it is written again, but for tables that are not 0 or 1. */
static void as_schema(const uint8_t *bytes, size_t n)
{
    rg_ps_schema got, again;
    rg_buf out;
    if (rg_ps_schema_read(&got, bytes, n) != RG_OK)
        return;
    rg_buf_init(&out, 0);
    rg_ps_schema_write(&out, &got);
    if (rg_buf_status(&out) == RG_OK) {
        if (rg_ps_schema_read(&again, out.data, out.len) != RG_OK || again.n != got.n)
            abort();
        rg_ps_schema_fini(&again);
    }
    rg_buf_fini(&out);
    rg_ps_schema_fini(&got);
}

static void as_tensor(const uint8_t *bytes, size_t n)
{
    rg_value value;
    rg_value_init(&value);
    if (rg_ps_get_tensor(bytes, n, &value) == RG_OK && rg_value_bytes(&value) > n)
        abort();
    rg_value_fini(&value);
}

static void as_save(const uint8_t *bytes, size_t n)
{
    rg_ps_save save;
    if (rg_ps_save_read(&save, bytes, n) != RG_OK)
        return;
    if (strlen(save.folder) + strlen(save.table) + 8 != n || save.table[0] == '/')
        abort(); /* a path that ends early, or leads elsewhere */
    rg_ps_save_fini(&save);
}

static void as_stats(const uint8_t *bytes, size_t n)
{
    rg_stats stats;
    int64_t *counts;
    if (rg_stats_read(&stats, &counts, bytes, n) == RG_OK && stats.bins > 0)
        touched = (float)stats.neg[stats.bins - 1];
    rg_free(counts);
}

static void as_stats_of_all(const uint8_t *bytes, size_t n)
{
    rg_stats_of_all all;
    if (rg_stats_of_all_read(&all, bytes, n) == RG_OK)
        touched = (float)all.slowest_rate;
}

static void as_load(const uint8_t *bytes, size_t n)
{
    rg_ps_load load;
    if (rg_ps_load_read(&load, bytes, n) != RG_OK)
        return;
    if (load.n_startup + load.n_main + 16 != n)
        abort();
    touched = (float)(load.startup[load.n_startup - 1] + load.main[load.n_main - 1]);
}

/* Files of leased data, whose ranges are dealt; then what a snapshot says of them. */
static void as_deal(const uint8_t *bytes, size_t n)
{
    rg_deal_plan plan;
    rg_deals *deals;
    rg_pass_state is;
    if (rg_deal_plan_read(&plan, bytes, n) == RG_OK && plan.n_files < 1000 &&
        rg_deals_open(&deals, NULL, NULL) == RG_OK) {
        plan.reading = 0;
        rg_lease lease = {0};
        if (rg_deals_begin(deals, &plan, &is) == RG_OK && is.ranges > 0 &&
            (rg_deals_take(deals, 0, &(rg_holder){0, 1, 1}, &lease, &is) != RG_OK ||
             lease.file >= plan.n_files))
            abort();
        rg_deals_close(deals);
    }
    rg_free((void *)(uintptr_t)plan.sizes);
}

static void as_deals(const uint8_t *bytes, size_t n)
{
    rg_deals *deals;
    if (rg_deals_open(&deals, NULL, NULL) != RG_OK)
        return;
    (void)rg_deals_read(deals, &(rg_cursor){bytes, n});
    rg_deals_close(deals);
}

static void as_lease(const uint8_t *bytes, size_t n)
{
    rg_lease_ask ask;
    if (rg_lease_ask_read(&ask, bytes, n) == RG_OK && ask.n_done > 0)
        touched = (float)ask.done[ask.n_done - 1].rows;
    rg_free(ask.done);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static void (*const readers[])(const uint8_t *, size_t) = {
        as_floats, as_wanted,       as_schema, as_tensor, as_halves, as_bytes, as_save,
        as_stats,  as_stats_of_all, as_load,   as_deal,   as_lease,  as_deals};
    if (n < 1)
        return 0;
    uint8_t *copy = malloc(n - 1); /* exactly as large, and aligned as bodies are */
    if (copy == NULL)
        return 0;
    memcpy(copy, bytes + 1, n - 1);
    readers[bytes[0] % (sizeof readers / sizeof *readers)](copy, n - 1);
    free(copy);
    return 0;
}
