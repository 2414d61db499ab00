/* curves.c - points of curves, from the metrics of now and those of the time before. */
#include "watch/curves.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/process.h"
#include "watch/tfevents.h"

#include <math.h>
#include <string.h>

/* VALUE: as it is, when it has changed; RATE: its growth a second; PER_BATCH: a batch, in ms. */
typedef enum how { VALUE, RATE, PER_BATCH } how;

typedef struct curve {
    const char *tag;
    rg_metric metric;
    how how;
    rg_metric_whose whose;
} curve;

static const curve curves[] = {
    {"loss/train", RG_M_LOSS, VALUE, RG_OF_WORKER},
    {"loss/test", RG_M_TEST_LOSS, VALUE, RG_OF_WORKER},
    {"loss/all_workers", RG_M_GLOBAL_LOSS, VALUE, RG_OF_WORKER},
    {"auc/train", RG_M_AUC, VALUE, RG_OF_WORKER},
    {"auc/test", RG_M_TEST_AUC, VALUE, RG_OF_WORKER},
    {"speed/examples_per_second", RG_M_EXAMPLES, RATE, RG_OF_WORKER},
    {"speed/all_workers_examples_per_second", RG_M_GLOBAL_RATE, VALUE, RG_OF_WORKER},
    {"step_ms/read", RG_M_STEP_READ, PER_BATCH, RG_OF_WORKER},
    {"step_ms/pull", RG_M_STEP_PULL, PER_BATCH, RG_OF_WORKER},
    {"step_ms/compute", RG_M_STEP_COMPUTE, PER_BATCH, RG_OF_WORKER},
    {"step_ms/push", RG_M_STEP_PUSH, PER_BATCH, RG_OF_WORKER},
    {"step_ms/wait", RG_M_STEP_WAIT, PER_BATCH, RG_OF_WORKER},
    {"server/busy_loops", RG_M_BUSY, RATE, RG_OF_SERVER},
    {"server/pushes_per_second", RG_M_PUSHES, RATE, RG_OF_SERVER},
    {"server/pulls_per_second", RG_M_PULLS, RATE, RG_OF_SERVER},
    {"server/table_lookups_per_second", RG_M_LOOKUPS, RATE, RG_OF_SERVER},
    {"process/cpu_cores", RG_M_CPU, RATE, RG_OF_ANY},
    {"process/resident_bytes", RG_M_RESIDENT, VALUE, RG_OF_ANY},
    {"process/sent_bytes_per_second", RG_M_SENT, RATE, RG_OF_ANY},
    {"process/received_bytes_per_second", RG_M_RECEIVED, RATE, RG_OF_ANY},
};
enum { CURVES = sizeof curves / sizeof curves[0] };

struct rg_curves {
    rg_file *events, *table;
    rg_metric_whose role;
    double began, last; /* seconds since 1970 */
    struct {
        double value;
        bool has;
    } now[RG_METRICS], before[RG_METRICS];
};

static bool is_ours(const rg_curves *c, const curve *each)
{
    return each->whose == RG_OF_ANY || each->whose == c->role;
}

/* ---- files ---- */

static rg_status write_text(rg_file *file, const rg_buf *text)
{
    RG_TRY(rg_buf_status(text));
    return rg_file_append(file, &(rg_iov){text->data, text->len}, 1);
}

static rg_status open_events(rg_curves *c, const char *folder)
{
    char host[256];
    rg_buf text;
    rg_host_name(host, sizeof host);
    rg_buf_init(&text, 0);
    rg_buf_printf(&text, "%s/events.out.tfevents.%.0f.%s.%ld", folder, floor(c->began), host,
                  rg_process_id());
    rg_status code = rg_buf_status(&text);
    if (code == RG_OK)
        code = rg_file_create(&c->events, rg_buf_cstr(&text));
    rg_buf_clear(&text);
    rg_tf_version(&text, c->began);
    if (code == RG_OK)
        code = write_text(c->events, &text);
    rg_buf_fini(&text);
    return code;
}

/* One that is started again goes on with the table of the one before. */
static rg_status open_table(rg_curves *c, const char *folder)
{
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_buf_printf(&text, "%s/metrics.csv", folder);
    rg_status code = rg_buf_status(&text);
    if (code == RG_OK)
        code = rg_file_extend(&c->table, rg_buf_cstr(&text));
    rg_buf_clear(&text);
    rg_buf_text(&text, "time,step");
    for (int i = 0; i < CURVES; i++)
        if (is_ours(c, &curves[i]))
            rg_buf_printf(&text, ",%s", curves[i].tag);
    rg_buf_char(&text, '\n');
    if (code == RG_OK && rg_file_offset(c->table) == 0)
        code = write_text(c->table, &text);
    rg_buf_fini(&text);
    return code;
}

rg_status rg_curves_open(rg_curves **out, const char *process, rg_metric_whose role)
{
    const char *folder = "";
    rg_buf path;
    *out = NULL;
    (void)rg_flag_text("tensorboard_dir", &folder);
    if (folder[0] == '\0')
        return RG_OK;
    rg_curves *c = rg_alloc_zero(1, sizeof *c);
    if (c == NULL)
        return rg_no_memory(sizeof *c, "curves");
    c->role = role;
    c->began = c->last = rg_clock_unix();
    rg_buf_init(&path, 4096);
    rg_buf_printf(&path, "%s/%s", folder, process);
    rg_status code = rg_buf_status(&path);
    if (code == RG_OK)
        code = rg_dir_make(rg_buf_cstr(&path));
    if (code == RG_OK)
        code = open_events(c, rg_buf_cstr(&path));
    if (code == RG_OK)
        code = open_table(c, rg_buf_cstr(&path));
    rg_buf_fini(&path);
    if (code == RG_OK)
        *out = c;
    else
        rg_curves_close(c);
    return code == RG_OK ? RG_OK : rg_context(code, "FLAGS_tensorboard_dir");
}

void rg_curves_close(rg_curves *c)
{
    if (c == NULL)
        return;
    rg_file_close(c->events);
    rg_file_close(c->table);
    rg_free(c);
}

/* ---- points ---- */

static void see(void *arg, const rg_sample *sample)
{
    rg_curves *c = arg;
    if (sample->slot < RG_METRICS) {
        c->now[sample->slot].value = sample->value;
        c->now[sample->slot].has = true;
    }
}

static double growth(const rg_curves *c, rg_metric metric)
{
    return c->now[metric].value - c->before[metric].value;
}

/* Whether the curve has a point now; is_new: that it did not have before. */
static bool point_of(const rg_curves *c, const curve *each, double seconds, double *point,
                     bool *is_new)
{
    rg_metric metric = each->metric;
    *is_new = true;
    if (!is_ours(c, each) || !c->now[metric].has)
        return false;
    if (each->how == VALUE) {
        *point = c->now[metric].value;
        *is_new = !c->before[metric].has ||
                  memcmp(point, &c->before[metric].value, sizeof *point) != 0;
        return true;
    }
    double by = each->how == RATE ? seconds : growth(c, RG_M_BATCHES) / 1000;
    *point = by > 0 ? growth(c, metric) / by : 0;
    return by > 0;
}

static int64_t step_of(const rg_curves *c, double time)
{
    if (c->role == RG_OF_WORKER)
        return (int64_t)(c->now[RG_M_BATCHES].value + c->now[RG_M_SKIPPED].value);
    return (int64_t)(time - c->began);
}

static void add_cell(rg_buf *row, double point)
{
    if (isnan(point))
        rg_buf_text(row, "nan");
    else if (isinf(point))
        rg_buf_text(row, point > 0 ? "inf" : "-inf");
    else
        rg_buf_printf(row, "%.9g", point);
}

rg_status rg_curves_write(rg_curves *c)
{
    rg_tf_scalar scalars[CURVES];
    size_t n = 0;
    rg_buf row, record;
    double time = rg_clock_unix(), seconds = time - c->last;
    rg_metrics_each(see, c);
    rg_buf_init(&row, 0);
    rg_buf_init(&record, 0);
    rg_buf_printf(&row, "%.3f,%lld", time, (long long)step_of(c, time));
    for (int i = 0; i < CURVES; i++) {
        double point;
        bool is_new;
        if (is_ours(c, &curves[i]))
            rg_buf_char(&row, ',');
        if (!point_of(c, &curves[i], seconds, &point, &is_new))
            continue;
        add_cell(&row, point);
        if (is_new)
            scalars[n++] = (rg_tf_scalar){curves[i].tag, (float)point};
    }
    rg_buf_char(&row, '\n');
    rg_tf_scalars(&record, time, step_of(c, time), scalars, n);
    rg_status code = n > 0 ? write_text(c->events, &record) : RG_OK;
    if (code == RG_OK && n > 0)
        code = write_text(c->table, &row);
    memcpy(c->before, c->now, sizeof c->before);
    c->last = time;
    rg_buf_fini(&row);
    rg_buf_fini(&record);
    return code;
}
