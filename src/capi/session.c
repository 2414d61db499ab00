/* session.c - the public C API of include/regatta.h. */
#include "regatta.h"

#include "base/map.h"
#include "base/mem.h"
#include "capi/session_priv.h"
#include "dist/job.h"
#include "save/save.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/log.h"
#include "train/by_hand.h"
#include "watch/program_graph.h"

#include <string.h>

enum { MAX_PROGRAM_FILE = 1 << 30 };

struct rg_session {
    rg_scope *scope;
    rg_job *job; /* joined by the first program that talks to servers */
    rg_executor *executor;
    char *failed; /* why the last run did, owned; NULL: it did not */
    rg_program **programs;
    size_t n_programs, cap_programs;
    rg_map fed;        /* name, owned -> rg_value, counted */
    rg_prepared *last; /* what ran last, and can be fetched from; NULL: nothing */
    int n_fetches;     /* of that */
};

static rg_status program_of(const rg_session *session, int number, rg_program **out)
{
    if (number < 0 || (size_t)number >= session->n_programs)
        return rg_fail(RG_EINVAL, "the session has no program %d", number);
    *out = session->programs[number];
    return RG_OK;
}

rg_status rg_session_borrow(rg_session *session, int number, rg_session_parts *parts)
{
    RG_TRY(program_of(session, number, &parts->program));
    parts->scope = session->scope;
    parts->executor = session->executor;
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

int rg_session_open(rg_session **out)
{
    RG_TRY(rg_flags_from_environment());
    rg_session *session = rg_alloc_zero(1, sizeof *session);
    if (session == NULL)
        return rg_no_memory(sizeof *session, "a session");
    rg_status code = rg_scope_new(&session->scope, NULL);
    if (code == RG_OK)
        code = rg_job_open(&session->job);
    if (code == RG_OK)
        code = rg_executor_open(&session->executor, session->job);
    if (code == RG_OK)
        *out = session;
    else
        rg_session_close(session);
    return code;
}

/* The servers hear how it went, as far as this session knows. */
static void end_job(rg_session *session)
{
    if (session->failed != NULL)
        rg_job_fail(session->job, session->failed);
    else if (rg_job_leave(session->job) != RG_OK)
        rg_log(RG_LOG_W, "ps", "\"the job was not left properly: %s\"", rg_error_message());
    rg_job_close(session->job);
    rg_free(session->failed);
}

rg_status rg_session_ran(rg_session *session, rg_status code)
{
    rg_free(session->failed);
    session->failed = code == RG_OK ? NULL : rg_strdup(rg_error_message());
    return code;
}

void rg_session_close(rg_session *session)
{
    if (session == NULL)
        return;
    end_job(session);
    rg_prepared_release(session->last);
    rg_executor_close(session->executor);
    for (size_t i = 0; i < session->n_programs; i++)
        rg_program_close(session->programs[i]);
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

int rg_session_new_program(rg_session *session, int *program)
{
    RG_TRY(rg_grow((void **)&session->programs, session->n_programs, &session->cap_programs,
                   sizeof *session->programs));
    RG_TRY(rg_program_open(&session->programs[session->n_programs]));
    *program = (int)session->n_programs++;
    return RG_OK;
}

int rg_session_load_program_bytes(rg_session *session, const void *bytes, size_t n, int *program)
{
    RG_TRY(rg_grow((void **)&session->programs, session->n_programs, &session->cap_programs,
                   sizeof *session->programs));
    RG_TRY(rg_program_unpack(&session->programs[session->n_programs], bytes, n));
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

static rg_status feed_all(const rg_session *session, rg_plan *plan, const char *const *feeds, int n)
{
    for (int i = 0; i < n; i++) {
        const rg_value *from = rg_map_get(&session->fed, feeds[i]);
        const rg_fed fed = {from->data, from->meta.dtype, from->meta.shape, from->meta.lod};
        RG_TRY(rg_feed_plan(plan, i, &fed));
    }
    return RG_OK;
}

/* `feeds` has room for all that is fed. What the program does not declare is another one's. */
static rg_status run(rg_session *session, const rg_program *program, const char **feeds,
                     const char *const *fetches, int n)
{
    int n_feeds = 0;
    rg_prepared *prepared;
    for (size_t i = 0; i < session->fed.n_entries; i++) {
        const char *name = rg_map_at(&session->fed, i)->key;
        if (rg_block_var(program->blocks[0], name) != NULL)
            feeds[n_feeds++] = name;
    }
    const rg_plan_config config = {
        .feeds = feeds, .n_feeds = n_feeds, .fetches = fetches, .n_fetches = n};
    bool is_new;
    RG_TRY(rg_executor_prepare(session->executor, program, session->scope, &config, &prepared,
                               &is_new));
    if (is_new && rg_plan_trains(rg_prepared_plan(prepared)))
        rg_watch_training(program);
    const rg_by_hand by_hand = rg_by_hand_begin(session->executor, program, session->scope, &config,
                                                prepared);
    rg_prepared_release(session->last);
    session->last = by_hand.prepared;
    session->n_fetches = 0;
    RG_TRY(feed_all(session, rg_prepared_plan(by_hand.prepared), feeds, n_feeds));
    RG_TRY(rg_by_hand_run(&by_hand));
    session->n_fetches = n;
    return RG_OK;
}

int rg_session_run(rg_session *session, int number, const char *const *fetches, int n)
{
    rg_program *program;
    RG_TRY(program_of(session, number, &program));
    const char **feeds = rg_alloc((session->fed.n_entries + 1) * sizeof *feeds);
    if (feeds == NULL)
        return rg_no_memory(session->fed.n_entries, "feeds");
    rg_status code = run(session, program, feeds, fetches, n);
    rg_free(feeds);
    return rg_session_ran(session, code);
}

int rg_session_fetch(rg_session *session, int i, rg_tensor_view *tensor)
{
    if (session->last == NULL)
        return rg_fail(RG_EINVAL, "nothing has been run yet");
    if (i < 0 || i >= session->n_fetches)
        return rg_fail(RG_EINVAL, "fetch %d of a run that fetched %d", i, session->n_fetches);
    const rg_value *value = rg_plan_fetch(rg_prepared_plan(session->last), i);
    if (value->meta.kind != RG_TENSOR || value->data == NULL)
        return rg_fail(RG_EINVAL, "fetch %d is a %s, and only tensors can be fetched", i,
                       rg_kind_name(value->meta.kind));
    const rg_lod *lod = value->meta.lod;
    *tensor = (rg_tensor_view){
        .type = (rg_type)value->meta.dtype,
        .rank = value->meta.shape.rank,
        .dims = value->meta.shape.dim,
        .data = rg_host_data(value),
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

int rg_session_save(rg_session *session, int number, const char *folder)
{
    rg_program *program;
    rg_save *save;
    RG_TRY(program_of(session, number, &program));
    RG_TRY(rg_save_open(&save, folder));
    rg_status code = each_persistable(session, program, save_one, save);
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

int rg_session_load(rg_session *session, int number, const char *folder)
{
    rg_program *program;
    RG_TRY(program_of(session, number, &program));
    rg_status code = rg_load_whole(folder, load_all, &(load_into){session, program});
    rg_scope_touch(session->scope);
    return code;
}
