/* sampler.c - lines of samples, and the thread that writes them. */
#include "watch/sampler.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "rpc/credentials.h"
#include "sys/clock.h"
#include "sys/cond.h"
#include "sys/events.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/job_env.h"
#include "sys/log.h"
#include "sys/process.h"
#include "watch/curves.h"
#include "watch/expose.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t THIN_AT = 64u << 20;

/* What was written last of each series, by its slot. */
typedef struct seen {
    double value;
    bool has;
} seen;

static struct {
    pthread_mutex_t lock; /* of all below; taken before the locks of sys/metrics.c and events.c */
    pthread_cond_t wake;
    pthread_t thread;
    bool on, ending, hooked;
    rg_http *http;     /* NULL: none */
    rg_curves *curves; /* likewise */
    uint64_t every_ns, thin_at, stride, ticks;
    seen *seen;
    size_t cap_seen;
    char why[1024], name[64];
} w = {.lock = PTHREAD_MUTEX_INITIALIZER, .thin_at = THIN_AT};

/* ---- lines ---- */

typedef struct sample_writer {
    rg_buf *out;
    size_t n;
} sample_writer;

static bool make_room(size_t slot)
{
    if (slot < w.cap_seen)
        return true;
    size_t room = 2 * (slot + 64);
    seen *more = rg_realloc(w.seen, room * sizeof *more);
    if (more == NULL)
        return false;
    memset(more + w.cap_seen, 0, (room - w.cap_seen) * sizeof *more);
    w.seen = more;
    w.cap_seen = room;
    return true;
}

/* Bits are compared: a NaN that stays one did not change. */
static bool is_news(const rg_sample *sample)
{
    return !make_room(sample->slot) || !w.seen[sample->slot].has ||
           memcmp(&w.seen[sample->slot].value, &sample->value, sizeof sample->value) != 0;
}

static void see(void *arg, const rg_sample *sample)
{
    sample_writer *to = arg;
    if (!is_news(sample))
        return;
    if (to->n++ > 0)
        rg_buf_char(to->out, ',');
    rg_sample_key(to->out, sample);
    rg_buf_char(to->out, ':');
    rg_json_number(to->out, sample->value);
    if (sample->slot < w.cap_seen)
        w.seen[sample->slot] = (seen){sample->value, true};
}

/* A disk that is full ends the curves, not the job. */
static void write_curves(void)
{
    if (w.curves == NULL || rg_curves_write(w.curves) == RG_OK)
        return;
    rg_log(RG_LOG_W, "watch", "\"the curves for TensorBoard end here\" why=\"%s\"",
           rg_error_message());
    rg_curves_close(w.curves);
    w.curves = NULL;
}

/* The lock is held. */
static void write_sample(void)
{
    rg_buf line;
    rg_buf_init(&line, 0);
    rg_buf_text(&line, "\"m\":{");
    sample_writer to = {&line, 0};
    rg_metrics_each(see, &to);
    rg_buf_char(&line, '}');
    if (to.n > 0 && rg_buf_status(&line) == RG_OK)
        rg_watch_line(rg_buf_cstr(&line));
    rg_buf_fini(&line);
}

/* Half as many from here on, and half of those when it has grown by half as much again. */
static void thin_out(void)
{
    char text[64];
    if (rg_watch_file_bytes() < w.thin_at)
        return;
    w.stride *= 2;
    w.thin_at += w.thin_at / 2;
    (void)snprintf(text, sizeof text, "\"thinned\":%llu", (unsigned long long)w.stride);
    rg_watch_line(text);
}

static void write_start(const rg_watch_who *who, const rg_credentials *credentials,
                        const char *metrics)
{
    rg_buf line;
    char host[256];
    rg_buf_init(&line, 0);
    rg_host_name(host, sizeof host);
    rg_buf_text(&line, "\"start\":{\"process\":");
    rg_json_string(&line, who->process);
    rg_buf_printf(&line, ",\"pid\":%ld", rg_process_id());
    rg_json_add_text(&line, "host", host);
    rg_json_add_text(&line, "job", credentials->job);
    rg_buf_printf(&line, ",\"incarnation\":%u", (unsigned)credentials->incarnation);
    rg_json_add_text(&line, "endpoint", who->endpoint != NULL ? who->endpoint : "");
    rg_json_add_text(&line, "version", RG_VERSION);
    if (metrics[0] != '\0')
        rg_json_add_text(&line, "metrics", metrics);
    rg_buf_char(&line, '}');
    if (rg_buf_status(&line) == RG_OK)
        rg_watch_line(rg_buf_cstr(&line));
    rg_buf_fini(&line);
}

/* ---- the thread ---- */

/* Without the lock: collectors may want others. */
static void tick(void)
{
    rg_metrics_tick();
    pthread_mutex_lock(&w.lock);
    if (!w.ending && w.ticks++ % w.stride == 0) {
        write_sample();
        write_curves();
        thin_out();
    }
    pthread_mutex_unlock(&w.lock);
    rg_metric_is(RG_M_WATCH, rg_clock_thread_ns());
}

static void *sampler(void *arg)
{
    (void)arg;
    rg_thread_waits_its_turn();
    pthread_mutex_lock(&w.lock);
    while (!w.ending) {
        bool woken = rg_cond_wait(&w.wake, &w.lock, w.every_ns);
        if (woken || w.ending)
            continue;
        pthread_mutex_unlock(&w.lock);
        tick();
        pthread_mutex_lock(&w.lock);
    }
    pthread_mutex_unlock(&w.lock);
    return NULL;
}

void rg_watch_end(int status)
{
    char line[64];
    pthread_mutex_lock(&w.lock);
    bool on = w.on && !w.ending;
    w.ending = w.on;
    pthread_cond_signal(&w.wake);
    pthread_mutex_unlock(&w.lock);
    if (!on)
        return;
    (void)pthread_join(w.thread, NULL);
    rg_http_close(w.http);
    w.http = NULL;
    rg_metrics_tick();
    pthread_mutex_lock(&w.lock);
    write_sample();
    write_curves();
    rg_curves_close(w.curves);
    w.curves = NULL;
    if (status != 0)
        rg_event("error", NULL, "%s", w.why[0] != '\0' ? w.why : "its log says why it failed");
    else
        rg_event("finished", NULL, "all done");
    (void)snprintf(line, sizeof line, "\"end\":{\"status\":%d}", status);
    rg_watch_line(line);
    rg_watch_file_close();
    w.on = w.ending = false;
    rg_free(w.seen);
    w.seen = NULL;
    w.cap_seen = 0;
    pthread_mutex_unlock(&w.lock);
}

/* Threads of the parent are not here, and its lock may be held. */
static void in_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    w.lock = fresh;
    w.on = w.ending = false;
    w.http = NULL; /* the parent's, as are these */
    w.curves = NULL;
}

static uint64_t period_ns(void)
{
    const char *text = "1";
    (void)rg_flag_text("watch_seconds", &text);
    double seconds = strtod(text, NULL);
    return seconds >= 0.01 && seconds < 1e6 ? (uint64_t)(seconds * 1e9) : 1000000000u;
}

/* What cannot be shown over HTTP is written all the same. */
static void expose(char *address, size_t size)
{
    if (rg_expose_open(&w.http, address, size) != RG_OK)
        rg_log(RG_LOG_W, "watch", "\"metrics are not served\" why=\"%s\"", rg_error_message());
}

/* The lock is held. */
static rg_status start(const rg_watch_who *who)
{
    rg_credentials credentials;
    const char *folder = "";
    char metrics[300] = "";
    RG_TRY(rg_credentials_read(&credentials));
    (void)rg_flag_text("watch_dir", &folder);
    if (folder[0] != '\0')
        RG_TRY(rg_watch_file_open(folder, who->process));
    (void)snprintf(w.name, sizeof w.name, "%s", who->process);
    rg_metrics_role(who->role);
    rg_metric_set(RG_M_START_TIME, rg_clock_unix());
    RG_TRY(rg_curves_open(&w.curves, who->process, who->role));
    expose(metrics, sizeof metrics);
    write_start(who, &credentials, metrics);
    rg_cond_init(&w.wake);
    w.every_ns = period_ns();
    w.stride = 1;
    w.ticks = 0;
    if (pthread_create(&w.thread, NULL, sampler, NULL) != 0)
        return rg_fail(RG_EIO, "cannot start a thread");
    w.on = true;
    return RG_OK;
}

static bool is_wanted(void)
{
    const char *folder = "", *curves = "";
    (void)rg_flag_text("watch_dir", &folder);
    (void)rg_flag_text("tensorboard_dir", &curves);
    return folder[0] != '\0' || curves[0] != '\0' || rg_expose_is_wanted();
}

void rg_watch_start(const rg_watch_who *who)
{
    if (!is_wanted())
        return;
    pthread_mutex_lock(&w.lock);
    rg_status code = w.on ? RG_OK : start(who);
    if (code != RG_OK)
        rg_watch_file_close();
    if (code == RG_OK && !w.hooked) {
        rg_process_on_fork(in_child);
        rg_process_on_exit(rg_watch_end);
        w.hooked = true;
    }
    pthread_mutex_unlock(&w.lock);
    if (code != RG_OK)
        rg_log(RG_LOG_W, "watch", "process=%s \"is not watched\" why=\"%s\"", who->process,
               rg_error_message());
}

static int number_here(void)
{
    rg_job_env env;
    if (rg_job_env_here(&env) != RG_OK)
        return 0;
    int number = env.trainer_id > 0 ? env.trainer_id : 0;
    rg_job_env_fini(&env);
    return number;
}

void rg_watch_trainer(int number)
{
    char name[32];
    if (!is_wanted() || rg_watch_is_on())
        return;
    (void)snprintf(name, sizeof name, "worker.%d", number >= 0 ? number : number_here());
    rg_watch_start(&(rg_watch_who){.process = name, .role = RG_OF_WORKER});
}

bool rg_watch_is_on(void)
{
    pthread_mutex_lock(&w.lock);
    bool on = w.on;
    pthread_mutex_unlock(&w.lock);
    return on;
}

const char *rg_watch_name(void)
{
    return w.name;
}

void rg_watch_failed(const char *why)
{
    pthread_mutex_lock(&w.lock);
    if (w.on)
        (void)snprintf(w.why, sizeof w.why, "%s", why);
    pthread_mutex_unlock(&w.lock);
}

void rg_watch_thin_at(uint64_t bytes)
{
    pthread_mutex_lock(&w.lock);
    w.thin_at = bytes;
    pthread_mutex_unlock(&w.lock);
}
