/* executor.c - the plans of an executor, and what may be fed to them. */
#include "exec/executor.h"

#include "base/mem.h"
#include "ir/life.h"
#include "sys/flags.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* What a plan was made of: it serves for every run that is asked in the same words. */
struct rg_prepared {
    rg_plan *plan;
    rg_life *life; /* the program's; kept */
    uint64_t version, used;
    rg_scope *scope;   /* kept by the plan */
    uint64_t bindings; /* of the scope, when its names were last looked up */
    bool keep_all, no_fuse, forward;
    const rg_device *device;
    const char *precision; /* FLAGS_matmul_precision, then */
    char **names;          /* the feeds', then the fetches'; owned */
    int n_feeds, n_fetches;
    _Atomic int refs;
    pthread_mutex_t running; /* a plan is one thread's */
};

struct rg_executor {
    pthread_mutex_t lock; /* of all below. Held while a plan is made: who asks for the same one
                           * in the meantime shall find it, and not make it again. */
    rg_prepared *plans[RG_EXECUTOR_PLANS];
    int n;
    uint64_t clock;
    uint64_t passes[2];      /* over data: that trained, that inferred */
    struct rg_job *job;      /* borrowed, opaque here */
    const rg_device *device; /* NULL: the CPU */
    int precision;           /* number of FLAGS_matmul_precision */
};

/* ---- one plan ---- */

void rg_prepared_release(rg_prepared *p)
{
    if (p == NULL || atomic_fetch_sub(&p->refs, 1) > 1)
        return;
    rg_plan_close(p->plan);
    rg_life_drop(p->life);
    for (int i = 0; p->names != NULL && i < p->n_feeds + p->n_fetches; i++)
        rg_free(p->names[i]);
    rg_free(p->names);
    pthread_mutex_destroy(&p->running);
    rg_free(p);
}

static rg_status copy_names(rg_prepared *p, const rg_plan_config *config)
{
    int n = config->n_feeds + config->n_fetches;
    p->names = rg_alloc_zero((size_t)n + 1, sizeof *p->names);
    if (p->names == NULL)
        return rg_no_memory((size_t)n, "a plan's names");
    p->n_feeds = config->n_feeds;
    p->n_fetches = config->n_fetches;
    for (int i = 0; i < n; i++) {
        const char *name = i < p->n_feeds ? config->feeds[i] : config->fetches[i - p->n_feeds];
        if ((p->names[i] = rg_strdup(name)) == NULL)
            return rg_no_memory(strlen(name), "a plan's names");
    }
    return RG_OK;
}

/* Of equal texts of a flag there is one. */
static const char *precision_now(const rg_executor *e)
{
    return rg_flag_text_of(e->precision);
}

static rg_status make(const rg_executor *e, const rg_program *program, rg_scope *scope,
                      const rg_plan_config *config, rg_prepared **out)
{
    rg_plan_config own = *config;
    rg_prepared *p = rg_alloc_zero(1, sizeof *p);
    if (p == NULL)
        return rg_no_memory(sizeof *p, "a plan");
    p->refs = 1;
    p->life = rg_life_keep(program->life);
    p->version = program->version;
    p->scope = scope;
    p->keep_all = config->keep_all;
    p->no_fuse = config->no_fuse;
    p->forward = config->forward;
    p->device = config->device;
    p->precision = precision_now(e);
    pthread_mutex_init(&p->running, NULL);
    rg_status code = copy_names(p, config);
    own.job = e->job;
    own.device = own.device ? own.device : e->device;
    if (code == RG_OK)
        code = rg_plan_open(&p->plan, program, scope, &own);
    p->bindings = rg_scope_bindings(scope);
    if (code == RG_OK)
        *out = p;
    else
        rg_prepared_release(p);
    return code;
}

bool rg_prepared_take(rg_prepared *p, bool wait)
{
    return pthread_mutex_trylock(&p->running) == 0 ||
           (wait && pthread_mutex_lock(&p->running) == 0);
}

void rg_prepared_give_back(rg_prepared *p)
{
    pthread_mutex_unlock(&p->running);
}

rg_plan *rg_prepared_plan(const rg_prepared *p)
{
    return p->plan;
}

/* ---- those that are kept ---- */

static bool same_names(char *const *mine, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(mine[i], names[i]) != 0)
            return false;
    return true;
}

/* Names of the scope stand for the values that they stood for when the plan was made. */
static bool is_bound(rg_prepared *p)
{
    uint64_t now = rg_scope_bindings(p->scope);
    if (p->bindings != now && rg_plan_is_bound(p->plan))
        p->bindings = now;
    return p->bindings == now;
}

static bool serves(const rg_executor *e, rg_prepared *p, const rg_program *program,
                   const rg_scope *scope, const rg_plan_config *config)
{
    return p->life == program->life && p->version == program->version && p->scope == scope &&
           p->n_feeds == config->n_feeds && p->n_fetches == config->n_fetches &&
           p->keep_all == config->keep_all && p->no_fuse == config->no_fuse &&
           p->forward == config->forward && p->device == config->device &&
           p->precision == precision_now(e) && same_names(p->names, config->feeds, p->n_feeds) &&
           same_names(p->names + p->n_feeds, config->fetches, p->n_fetches) && is_bound(p);
}

static rg_prepared *find(const rg_executor *e, const rg_program *program, const rg_scope *scope,
                         const rg_plan_config *config)
{
    for (int i = 0; i < e->n; i++)
        if (serves(e, e->plans[i], program, scope, config))
            return e->plans[i];
    return NULL;
}

/* In the place of a plan of an older version, or of values that are gone, or, where all places are
 * taken, of the one used least recently. */
static void keep(rg_executor *e, rg_prepared *fresh)
{
    int oldest = 0, at = -1;
    for (int i = 0; i < e->n; i++) {
        rg_prepared *p = e->plans[i];
        if (p->life == fresh->life &&
            (p->version != fresh->version || (p->scope == fresh->scope && !is_bound(p))))
            at = i;
        if (p->used < e->plans[oldest]->used)
            oldest = i;
    }
    if (at < 0 && e->n < RG_EXECUTOR_PLANS)
        at = e->n++;
    else
        rg_prepared_release(e->plans[at = at < 0 ? oldest : at]);
    e->plans[at] = fresh;
}

/* Plans that nobody can ask for again hold parameters and activations: those of programs that are
 * closed, and of scopes that plans alone have. A scope that goes may have been the last to own its
 * parent, so it is looked again. */
static void drop_forgotten(rg_executor *e)
{
    for (int i = 0; i < e->n;) {
        rg_prepared *p = e->plans[i];
        if (!rg_life_is_over(p->life) && !rg_scope_is_forgotten(p->scope)) {
            i++;
            continue;
        }
        e->plans[i] = e->plans[--e->n];
        rg_prepared_release(p);
        i = 0;
    }
}

rg_status rg_executor_prepare(rg_executor *e, const rg_program *program, rg_scope *scope,
                              const rg_plan_config *config, rg_prepared **out, bool *is_new)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&e->lock);
    rg_prepared *p = find(e, program, scope, config);
    if (is_new != NULL)
        *is_new = p == NULL;
    if (p == NULL) {
        drop_forgotten(e);
        code = make(e, program, scope, config, &p);
        if (code == RG_OK)
            keep(e, p);
    }
    if (code == RG_OK) {
        p->used = ++e->clock;
        (void)atomic_fetch_add(&p->refs, 1);
        *out = p;
    }
    pthread_mutex_unlock(&e->lock);
    return code;
}

rg_status rg_executor_make(rg_executor *e, const rg_program *program, rg_scope *scope,
                           const rg_plan_config *config, rg_prepared **out)
{
    return make(e, program, scope, config, out);
}

void rg_executor_forget(rg_executor *e, rg_prepared *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&e->lock);
    for (int i = 0; i < e->n; i++)
        if (e->plans[i] == p) {
            e->plans[i] = e->plans[--e->n];
            rg_prepared_release(p);
            break;
        }
    pthread_mutex_unlock(&e->lock);
    rg_prepared_release(p);
}

void rg_executor_clear(rg_executor *e)
{
    pthread_mutex_lock(&e->lock);
    while (e->n > 0)
        rg_prepared_release(e->plans[--e->n]);
    pthread_mutex_unlock(&e->lock);
}

/* Longer than a pass is. */
enum { STEPS_OF_PASS_BITS = 32 };

uint64_t rg_executor_begin_pass(rg_executor *e, bool infer)
{
    pthread_mutex_lock(&e->lock);
    uint64_t before = e->passes[infer]++;
    pthread_mutex_unlock(&e->lock);
    return before << STEPS_OF_PASS_BITS;
}

struct rg_job *rg_executor_job(const rg_executor *e)
{
    return e->job;
}

void rg_executor_set_device(rg_executor *e, const rg_device *device)
{
    e->device = device;
}

const rg_device *rg_executor_device(const rg_executor *e)
{
    return e->device;
}

rg_status rg_executor_open(rg_executor **out, struct rg_job *job)
{
    rg_executor *e = rg_alloc_zero(1, sizeof *e);
    if (e == NULL)
        return rg_no_memory(sizeof *e, "an executor");
    pthread_mutex_init(&e->lock, NULL);
    e->job = job;
    e->precision = rg_flag_number("matmul_precision");
    *out = e;
    return RG_OK;
}

void rg_executor_close(rg_executor *e)
{
    if (e == NULL)
        return;
    rg_executor_clear(e);
    pthread_mutex_destroy(&e->lock);
    rg_free(e);
}

rg_status rg_execute(rg_executor *e, const rg_program *program, rg_scope *scope)
{
    const rg_plan_config all = {.keep_all = true};
    rg_prepared *p = NULL;
    RG_TRY(rg_executor_make(e, program, scope, &all, &p));
    rg_status code = rg_plan_run(p->plan);
    rg_prepared_release(p);
    return code;
}

/* ---- feeds ---- */

static rg_status wrong_feed(const rg_vardesc *desc, const char *what, const char *got,
                            const char *wanted)
{
    return rg_fail(RG_EINVAL, "feed '%s' has the %s %s, and %s is wanted", desc->name, what, got,
                   wanted);
}

static rg_status wrong_dtype(const rg_vardesc *desc, const char *got, const char *wanted)
{
    rg_status code = wrong_feed(desc, "data type", got, wanted);
    if (desc->meta.dtype == RG_BF16) /* which NumPy has not */
        return code;
    return rg_fail(code, "feed '%s' has the data type %s, and %s is wanted: use .astype('%s')",
                   desc->name, got, wanted, wanted);
}

rg_status rg_feed_check(const rg_vardesc *desc, rg_dtype dtype, const rg_shape *shape)
{
    if (desc == NULL)
        return RG_OK;
    /* Labels and ids of layers.data() are often declared without their type: the ops that read
     * them take or refuse what comes. */
    bool whole = dtype == RG_I64 || dtype == RG_I32;
    if (dtype != desc->meta.dtype && (desc->need_check_feed || !whole))
        return wrong_dtype(desc, rg_dtype_name(dtype), rg_dtype_name(desc->meta.dtype));
    if (desc->need_check_feed && !rg_shape_fits(shape, &desc->meta.shape)) {
        char got[RG_SHAPE_TEXT], wanted[RG_SHAPE_TEXT];
        return wrong_feed(desc, "shape", rg_shape_text(shape, got),
                          rg_shape_text(&desc->meta.shape, wanted));
    }
    return RG_OK;
}

rg_status rg_feed_plan(rg_plan *plan, int i, const rg_fed *fed)
{
    rg_value *value;
    RG_TRY(rg_feed_check(rg_plan_feed_desc(plan, i), fed->dtype, &fed->shape));
    RG_TRY(rg_plan_feed_room(plan, i, fed->dtype, &fed->shape, fed->lod, &value));
    if (value == NULL)
        return RG_OK;
    return fed->value ? rg_plan_feed_take(plan, i, fed->value)
                      : rg_plan_feed_bytes(plan, i, fed->data, rg_value_bytes(value));
}

rg_status rg_feed_value(const rg_vardesc *desc, const rg_fed *fed, rg_value *value)
{
    RG_TRY(rg_feed_check(desc, fed->dtype, &fed->shape));
    RG_TRY(rg_value_resize(value, fed->dtype, &fed->shape));
    rg_value_set_lod(value, fed->lod);
    return fed->value ? rg_device_copy(value, fed->value, rg_value_bytes(value))
                      : rg_host_write(value, 0, fed->data, rg_value_bytes(value));
}
