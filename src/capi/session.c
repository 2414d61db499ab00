/* session.c - the public C API of include/regatta.h. */
#include "regatta.h"

#include "base/map.h"
#include "base/mem.h"
#include "capi/session_priv.h"
#include "exec/plan.h"
#include "save/save.h"
#include "sys/file.h"
#include "sys/flags.h"

#include <string.h>

enum { MAX_PROGRAM_FILE = 1 << 30 };

/* A program with the plan of its last run, made again when what is fed or fetched changes. */
typedef struct loaded {
    rg_program *program;
    rg_plan *plan;
    char **feeds; /* names that the plan takes, owned */
    int n_feeds;
    char **fetches; /* owned */
    int n_fetches;
} loaded;

struct rg_session {
    rg_scope *scope;
    loaded *programs;
    size_t n_programs, cap_programs;
    rg_map fed; /* name, owned -> rg_value, counted */
    int last;   /* the program that ran last; -1: none */
};

static rg_status program_of(rg_session *session, int number, loaded **out);

rg_status rg_session_borrow(rg_session *session, int number, const rg_program **program,
                            rg_scope **scope)
{
    loaded *p;
    RG_TRY(program_of(session, number, &p));
    *program = p->program;
    *scope = session->scope;
    return RG_OK;
}

const char *rg_version(void)
{
    return RG_VERSION;
}

const char *rg_last_error(void)
{
    return rg_error_message();
}

/* ---- opening and closing ---- */

static void free_names(char **names, int n)
{
    for (int i = 0; i < n; i++)
        rg_free(names[i]);
    rg_free(names);
}

static void drop_plan(loaded *p)
{
    rg_plan_close(p->plan);
    free_names(p->feeds, p->n_feeds);
    free_names(p->fetches, p->n_fetches);
    p->plan = NULL;
    p->feeds = p->fetches = NULL;
    p->n_feeds = p->n_fetches = 0;
}

int rg_session_open(rg_session **out)
{
    RG_TRY(rg_flags_from_environment());
    rg_session *session = rg_alloc_zero(1, sizeof *session);
    if (session == NULL)
        return rg_no_memory(sizeof *session, "a session");
    session->last = -1;
    rg_status code = rg_scope_new(&session->scope, NULL);
    if (code != RG_OK) {
        rg_free(session);
        return code;
    }
    *out = session;
    return RG_OK;
}

void rg_session_close(rg_session *session)
{
    if (session == NULL)
        return;
    for (size_t i = 0; i < session->n_programs; i++) {
        drop_plan(&session->programs[i]);
        rg_program_close(session->programs[i].program);
    }
    rg_free(session->programs);
    for (size_t i = 0; i < session->fed.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&session->fed, i);
        rg_value_release(e->value);
        rg_free((void *)(uintptr_t)e->key);
    }
    rg_map_fini(&session->fed);
    rg_scope_release(session->scope);
    rg_free(session);
}

int rg_session_load_program_bytes(rg_session *session, const void *bytes, size_t n, int *program)
{
    RG_TRY(rg_grow((void **)&session->programs, session->n_programs, &session->cap_programs,
                   sizeof *session->programs));
    loaded *p = &session->programs[session->n_programs];
    *p = (loaded){0};
    RG_TRY(rg_program_unpack(&p->program, bytes, n));
    *program = (int)session->n_programs++;
    return RG_OK;
}

int rg_session_load_program(rg_session *session, const char *path, int *program)
{
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    rg_status code = rg_file_read_all(path, MAX_PROGRAM_FILE, &bytes);
    if (code == RG_OK) {
        code = (rg_status)rg_session_load_program_bytes(session, bytes.data, bytes.len, program);
        if (code != RG_OK)
            code = rg_context(code, "%s", path);
    }
    rg_buf_fini(&bytes);
    return code;
}

static rg_status program_of(rg_session *session, int number, loaded **out)
{
    if (number < 0 || (size_t)number >= session->n_programs)
        return rg_fail(RG_EINVAL, "the session has no program %d", number);
    *out = &session->programs[number];
    return RG_OK;
}

/* ---- feeding ---- */

static rg_status fed_value(rg_session *session, const char *name, rg_value **out)
{
    *out = rg_map_get(&session->fed, name);
    if (*out != NULL)
        return RG_OK;
    char *key = rg_strdup(name);
    if (key == NULL)
        return rg_no_memory(strlen(name), "a feed");
    rg_value *value;
    rg_status code = rg_value_new(&value);
    if (code == RG_OK && (code = rg_map_put(&session->fed, key, value)) != RG_OK)
        rg_value_release(value);
    if (code != RG_OK)
        rg_free(key);
    else
        *out = value;
    return code;
}

int rg_session_feed_sequences(rg_session *session, const char *name, rg_type type,
                              const int64_t *dims, int rank, const void *data,
                              const int64_t *offsets, int64_t sequences)
{
    rg_value *value;
    rg_shape shape = {.rank = rank};
    rg_lod *lod = NULL;
    if (rank < 0 || rank > RG_MAX_DIMS || !rg_dtype_valid((int)type))
        return rg_fail(RG_EINVAL, "feed '%s': rank %d and type %d", name, rank, (int)type);
    for (int i = 0; i < rank; i++)
        if ((shape.dim[i] = dims[i]) < 0)
            return rg_fail(RG_EINVAL, "feed '%s': dimension %d is %lld", name, i,
                           (long long)dims[i]);
    RG_TRY(fed_value(session, name, &value));
    if (offsets != NULL) {
        RG_TRY(rg_lod_new(&lod, 1, &(size_t){(size_t)sequences + 1}));
        memcpy(lod->offset[0], offsets, ((size_t)sequences + 1) * sizeof *offsets);
        rg_status code = rg_lod_check(lod, rank > 0 ? dims[0] : 1);
        if (code != RG_OK) {
            rg_lod_release(lod);
            return rg_context(code, "feed '%s'", name);
        }
    }
    rg_status code = rg_value_resize(value, (rg_dtype)type, &shape);
    if (code == RG_OK) {
        memcpy(value->data, data, rg_value_bytes(value));
        rg_value_set_lod(value, lod);
    }
    rg_lod_release(lod);
    return code;
}

int rg_session_feed(rg_session *session, const char *name, rg_type type, const int64_t *dims,
                    int rank, const void *data)
{
    return rg_session_feed_sequences(session, name, type, dims, rank, data, NULL, 0);
}

/* ---- running ---- */

/* The names fed that the program declares, copied. */
static rg_status collect_feeds(const rg_session *session, loaded *p)
{
    p->feeds = rg_alloc_zero(session->fed.live, sizeof *p->feeds);
    if (p->feeds == NULL)
        return rg_no_memory(session->fed.live, "feeds");
    for (size_t i = 0; i < session->fed.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&session->fed, i);
        if (rg_block_var(p->program->blocks[0], e->key) == NULL)
            continue;
        if ((p->feeds[p->n_feeds] = rg_strdup(e->key)) == NULL)
            return rg_no_memory(1, "a feed");
        p->n_feeds++;
    }
    return RG_OK;
}

static rg_status make_plan(rg_session *session, loaded *p, const char *const *fetches, int n)
{
    drop_plan(p);
    RG_TRY(collect_feeds(session, p));
    p->fetches = rg_alloc_zero((size_t)n, sizeof *p->fetches);
    if (p->fetches == NULL)
        return rg_no_memory((size_t)n, "fetches");
    for (int i = 0; i < n; i++) {
        if ((p->fetches[i] = rg_strdup(fetches[i])) == NULL)
            return rg_no_memory(1, "a fetch");
        p->n_fetches++;
    }
    rg_plan_config config = {
        .feeds = (const char *const *)p->feeds,
        .n_feeds = p->n_feeds,
        .fetches = (const char *const *)p->fetches,
        .n_fetches = n,
        .no_fuse = !rg_flag_bool("fuse"),
    };
    return rg_plan_open(&p->plan, p->program, session->scope, &config);
}

static bool plan_fits(const rg_session *session, const loaded *p, const char *const *fetches, int n)
{
    if (p->plan == NULL || p->n_fetches != n)
        return false;
    for (int i = 0; i < n; i++)
        if (strcmp(p->fetches[i], fetches[i]) != 0)
            return false;
    int known = 0;
    for (size_t i = 0; i < session->fed.n_entries; i++)
        known += rg_block_var(p->program->blocks[0], session->fed.entries[i].key) != NULL;
    return known == p->n_feeds;
}

static rg_status fill_feeds(const rg_session *session, loaded *p)
{
    for (int i = 0; i < p->n_feeds; i++) {
        const rg_value *from = rg_map_get(&session->fed, p->feeds[i]);
        rg_value *to = rg_plan_feed(p->plan, i);
        const rg_vardesc *desc = rg_plan_feed_desc(p->plan, i);
        if (from->meta.dtype != desc->meta.dtype)
            return rg_fail(RG_EINVAL, "feed '%s' has the data type %s, and %s is wanted",
                           p->feeds[i], rg_dtype_name(from->meta.dtype),
                           rg_dtype_name(desc->meta.dtype));
        if (desc->need_check_feed && !rg_shape_fits(&from->meta.shape, &desc->meta.shape)) {
            char got[RG_SHAPE_TEXT], wanted[RG_SHAPE_TEXT];
            return rg_fail(RG_EINVAL, "feed '%s' has the shape %s, and %s is wanted", p->feeds[i],
                           rg_shape_text(&from->meta.shape, got),
                           rg_shape_text(&desc->meta.shape, wanted));
        }
        if (to == NULL)
            continue;
        if (to->data == NULL || !rg_shape_equal(&to->meta.shape, &from->meta.shape) ||
            !rg_lod_equal(to->meta.lod, from->meta.lod))
            rg_plan_feed_changed(p->plan, i);
        RG_TRY(rg_value_copy(to, from));
    }
    return RG_OK;
}

int rg_session_run(rg_session *session, int program, const char *const *fetches, int n)
{
    loaded *p;
    RG_TRY(program_of(session, program, &p));
    if (!plan_fits(session, p, fetches, n))
        RG_TRY(make_plan(session, p, fetches, n));
    RG_TRY(fill_feeds(session, p));
    RG_TRY(rg_plan_run(p->plan));
    session->last = program;
    return RG_OK;
}

int rg_session_fetch(rg_session *session, int i, rg_tensor_view *tensor)
{
    loaded *p;
    if (session->last < 0)
        return rg_fail(RG_EINVAL, "nothing has been run yet");
    RG_TRY(program_of(session, session->last, &p));
    if (i < 0 || i >= p->n_fetches)
        return rg_fail(RG_EINVAL, "fetch %d of a run that fetched %d", i, p->n_fetches);
    const rg_value *value = rg_plan_fetch(p->plan, i);
    if (value->meta.kind != RG_TENSOR || value->data == NULL)
        return rg_fail(RG_EINVAL, "%s is a %s, and only tensors can be fetched", p->fetches[i],
                       rg_kind_name(value->meta.kind));
    const rg_lod *lod = value->meta.lod;
    *tensor = (rg_tensor_view){
        .type = (rg_type)value->meta.dtype,
        .rank = value->meta.shape.rank,
        .dims = value->meta.shape.dim,
        .data = value->data,
        .offsets = lod ? lod->offset[lod->levels - 1] : NULL,
        .sequences = lod ? rg_lod_sequences(lod, lod->levels - 1) : 0,
    };
    return RG_OK;
}

/* ---- saving ---- */

/* Calls each() for every persistable tensor of the program. */
static rg_status
each_persistable(rg_session *session, const rg_program *program,
                 rg_status (*each)(void *arg, const rg_vardesc *var, rg_value *value), void *arg)
{
    const rg_map *vars = &program->blocks[0]->vars;
    for (size_t i = 0; i < vars->n_entries; i++) {
        const rg_map_entry *e = rg_map_at(vars, i);
        const rg_vardesc *var = e ? e->value : NULL;
        if (var == NULL || !var->persistable ||
            (var->meta.kind != RG_TENSOR && var->meta.kind != RG_ROWS))
            continue;
        rg_value *value;
        RG_TRY(rg_scope_var(session->scope, var->name, &value));
        RG_TRY(each(arg, var, value));
    }
    return RG_OK;
}

static rg_status save_one(void *arg, const rg_vardesc *var, rg_value *value)
{
    return rg_save_tensor(arg, var->name, value);
}

static rg_status load_one(void *arg, const rg_vardesc *var, rg_value *value)
{
    return rg_load_tensor(arg, var->name, &(rg_expected){var->name, value, &var->meta});
}

int rg_session_save(rg_session *session, int program, const char *folder)
{
    loaded *p;
    rg_save *save;
    RG_TRY(program_of(session, program, &p));
    RG_TRY(rg_save_open(&save, folder));
    rg_status code = each_persistable(session, p->program, save_one, save);
    if (code == RG_OK)
        code = rg_save_commit(save);
    rg_save_close(save);
    return code;
}

typedef struct load_into {
    rg_session *session;
    const rg_program *program;
} load_into;

static rg_status load_all(void *arg, rg_load *load)
{
    const load_into *into = arg;
    return each_persistable(into->session, into->program, load_one, load);
}

int rg_session_load(rg_session *session, int program, const char *folder)
{
    loaded *p;
    RG_TRY(program_of(session, program, &p));
    rg_status code = rg_load_whole(folder, load_all, &(load_into){session, p->program});
    rg_scope_touch(session->scope);
    return code;
}
