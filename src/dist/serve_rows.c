/* serve_rows.c - tables of a server: how they are opened, and rows that come to be when they are
 * touched. */
#include "dist/serve_tables.h"

#include "base/mem.h"
#include "ops/optimizer.h"
#include "pass/uses.h"

#include <string.h>

/* ---- how rows start ---- */

static float float_of(const rg_opdesc *op, const char *name, float otherwise)
{
    const rg_attr *attr = rg_opdesc_attr(op, name);
    return attr != NULL && attr->type == RG_ATTR_FLOAT ? attr->f : otherwise;
}

/* The initialiser of `name` in the init block; NULL: none. */
static const rg_opdesc *initialiser_of(const rg_engine *s, const char *name)
{
    const rg_attr *attr = rg_opdesc_attr(s->desc, "table_init_block_id");
    const rg_block *block = attr ? rg_program_block((rg_program *)(uintptr_t)s->program, attr->i)
                                 : NULL;
    for (size_t i = 0; block != NULL && attr->i > 0 && i < block->n_ops; i++)
        if (rg_one_out(block->ops[i], "Out") != NULL &&
            strcmp(rg_one_out(block->ops[i], "Out"), name) == 0)
            return block->ops[i];
    return NULL;
}

/* As the initialiser op would draw for the whole variable. */
static rg_philox_key key_of(const rg_engine *s, const rg_opdesc *op, const char *name)
{
    const rg_attr *of = rg_opdesc_attr(op, "slice_of"), *seed = rg_opdesc_attr(op, "seed");
    const rg_attr *number = rg_opdesc_attr(op, "start_number");
    const char *whole = of != NULL && of->type == RG_ATTR_STRING && of->s[0] ? of->s : name;
    uint64_t random = s->program->random_seed ? (uint64_t)s->program->random_seed
                                              : rg_process_seed();
    return rg_start_key(&(rg_run){.seed = random}, seed ? seed->i : 0, number ? number->i : 0,
                        whole);
}

/* The rows themselves are in the program, which outlives the table. */
static rg_status read_values(const rg_opdesc *op, const rg_served *var, rg_table_spec *spec)
{
    const rg_attr *values = rg_opdesc_attr(op, "fp32_values");
    spec->start = RG_START_VALUES;
    if (values == NULL || values->type != RG_ATTR_FLOATS ||
        values->n != var->about->rows * var->about->width)
        return rg_fail(RG_ECORRUPT, "op %s does not have the %lld numbers of %s", op->type,
                       (long long)(var->about->rows * var->about->width), var->about->name);
    spec->values = values->floats;
    spec->first_value = var->about->begin;
    spec->n_values = var->about->rows;
    return RG_OK;
}

static rg_status read_start(const rg_engine *s, const rg_served *var, rg_table_spec *spec)
{
    const char *name = var->about->name;
    const rg_opdesc *op = initialiser_of(s, name);
    if (op == NULL)
        return rg_fail(RG_ECORRUPT, "the server's program does not say how rows of %s start", name);
    if (rg_is_type(op, "fill_constant")) {
        spec->start = RG_START_CONSTANT;
        spec->a = float_of(op, "value", 0);
        return RG_OK;
    }
    spec->key = key_of(s, op, name);
    if (rg_is_type(op, "assign_value"))
        return read_values(op, var, spec);
    if (rg_is_type(op, "uniform_random")) {
        spec->start = RG_START_UNIFORM;
        spec->a = float_of(op, "min", -1);
        spec->b = float_of(op, "max", 1);
        return RG_OK;
    }
    spec->start = rg_is_type(op, "gaussian_random") ? RG_START_NORMAL : RG_START_TRUNCATED_NORMAL;
    spec->a = float_of(op, "mean", 0);
    spec->b = float_of(op, "std", 1);
    if (!rg_is_type(op, "gaussian_random") && !rg_is_type(op, "truncated_gaussian_random"))
        return rg_fail(RG_EUNIMPL,
                       "rows of %s cannot start by op %s; give its parameter another initializer",
                       name, op->type);
    return RG_OK;
}

/* ---- opening ---- */

_Static_assert((int)RG_MAX_STATES == (int)RG_TABLE_MAX_STATES, "a table has room for all states");

/* The parameter, and the optimizer's states with a row for each of its rows. */
static rg_status find_columns(const rg_engine *s, rg_served *var)
{
    const rg_update *update = rg_update_of(var->op);
    var->columns[var->n_columns++] = var->about->name;
    for (int i = 1; update != NULL && i < update->n; i++) {
        const char *name = rg_update_state(var->op, i);
        const rg_vardesc *desc = name ? rg_block_find(s->program->blocks[0], name) : NULL;
        if (update->state[i].counter || name == NULL)
            continue;
        if (desc == NULL || desc->meta.shape.rank < 1 ||
            desc->meta.shape.dim[0] != var->about->rows ||
            rg_shape_numel(&desc->meta.shape) != var->about->rows * var->about->width)
            return rg_fail(RG_ECORRUPT, "%s, a state of %s, is not of its shape in the program",
                           name, var->about->name);
        var->state_of[var->n_columns] = i;
        var->columns[var->n_columns++] = name;
    }
    return RG_OK;
}

/* Whether the block is what the optimizer's op does to rows and nothing else. alone: it is that
 * op. */
static bool moves_in_place(const rg_engine *s, const rg_served *var, bool alone)
{
    const rg_update *update = rg_update_of(var->op);
    return alone && update != NULL && update->row_step != NULL && !s->mode->programs.updates &&
           rg_update_grad(var->op) != NULL && rg_update_in_place(var->op);
}

/* Whether rows make the steps that they miss later: they do while their states are zero, which is
 * when they do not move. */
static bool makes_up_later(const rg_served *var, const rg_table_spec *spec)
{
    for (int i = 0; i < spec->n_states; i++)
        if (spec->state_start[i] != 0)
            return false;
    return rg_update_can_wait(var->op);
}

/* ---- rows that were loaded ---- */

static rg_status open_stage(rg_served *var)
{
    RG_TRY(rg_scope_new(&var->stage, var->shard->scope));
    for (int i = 0; i < var->n_columns; i++)
        RG_TRY(rg_scope_own(var->stage, var->columns[i], &var->staged[i]));
    return RG_OK;
}

/* Which of n rows from `first` of the slice on are here: their ids, and where they stand. */
static size_t mine_of(const rg_served *var, int64_t first, int64_t n, int64_t *ids, int64_t *at)
{
    size_t count = 0;
    for (int64_t i = first; i < first + n; i++)
        if (rg_served_is_mine(var, var->about->begin + i)) {
            ids[count] = var->about->begin + i;
            at[count++] = i - first;
        }
    return count;
}

/* Rows of a column, all of them. */
static rg_status fill(rg_served *var, int column, const float *rows)
{
    enum { BATCH = 4096 };
    int64_t ids[BATCH], at[BATCH], width = var->about->width;
    rg_row_handle handles[BATCH];
    for (int64_t first = 0; first < var->about->rows; first += BATCH) {
        int64_t batch = var->about->rows - first < BATCH ? var->about->rows - first : BATCH;
        size_t n = mine_of(var, first, batch, ids, at);
        RG_TRY(rg_table_touch(var->table, ids, n, handles, NULL));
        rg_served_catch_up(var, handles, n); /* the other columns */
        for (size_t i = 0; i < n; i++) {
            memcpy(rg_table_row(var->table, handles[i]) + column * width,
                   rows + (first + at[i]) * width, (size_t)width * sizeof *rows);
            if (var->past != NULL)
                rg_table_counters(var->table, handles[i])[RG_ROW_STEP] = rg_past_now(var->past);
        }
    }
    return RG_OK;
}

/* Some rows were loaded into the scope; the others start as ever. */
static rg_status take_rows(rg_served *var, const rg_value *loaded)
{
    if (loaded->meta.dtype != RG_F32 || rg_value_width(loaded) != var->about->width)
        return rg_fail(RG_ESHAPE, "rows of %s were loaded that are not float32 of width %lld",
                       var->about->name, (long long)var->about->width);
    RG_TRY(rg_served_check(var, loaded->rows, loaded->n_rows));
    if (!var->spread)
        return rg_table_scatter(var->table, loaded->rows, loaded->n_rows, loaded->data, NULL);
    for (size_t i = 0; i < loaded->n_rows; i++)
        if (rg_served_is_mine(var, loaded->rows[i]))
            RG_TRY(rg_table_scatter(var->table, &loaded->rows[i], 1,
                                    (const float *)loaded->data + (int64_t)i * var->about->width,
                                    NULL));
    return RG_OK;
}

/* What was loaded into the scope of a column; NULL: nothing that fits. */
static rg_value *loaded_of(const rg_engine *s, const rg_served *var, int column)
{
    rg_value *loaded = rg_scope_find(s->scope, var->columns[column]);
    bool some = column == 0 && loaded != NULL && loaded->meta.kind == RG_ROWS;
    bool fits = loaded != NULL && loaded->data != NULL &&
                (some || rg_numel(loaded) == var->about->rows * var->about->width);
    return fits ? loaded : NULL;
}

/* Rows that were loaded into the scope become rows of the table; states alone say nothing. */
static rg_status take_loaded(rg_engine *s, rg_served *var)
{
    for (int i = 0; i < var->n_columns && loaded_of(s, var, 0) != NULL; i++) {
        const rg_value *loaded = loaded_of(s, var, i);
        if (loaded != NULL)
            RG_TRY(loaded->meta.kind == RG_ROWS ? take_rows(var, loaded)
                                                : fill(var, i, loaded->data));
    }
    return RG_OK;
}

void rg_served_forget_loaded(rg_engine *s, const rg_served *var)
{
    bool taken = loaded_of(s, var, 0) != NULL && var->table != NULL;
    for (int i = var->n_columns - 1; taken && i >= 0; i--) {
        rg_value *loaded = loaded_of(s, var, i);
        if (loaded == NULL)
            continue;
        rg_storage_release(loaded->storage); /* the table has them now */
        loaded->storage = NULL;
        loaded->data = NULL;
        loaded->n_rows = 0;
    }
}

/* Whether each step moves all rows, touched or not: then they are a dense parameter here, which
 * is pulled and pushed by rows. A table that grows has no such all; its touched rows move. */
static bool moves_every_row(const rg_engine *s, const rg_served *var)
{
    return !s->mode->programs.updates && !var->later && !var->grows &&
           rg_update_moves_idle(var->op);
}

/* All rows of the table as variables of the scope, in the table's place. */
static rg_status unfold(rg_engine *s, rg_served *var)
{
    const rg_shape shape = RG_SHAPE(var->about->rows, var->about->width);
    RG_TRY(rg_serve_take_memory(s, var,
                                (size_t)(var->about->rows * var->about->width) *
                                    (size_t)var->n_columns * sizeof(float)));
    for (int i = 0; i < var->n_columns; i++) {
        rg_value *value;
        RG_TRY(rg_scope_var(s->scope, var->columns[i], &value));
        RG_TRY(rg_value_resize(value, RG_F32, &shape));
        RG_TRY(rg_served_dense(var, i, 0, var->about->rows, value->data));
    }
    rg_table_close(var->table);
    var->table = NULL;
    return RG_OK;
}

/* What its rows are; counters aside. */
static rg_status make_spec(const rg_engine *s, const rg_served *var, rg_table_spec *spec)
{
    *spec = (rg_table_spec){
        .name = var->about->name,
        .dim = var->about->width,
        .n_states = var->n_columns - 1,
        .height = var->grows ? -1 : var->about->begin + var->about->rows,
    };
    for (int i = 1; i < var->n_columns; i++) {
        const rg_opdesc *op = initialiser_of(s, var->columns[i]);
        spec->state_start[i - 1] = op ? float_of(op, "value", 0) : 0;
    }
    return read_start(s, var, spec);
}

rg_status rg_served_describe(rg_engine *s, rg_served *var, bool alone)
{
    rg_table_spec spec;
    RG_TRY(find_columns(s, var));
    RG_TRY(make_spec(s, var, &spec));
    var->in_place = moves_in_place(s, var, alone);
    var->later = var->in_place && makes_up_later(var, &spec);
    return RG_OK;
}

bool rg_served_can_spread(const rg_engine *s, const rg_served *var)
{
    return var->n_columns > 0 &&
           (s->mode->programs.updates || (var->in_place && !moves_every_row(s, var)));
}

rg_status rg_served_open(rg_engine *s, rg_served *var)
{
    rg_table_spec spec;
    rg_table_keep keep = rg_serve_keep(s, var);
    RG_TRY(make_spec(s, var, &spec));
    spec.keep = &keep;
    var->entry.key = spec.key;
    spec.entry = &var->entry;
    spec.n_counters = var->later ? RG_ROW_COUNTERS : RG_ROW_STEP;
    RG_TRY(rg_table_open(&var->table, &spec));
    if (s->mode->programs.updates) {
        RG_TRY(rg_geo_rows_open(&var->changed, (int)s->schema.trainers));
        var->told = rg_alloc_zero(s->schema.trainers, sizeof *var->told);
        if (var->told == NULL)
            return rg_no_memory(s->schema.trainers * sizeof *var->told, "what trainers were told");
    }
    if (var->later)
        RG_TRY(rg_past_open(&var->past));
    RG_TRY(open_stage(var));
    RG_TRY(take_loaded(s, var));
    RG_TRY(rg_serve_check_loaded(var));
    if (moves_every_row(s, var))
        return unfold(s, var);
    return var->in_place ? rg_served_open_stepper(s, var) : RG_OK;
}

void rg_served_close(rg_served *var)
{
    rg_table_close(var->table);
    rg_geo_rows_close(var->changed);
    rg_free(var->told);
    rg_past_close(var->past);
    rg_served_free_before(var);
    if (var->stage != NULL)
        rg_scope_release(var->stage);
}

/* ---- rows by id ---- */

rg_status rg_served_check(const rg_served *var, const int64_t *ids, size_t n)
{
    int64_t from = var->about->begin, to = from + var->about->rows;
    for (size_t i = 0; i < n; i++)
        if (ids[i] < from || (ids[i] >= to && !var->grows))
            return rg_fail(RG_EVALUE,
                           "id %lld is not in %s, which has rows %lld to %lld; declare the table "
                           "larger, or is_distributed=True, which lets it grow",
                           (long long)ids[i], var->about->name, (long long)from, (long long)to - 1);
    return RG_OK;
}

/* It is used, which a row knows of itself where tables are shrunk. */
static void note_seen(rg_served *var, rg_row_handle handle)
{
    if (rg_table_counters_const(var->table, handle)[RG_ROW_SEEN] == var->age)
        return;
    var->noticed = true;
    rg_table_counters(var->table, handle)[RG_ROW_SEEN] = var->age;
}

rg_status rg_served_touch(rg_served *var, const int64_t *ids, size_t n, rg_row_handle *handles)
{
    size_t created = 0;
    RG_TRY(rg_table_touch(var->table, ids, n, handles, &created));
    var->noticed = var->noticed || created > 0;
    for (size_t i = 0; var->age > 0 && i < n; i++)
        note_seen(var, handles[i]);
    return RG_OK;
}

/* ---- fewer rows ---- */

typedef struct shrinking {
    rg_served *var;
    uint32_t unseen;
    bool all;
    rg_status code;
} shrinking;

/* A row that goes starts anew, which trainers that keep a copy of it have to hear. */
static bool is_old(void *arg, int64_t id, uint32_t *counters)
{
    shrinking *s = arg;
    if (s->code != RG_OK || (!s->all && s->var->age - counters[RG_ROW_SEEN] <= s->unseen))
        return false;
    if (s->var->changed != NULL)
        s->code = rg_geo_rows_note(s->var->changed, &id, 1);
    return s->code == RG_OK;
}

rg_status rg_served_shrink(rg_served *var, uint32_t unseen, uint64_t *rows)
{
    shrinking s = {.var = var, .unseen = unseen};
    var->age++;
    size_t gone = 0;
    RG_TRY(rg_table_erase_if(var->table, is_old, &s, &gone));
    *rows = gone;
    return s.code;
}

rg_status rg_served_clear(rg_served *var, uint64_t *rows)
{
    shrinking s = {.var = var, .all = true};
    size_t gone = 0;
    *rows = rg_table_size(var->table);
    if (var->changed != NULL)
        RG_TRY(rg_table_erase_if(var->table, is_old, &s, &gone));
    return s.code == RG_OK ? rg_table_clear(var->table) : s.code;
}

/* Rows that there are, of a table whose rows come to be when they are pushed to. */
static rg_status look_up(rg_served *var, const int64_t *ids, size_t n, rg_row_handle *handles)
{
    RG_TRY(rg_table_bring(var->table, ids, n, handles));
    for (size_t i = 0; var->age > 0 && i < n; i++)
        if (handles[i] != RG_NO_ROW)
            note_seen(var, handles[i]);
    return RG_OK;
}

rg_status rg_served_pull(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out)
{
    int64_t width = var->about->width;
    if (var->table == NULL) {
        for (size_t i = 0; i < n; i++)
            memcpy(out + (int64_t)(at ? at[i] : i) * width,
                   (const float *)var->param->data + (ids[i] - var->about->begin) * width,
                   (size_t)width * sizeof *out);
        return RG_OK;
    }
    rg_row_handle *handles = rg_arena_alloc(&var->shard->scratch, (n + 1) * sizeof *handles);
    if (handles == NULL)
        return rg_no_memory(n * sizeof *handles, "handles");
    bool makes = !rg_serve_rows_may_go(var->shard->engine) && !rg_entry_filters(&var->entry);
    RG_TRY(makes ? rg_served_touch(var, ids, n, handles) : look_up(var, ids, n, handles));
    rg_served_catch_up(var, handles, n);
    if (at == NULL)
        rg_table_read(var->table, handles, n, out, NULL);
    for (size_t i = 0; at != NULL && i < n; i++) {
        if (i + 8 < n)
            rg_table_prefetch(var->table, handles[i + 8]);
        if (handles[i] != RG_NO_ROW)
            memcpy(out + at[i] * width, rg_table_row_const(var->table, handles[i]),
                   (size_t)width * sizeof *out);
    }
    for (size_t i = 0; !makes && i < n; i++)
        if (handles[i] == RG_NO_ROW)
            rg_table_start_value(var->table, ids[i], out + (int64_t)(at ? at[i] : i) * width);
    return RG_OK;
}

/* ---- for a save ---- */

/* As it is, or as it would start. */
static void read_column(rg_served *var, int column, int64_t id, rg_row_handle handle, float *out)
{
    int64_t width = var->about->width;
    if (handle != RG_NO_ROW)
        memcpy(out, rg_table_row_const(var->table, handle) + column * width,
               (size_t)width * sizeof *out);
    else if (column == 0 && rg_entry_filters(&var->entry))
        memset(out, 0, (size_t)width * sizeof *out); /* it has not been let in */
    else if (column == 0)
        rg_table_start_value(var->table, id, out);
    for (int64_t k = 0; handle == RG_NO_ROW && column > 0 && k < width; k++)
        out[k] = rg_table_about(var->table)->state_start[column - 1];
}

rg_status rg_served_dense(rg_served *var, int column, int64_t first, int64_t n, float *out)
{
    enum { BATCH = 4096 };
    int64_t ids[BATCH], at[BATCH], width = var->about->width;
    rg_row_handle handles[BATCH];
    for (int64_t done = 0; done < n; done += BATCH) {
        size_t count = mine_of(var, first + done, n - done < BATCH ? n - done : BATCH, ids, at);
        RG_TRY(rg_table_bring(var->table, ids, count, handles));
        rg_served_catch_up(var, handles, count);
        for (size_t i = 0; i < count; i++)
            read_column(var, column, ids[i], handles[i], out + (done + at[i]) * width);
    }
    return RG_OK;
}

rg_status rg_served_read_all(rg_served *var, int64_t first, int64_t n)
{
    enum { BATCH = 4096 };
    int64_t some[BATCH], at[BATCH], *ids = NULL;
    rg_row_handle handles[BATCH];
    size_t all = n < 0 ? rg_served_size(var) : (size_t)n;
    if (n < 0) {
        ids = rg_alloc((all + 1) * sizeof *ids);
        if (ids == NULL)
            return rg_no_memory(all * sizeof *ids, "ids");
        RG_TRY(rg_served_ids(var, ids));
    }
    rg_status code = RG_OK;
    for (size_t done = 0; code == RG_OK && done < all; done += BATCH) {
        size_t count = all - done < BATCH ? all - done : BATCH;
        if (ids == NULL)
            count = mine_of(var, first + (int64_t)done, (int64_t)count, some, at);
        code = rg_table_bring(var->table, ids ? ids + done : some, count, handles);
        if (code == RG_OK)
            rg_served_catch_up(var, handles, count);
    }
    rg_free(ids);
    return code;
}

size_t rg_served_size(const rg_served *var)
{
    return var->table != NULL ? rg_table_size(var->table) : (size_t)var->about->rows;
}

rg_status rg_served_ids(const rg_served *var, int64_t *ids)
{
    size_t n = rg_served_size(var);
    for (size_t i = 0; var->table == NULL && i < n; i++)
        ids[i] = var->about->begin + (int64_t)i;
    if (var->table == NULL)
        return RG_OK;
    return rg_table_ids(var->table, ids);
}

rg_status rg_served_copy(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out)
{
    enum { BATCH = 4096 };
    int64_t width = var->about->width;
    rg_row_handle handles[BATCH];
    for (size_t first = 0; first < n; first += BATCH) {
        size_t count = n - first < BATCH ? n - first : BATCH;
        if (var->table != NULL) {
            RG_TRY(rg_table_bring(var->table, ids + first, count, handles));
            rg_served_catch_up(var, handles, count);
        }
        for (size_t i = first; i < first + count; i++) {
            float *to = out + (int64_t)(at ? at[i] : i) * width;
            if (var->table != NULL)
                read_column(var, 0, ids[i], handles[i - first], to);
            else
                memcpy(to, (const float *)var->param->data + (ids[i] - var->about->begin) * width,
                       (size_t)width * sizeof *to);
        }
    }
    return RG_OK;
}

/* ---- geo: what trainers know ---- */

rg_status rg_served_set(rg_served *var, int column, const float *rows)
{
    int64_t end = var->about->begin + var->about->rows;
    for (int64_t id = var->about->begin; var->changed != NULL && column == 0 && id < end; id++)
        if (rg_served_is_mine(var, id))
            RG_TRY(rg_geo_rows_note(var->changed, &id, 1));
    return fill(var, column, rows);
}

rg_status rg_served_tell(rg_served *var, const int64_t *ids, size_t n, float *out)
{
    return rg_table_gather(var->table, ids, n, false, out, NULL);
}

void rg_served_heard(rg_served *var, int trainer)
{
    if (var->changed != NULL)
        (void)rg_geo_rows_done(var->changed, trainer, var->told[trainer]);
}

void rg_served_left(rg_served *var, int trainer)
{
    if (var->changed != NULL)
        (void)rg_geo_rows_leave(var->changed, trainer);
}
