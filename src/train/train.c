/* train.c - trainer threads behind train/train.h. */
#include "train/train.h"

#include "base/buf.h"
#include "base/mem.h"
#include "dist/exchange.h"
#include "exec/marks.h"
#include "math/gemm.h"
#include "pass/pass.h"
#include "sys/clock.h"
#include "sys/cond.h"
#include "sys/flags.h"
#include "sys/log.h"
#include "sys/metrics.h"
#include "sys/pool.h"
#include "train/bad_line_priv.h"
#include "train/bar_priv.h"
#include "train/counters_priv.h"
#include "train/leased_priv.h"
#include "train/print_fetch_priv.h"
#include "train/team_priv.h"
#include "train/tell_priv.h"
#include "watch/program_graph.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WATCH_NS = 200 * 1000 * 1000 };
/* On a GPU, loss and AUC are read of some batches: reading waits for it, and what it does next
 * would not be put into its stream meanwhile. */
enum { READ_EVERY = 16 };

/* What a trainer thread tells the watcher. */
typedef struct worker {
    rg_prepared *prepared;
    rg_plan *plan;
    _Atomic uint64_t rows, batches, losses; /* losses: batches that gave one */
    _Atomic double loss_sum, auc;
    rg_origins origins; /* of the batch that is run */
    rg_reader *range;   /* leased: what it reads now; set and closed under the lock */
} worker;

struct rg_train {
    const rg_train_config *config;
    rg_program *program; /* what runs: owned */
    rg_reader *reader;   /* NULL: leased, each worker has its own */
    rg_pool *pool;
    worker *workers;
    int threads;
    const char **feeds, **fetches; /* fetches: the lines', loss, AUC, the watched */
    int n_feeds, n_fetches, loss, auc, watched;
    bool loss_is_sum;
    rg_bar *bar;
    rg_team team;
    rg_counters counters;
    uint64_t began;
    _Atomic uint64_t batches;
    atomic_flag warned;   /* of a loss that is no finite number */
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t ended;
    int running;
    bool stopping; /* a thread has failed, or the user wants an end: others end, and say nothing */
    bool seen;     /* a batch has been run */
    rg_value **seen_values;
};

/* ---- what runs ---- */

static rg_status list_names(rg_train *t)
{
    const rg_train_config *c = t->config;
    const rg_feed *feed = rg_dataset_feed(c->dataset);
    if (feed == NULL)
        return rg_fail(RG_EINVAL, "the dataset has no slots: call set_use_var() first");
    t->n_feeds = (int)rg_feed_used(feed);
    t->feeds = rg_alloc_zero((size_t)t->n_feeds + 1, sizeof *t->feeds);
    t->fetches = rg_alloc_zero((size_t)(c->n_fetches + c->n_watched) + 2, sizeof *t->fetches);
    if (t->feeds == NULL || t->fetches == NULL)
        return rg_no_memory(1, "trainer threads");
    for (int i = 0; i < t->n_feeds; i++)
        t->feeds[i] = rg_feed_used_at(feed, (size_t)i)->name;
    for (int i = 0; i < c->n_fetches; i++)
        t->fetches[t->n_fetches++] = c->fetches[i];
    const char *loss = rg_find_loss(t->program), *auc = rg_find_auc(t->program);
    t->loss = t->auc = -1;
    t->loss_is_sum = rg_loss_is_sum(t->program);
    if (loss != NULL)
        t->fetches[t->loss = t->n_fetches++] = loss;
    if (auc != NULL)
        t->fetches[t->auc = t->n_fetches++] = auc;
    t->watched = t->n_fetches;
    for (int i = 0; i < c->n_watched; i++)
        t->fetches[t->n_fetches++] = c->watched[i];
    return RG_OK;
}

static rg_status open_workers(rg_train *t)
{
    const rg_train_config *c = t->config;
    t->workers = rg_alloc_zero((size_t)t->threads, sizeof *t->workers);
    t->seen_values = rg_alloc_zero((size_t)c->n_watched + 1, sizeof *t->seen_values);
    if (t->workers == NULL || t->seen_values == NULL)
        return rg_no_memory(1, "trainer threads");
    for (int i = 0; i < c->n_watched; i++)
        RG_TRY(rg_value_new(&t->seen_values[i]));
    RG_TRY(rg_counters_open(&t->counters, t->program, c->scope, t->threads));
    uint64_t step = rg_executor_begin_pass(c->executor, c->infer);
    for (int i = 0; i < t->threads; i++) {
        worker *w = &t->workers[i];
        const rg_plan_config config = {.feeds = t->feeds,
                                       .n_feeds = t->n_feeds,
                                       .fetches = t->fetches,
                                       .n_fetches = t->n_fetches,
                                       .thread = i,
                                       .step = step};
        RG_TRY(rg_executor_make(c->executor, t->program, rg_counters_scope(&t->counters, i),
                                &config, &w->prepared));
        w->plan = rg_prepared_plan(w->prepared);
        atomic_store(&w->auc, (double)NAN);
    }
    return RG_OK;
}

static rg_status open_train(rg_train *t)
{
    const rg_train_config *c = t->config;
    t->threads = c->threads > 0 ? c->threads : rg_dataset_threads(c->dataset);
    RG_TRY(rg_dataset_check_threads(t->threads)); /* before each gets its plan */
    RG_TRY(rg_program_clone(&t->program, c->program, false));
    if (c->infer)
        rg_pass_forward(t->program, false);
    else if (!rg_has_updates(t->program))
        rg_log(
            RG_LOG_W, "train",
            "\"nothing is trained: this program has no optimizer; call minimize() on its loss, or "
            "infer_from_dataset() if that is meant\"");
    RG_TRY(list_names(t));
    RG_TRY(open_workers(t));
    rg_team_open(&t->team, rg_executor_job(c->executor), t->program, c->scope);
    if (rg_dataset_is_leased(c->dataset))
        RG_TRY(rg_leased_check(rg_executor_job(c->executor), c->dataset, c->infer));
    else
        RG_TRY(rg_leased_refuse_others(rg_executor_job(c->executor), c->infer));
    if (!rg_dataset_is_leased(c->dataset))
        RG_TRY(rg_reader_open(&t->reader, c->dataset, t->threads));
    return rg_bar_open(&t->bar, c->infer ? "infer" : "train", rg_dataset_rows(c->dataset));
}

static void close_train(rg_train *t)
{
    rg_bar_close(t->bar);
    rg_reader_close(t->reader);
    for (int i = 0; t->workers != NULL && i < t->threads; i++) {
        rg_prepared_release(t->workers[i].prepared);
        rg_origins_fini(&t->workers[i].origins);
    }
    rg_free(t->workers);
    rg_counters_close(&t->counters);
    for (int i = 0; t->seen_values != NULL && i < t->config->n_watched; i++)
        rg_value_release(t->seen_values[i]);
    rg_free(t->seen_values);
    rg_free(t->feeds);
    rg_free(t->fetches);
    rg_program_close(t->program);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->ended);
}

/* ---- a trainer thread ---- */

/* Whether a fetched tensor is one number, be it NaN. */
static bool is_number(const rg_value *value)
{
    return value != NULL && value->meta.kind == RG_TENSOR && value->data != NULL &&
           rg_numel(value) == 1 && (value->meta.dtype == RG_F32 || value->meta.dtype == RG_F64);
}

/* NaN where it is none. */
static double number_of(const rg_value *value)
{
    if (!is_number(value))
        return (double)NAN;
    return value->meta.dtype == RG_F32 ? (double)*(const float *)rg_host_data(value)
                                       : *(const double *)rg_host_data(value);
}

/* `batch` counts those of all threads, and `period` those of one, so that there are as many lines
 * whatever thread gets which batch. */
static rg_status print_lines(const rg_train *t, const rg_plan *plan, uint64_t batch)
{
    const rg_train_config *c = t->config;
    if (c->n_fetches == 0 || c->period < 1 ||
        batch % ((uint64_t)c->period * (uint64_t)t->threads) != 0)
        return RG_OK;
    for (int i = 0; i < c->n_fetches; i++)
        RG_TRY(rg_print_fetch(c->infos[i], c->fetches[i], rg_plan_fetch(plan, i)));
    return RG_OK;
}

static rg_status show_values(rg_train *t, const rg_plan *plan)
{
    rg_status code = RG_OK;
    if (t->config->n_watched == 0 || pthread_mutex_trylock(&t->lock) != 0)
        return code; /* another thread is at it */
    for (int i = 0; code == RG_OK && i < t->config->n_watched; i++)
        code = rg_value_copy(t->seen_values[i], rg_plan_fetch(plan, t->watched + i));
    t->seen = true;
    pthread_mutex_unlock(&t->lock);
    return code;
}

/* Of an instance of the batch, also where the program adds them up. */
static double mean_loss(const rg_train *t, const rg_plan *plan, uint64_t rows)
{
    double loss = number_of(rg_plan_fetch(plan, t->loss));
    return t->loss_is_sum && rows > 0 ? loss / (double)rows : loss;
}

/* Once in a run, for the batch in which it began. */
static void warn_of_loss(rg_train *t, const worker *w, uint64_t number, double loss)
{
    uint32_t file;
    uint64_t line;
    if (atomic_flag_test_and_set(&t->warned))
        return;
    bool known = rg_origins_find(&w->origins, 0, &file, &line);
    rg_log(RG_LOG_W, "train",
           "batch=%llu loss=%s first_example=%s:%llu \"the loss is no number any more, and "
           "weights soon are none either; FLAGS_check_nan_inf=1 stops at the op that makes the "
           "first NaN or Inf, and names it\"",
           (unsigned long long)number,
           isnan(loss) ? "nan"
           : loss > 0  ? "inf"
                       : "-inf",
           known ? rg_dataset_file(t->config->dataset, file) : "?",
           known ? (unsigned long long)line : 0);
}

static rg_status run_batch(rg_train *t, int thread, uint64_t rows)
{
    worker *w = &t->workers[thread];
    RG_TRY(rg_plan_run(w->plan));
    atomic_fetch_add(&w->batches, 1);
    atomic_fetch_add(&w->rows, rows);
    rg_tell_batch(t->config->infer, rows);
    uint64_t number = atomic_fetch_add(&t->batches, 1);
    if (!rg_plan_is_on_host(w->plan) && number % READ_EVERY != 0)
        return print_lines(t, w->plan, number);
    if (t->loss >= 0 && is_number(rg_plan_fetch(w->plan, t->loss))) {
        double loss = mean_loss(t, w->plan, rows);
        if (!isfinite(loss))
            warn_of_loss(t, w, number, loss);
        rg_tell_loss(t->config->infer, loss);
        atomic_fetch_add(&w->losses, 1);
        atomic_store(&w->loss_sum, atomic_load(&w->loss_sum) + loss);
    }
    if (t->auc >= 0)
        atomic_store(&w->auc, number_of(rg_plan_fetch(w->plan, t->auc)));
    RG_TRY(print_lines(t, w->plan, number));
    return show_values(t, w->plan);
}

/* That it is part of; NULL: none, so far. */
static rg_job *job_of(const rg_train *t)
{
    rg_job *job = rg_executor_job(t->config->executor);
    return rg_job_is_joined(job) ? job : NULL;
}

/* Rows of the next batch may be read before this one's gradients have arrived: where nothing is
 * trained, or pushes and reads of other trainers fall between each other anyway. */
static bool may_look_ahead(const rg_train *t)
{
    const rg_job *job = job_of(t);
    return job != NULL && (t->config->infer || job->mode->background) &&
           rg_flag_bool("ps_prefetch");
}

static rg_status name_line(const rg_train *t, const worker *w, rg_status code)
{
    const rg_bad_batch of = {.plan = w->plan,
                             .feeds = t->feeds,
                             .n_feeds = t->n_feeds,
                             .origins = &w->origins,
                             .dataset = t->config->dataset};
    return rg_name_line(&of, code);
}

static rg_status next_batch(rg_reader *reader, int seat, rg_batch **batch)
{
    rg_step_part before = rg_step_within(RG_STEP_READ);
    rg_status code = rg_reader_next(reader, seat, batch);
    (void)rg_step_enter(before);
    return code;
}

/* Runs *batch, and brings the one after it: before, where nobody need wait for it. */
static rg_status train_batch(rg_train *t, int thread, bool look_ahead, rg_batch **batch)
{
    worker *w = &t->workers[thread];
    rg_plan *plan = w->plan;
    rg_reader *reader = w->range != NULL ? w->range : t->reader;
    int seat = w->range != NULL ? 0 : thread;
    uint64_t rows = (*batch)->rows;
    rg_origins_clear(&w->origins);
    rg_origins_add_part(&w->origins, 0, &(*batch)->origins, 0, rows);
    for (int i = 0; i < t->n_feeds; i++)
        RG_TRY(rg_plan_feed_copy(plan, i, (*batch)->values[i]));
    bool is_ahead = look_ahead && rg_reader_wait(reader, 0) &&
                    rg_reader_next(reader, seat, batch) == RG_OK;
    if (is_ahead)
        rg_plan_ahead(plan, (*batch)->values);
    rg_status code = run_batch(t, thread, rows);
    if (code != RG_OK)
        return code == RG_EVALUE ? name_line(t, w, code) : code;
    return is_ahead ? RG_OK : next_batch(reader, seat, batch);
}

/* No thread waits any more, for data or for each other. False: that was so already. */
static bool stop_all(rg_train *t)
{
    pthread_mutex_lock(&t->lock);
    bool first = !t->stopping;
    t->stopping = true;
    for (int i = 0; i < t->threads; i++)
        if (t->workers[i].range != NULL)
            rg_reader_stop(t->workers[i].range);
    pthread_mutex_unlock(&t->lock);
    if (t->reader != NULL)
        rg_reader_stop(t->reader);
    rg_pool_halt(t->pool);
    return first;
}

/* Whether the batch was trained on before this process was started again. */
static bool is_skipped(rg_train *t, int thread, const rg_batch *batch)
{
    rg_job *job = t->config->infer ? NULL : job_of(t);
    if (job == NULL || !rg_exchange_skip(job, thread))
        return false;
    worker *w = &t->workers[thread];
    rg_plan_skip(w->plan); /* random numbers go by the number of the step */
    atomic_fetch_add(&w->batches, 1);
    atomic_fetch_add(&w->rows, batch->rows);
    atomic_fetch_add(&t->batches, 1);
    rg_metric_add(RG_M_SKIPPED, 1);
    return true;
}

static rg_status train_all(rg_train *t, int thread, bool look_ahead)
{
    rg_batch *batch;
    rg_status code = next_batch(t->reader, thread, &batch);
    while (code == RG_OK && is_skipped(t, thread, batch))
        code = next_batch(t->reader, thread, &batch);
    if (code == RG_OK && t->threads == 1 && !t->config->infer)
        rg_team_goes_on(&t->team, atomic_load(&t->batches));
    while (code == RG_OK)
        code = train_batch(t, thread, look_ahead, &batch);
    return code;
}

static rg_status open_range(rg_train *t, worker *w, const rg_my_range *mine)
{
    rg_reader *reader;
    const rg_file_range range = {.file = mine->lease.file,
                                 .begin = mine->lease.begin,
                                 .end = mine->lease.end,
                                 .skip = mine->from};
    RG_TRY(rg_reader_open_range(&reader, t->config->dataset, &range));
    pthread_mutex_lock(&t->lock);
    w->range = reader;
    if (t->stopping)
        rg_reader_stop(reader);
    pthread_mutex_unlock(&t->lock);
    return RG_OK;
}

static void close_range(rg_train *t, worker *w)
{
    pthread_mutex_lock(&t->lock);
    rg_reader *reader = w->range;
    w->range = NULL;
    pthread_mutex_unlock(&t->lock);
    rg_reader_close(reader);
}

static rg_status train_range(rg_train *t, int thread, bool look_ahead, const rg_my_range *mine)
{
    worker *w = &t->workers[thread];
    rg_batch *batch;
    RG_TRY(open_range(t, w, mine));
    rg_status code = next_batch(w->range, 0, &batch);
    while (code == RG_OK) {
        code = rg_leases_batch(job_of(t), thread, batch->rows);
        if (code == RG_OK)
            code = train_batch(t, thread, look_ahead, &batch);
    }
    if (code == RG_EOF)
        rg_leases_read(job_of(t), thread);
    close_range(t, w);
    return code == RG_EOF ? RG_OK : code;
}

static bool is_stopping(rg_train *t)
{
    pthread_mutex_lock(&t->lock);
    bool stopping = t->stopping;
    pthread_mutex_unlock(&t->lock);
    return stopping;
}

/* Range after range, until all of the job are done. */
static rg_status train_leased(rg_train *t, int thread, bool look_ahead)
{
    rg_leased_wait wait = {0};
    for (;;) {
        rg_my_range mine;
        rg_lease_answer answer;
        RG_TRY(rg_leases_next(job_of(t), thread, &mine, &answer));
        if (answer == RG_LEASE_OVER)
            return RG_EOF;
        if (is_stopping(t))
            return rg_fail(RG_ECLOSED, "the reading was stopped");
        if (answer == RG_LEASE_RANGE)
            RG_TRY(train_range(t, thread, look_ahead, &mine));
        else
            rg_leased_wait_a_moment(job_of(t), &wait);
    }
}

static rg_status train_thread(rg_train *t, int thread)
{
    bool look_ahead = may_look_ahead(t);
    rg_gemm_threads(1);
    rg_step_part before = rg_step_enter(t->config->infer ? RG_STEP_NONE : RG_STEP_COMPUTE);
    rg_status code = (t->reader != NULL ? train_all : train_leased)(t, thread, look_ahead);
    if (code == RG_EOF) {
        rg_status last = rg_plan_wait(t->workers[thread].plan);
        code = last == RG_OK ? code : last;
    }
    if (code == RG_EOF && job_of(t) != NULL && !t->config->infer) {
        rg_status last = rg_exchange_thread_ends(job_of(t), thread);
        code = last == RG_OK ? code : last;
    }
    (void)rg_step_enter(before);
    if (code == RG_EOF || !stop_all(t))
        code = RG_OK; /* or it ends because another one does, which says why */
    pthread_mutex_lock(&t->lock);
    t->running--;
    pthread_cond_signal(&t->ended);
    pthread_mutex_unlock(&t->lock);
    return code;
}

/* ---- the watcher ---- */

static void sum_up(const rg_train *t, rg_train_result *sum)
{
    double losses = 0;
    uint64_t n_losses = 0;
    *sum = (rg_train_result){.seconds = (double)(rg_clock_ns() - t->began) / 1e9,
                             .loss = (double)NAN,
                             .auc = (double)NAN};
    uint64_t latest = 0;
    for (int i = 0; i < t->threads; i++) {
        uint64_t batches = atomic_load(&t->workers[i].batches);
        sum->rows += atomic_load(&t->workers[i].rows);
        sum->batches += batches;
        losses += atomic_load(&t->workers[i].loss_sum);
        n_losses += atomic_load(&t->workers[i].losses);
        if (batches >= latest && batches > 0) { /* any is of all threads; an idle one is old */
            sum->auc = atomic_load(&t->workers[i].auc);
            latest = batches;
        }
    }
    sum->has_loss = n_losses > 0;
    if (sum->has_loss)
        sum->loss = losses / (double)n_losses;
}

static rg_progress progress_of(rg_train *t)
{
    return t->reader != NULL ? rg_reader_progress(t->reader) : rg_leased_progress(job_of(t));
}

static rg_status watch(rg_train *t)
{
    rg_status code = RG_OK;
    rg_train_result sum;
    pthread_mutex_lock(&t->lock);
    while (t->running > 0) {
        (void)rg_cond_wait(&t->ended, &t->lock, WATCH_NS);
        if (t->running == 0)
            break;
        pthread_mutex_unlock(&t->lock);
        rg_progress progress = progress_of(t);
        sum_up(t, &sum);
        const rg_train_result *all = rg_team_result(&t->team, &sum, false);
        rg_bar_show(t->bar, &progress, &sum, all);
        rg_tell_run(t->config->infer, rg_bar_done(t->bar, &progress, sum.rows), &sum, all);
        if (code == RG_OK && t->config->poll != NULL)
            code = t->config->poll(t->config->arg, t);
        if (code != RG_OK)
            (void)stop_all(t);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return code;
}

/* Thread 0 watches, the others train. */
static rg_status work(void *arg, int thread)
{
    rg_train *t = arg;
    return thread == 0 ? watch(t) : train_thread(t, thread - 1);
}

rg_status rg_train_values(rg_train *t, rg_value *const *values)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&t->lock);
    rg_footer_erase(); /* who asks for values is about to print them */
    if (!t->seen)
        code = rg_fail(RG_ENOENT, "no batch has been run yet");
    for (int i = 0; code == RG_OK && i < t->config->n_watched; i++)
        code = rg_value_copy(values[i], t->seen_values[i]);
    pthread_mutex_unlock(&t->lock);
    return code;
}

rg_status rg_train_run(const rg_train_config *config, rg_train_result *result)
{
    rg_train t = {.config = config, .began = rg_clock_ns(), .warned = ATOMIC_FLAG_INIT};
    pthread_mutex_init(&t.lock, NULL);
    rg_cond_init(&t.ended);
    rg_watch_training(config->infer ? NULL : config->program);
    (void)rg_step_enter(RG_STEP_NONE); /* the caller only watches; its last exe.run is over */
    rg_status code = open_train(&t);
    if (code == RG_OK)
        code = rg_pool_open(&t.pool, t.threads + 1);
    if (code == RG_OK) {
        t.running = t.threads;
        rg_job *job = config->infer ? NULL : job_of(&t);
        if (job != NULL) {
            rg_job_follow(job, config->program);
            code = rg_exchange_threads(job, t.threads);
            if (code == RG_OK && t.reader == NULL)
                code = rg_leased_begin(job, config->dataset, t.threads);
        }
    }
    if (code == RG_OK) {
        t.began = rg_clock_ns();
        code = rg_pool_run(t.pool, work, &t);
        rg_counters_add(&t.counters);
        sum_up(&t, result);
    }
    if (code == RG_OK) {
        rg_progress progress = progress_of(&t);
        const rg_train_result *all = rg_team_result(&t.team, result, true);
        rg_bar_end(t.bar, &progress, all);
        rg_tell_run(config->infer, rg_bar_done(t.bar, &progress, result->rows), result, all);
        if (result->rows == 0 && t.reader != NULL)
            rg_log(RG_LOG_W, "train", "files=%llu \"there was not one example in the data\"",
                   (unsigned long long)progress.files);
        if (!config->infer)
            rg_team_report(&t.team, config->dataset, result->rows);
    }
    if (job_of(&t) != NULL && !config->infer)
        (void)rg_exchange_threads(job_of(&t), 1);
    rg_pool_close(t.pool);
    close_train(&t);
    return code;
}
