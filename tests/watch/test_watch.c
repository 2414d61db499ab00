/* test_watch.c - metrics as text and JSON, and the file that a watched process writes. */
#include "check.h"

#include "base/buf.h"
#include "sys/clock.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/metrics.h"
#include "watch/sampler.h"
#include "watch/tfevents.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/test_watch.XXXXXX";

static void read_file(const char *process, rg_buf *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s.jsonl", folder, process);
    rg_buf_init(text, 0);
    assert_ok(rg_file_read_all(path, 1u << 28, text));
}

static bool has(const rg_buf *text, const char *wanted)
{
    return strstr(rg_buf_cstr(text), wanted) != NULL;
}

static int count(const rg_buf *text, const char *wanted)
{
    int n = 0;
    for (const char *at = rg_buf_cstr(text); (at = strstr(at, wanted)) != NULL; at++)
        n++;
    return n;
}

static void assert_has(const rg_buf *text, const char *wanted)
{
    if (!has(text, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, rg_buf_cstr(text));
}

static void collect_tables(void *arg)
{
    (void)arg;
    rg_metric_add_for(RG_M_TABLE_ROWS, "emb\"1\\", 3);
    rg_metric_add_for(RG_M_TABLE_ROWS, "emb\"1\\", 4); /* another shard of it */
    rg_metric_add_for(RG_M_TABLE_ROWS, "wide", 5);
}

static void metrics_are_shown_as_prometheus_wants_them(void **state)
{
    (void)state;
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_metrics_role(RG_OF_WORKER);
    rg_metric_add(RG_M_EXAMPLES, 64);
    rg_metric_add(RG_M_STEP_PULL, 1500000000);
    rg_metric_mean(RG_M_LOSS, 0.5);
    rg_metric_mean(RG_M_LOSS, 1.0);
    assert_ok(rg_metrics_collect(collect_tables, NULL));
    rg_metrics_tick();
    rg_metrics_leave(collect_tables, NULL);
    rg_metrics_text(&text);
    assert_has(&text, "# TYPE regatta_examples_total counter\nregatta_examples_total 64\n");
    assert_has(&text, "regatta_step_seconds_total{part=\"pull\"} 1.5\n");
    assert_has(&text, "regatta_step_seconds_total{part=\"push\"} 0\n"); /* ours, from the start */
    assert_has(&text, "# TYPE regatta_loss gauge\nregatta_loss 0.75\n");
    assert_has(&text, "regatta_table_rows{table=\"emb\\\"1\\\\\"} 7\n");
    assert_has(&text, "regatta_table_rows{table=\"wide\"} 5\n");
    assert_int_equal(count(&text, "# TYPE regatta_step_seconds_total "), 1);
    assert_false(has(&text, "regatta_pushes_total")); /* a server's */
    assert_false(has(&text, "regatta_auc"));          /* nobody has set it */
    rg_buf_clear(&text);
    rg_metrics_json(&text);
    assert_has(&text, "\"regatta_table_rows{table=\\\"emb\\\\\\\"1\\\\\\\\\\\"}\":7");
    assert_has(&text, "\"regatta_loss\":0.75");
    rg_buf_fini(&text);
}

static void times_are_a_histogram(void **state)
{
    (void)state;
    static const char wanted[] = "# TYPE regatta_batch_seconds histogram\n"
                                 "regatta_batch_seconds_bucket{le=\"0.001\"} 1\n"
                                 "regatta_batch_seconds_bucket{le=\"0.003\"} 1\n"
                                 "regatta_batch_seconds_bucket{le=\"0.01\"} 3\n"
                                 "regatta_batch_seconds_bucket{le=\"0.03\"} 3\n"
                                 "regatta_batch_seconds_bucket{le=\"0.1\"} 3\n"
                                 "regatta_batch_seconds_bucket{le=\"0.3\"} 3\n"
                                 "regatta_batch_seconds_bucket{le=\"1\"} 3\n"
                                 "regatta_batch_seconds_bucket{le=\"3\"} 3\n"
                                 "regatta_batch_seconds_bucket{le=\"10\"} 3\n"
                                 "regatta_batch_seconds_bucket{le=\"+Inf\"} 4\n"
                                 "regatta_batch_seconds_sum 11.018\n"
                                 "regatta_batch_seconds_count 4\n";
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_metrics_role(RG_OF_WORKER);
    rg_metric_time(RG_M_BATCH_TIME, 1000000); /* at its bound: in it */
    rg_metric_time(RG_M_BATCH_TIME, 7000000);
    rg_metric_time(RG_M_BATCH_TIME, 10000000);
    rg_metric_time(RG_M_BATCH_TIME, 11000000000);
    rg_metrics_text(&text);
    assert_has(&text, wanted);
    rg_buf_clear(&text);
    rg_metrics_json(&text);
    assert_has(&text, "\"regatta_batch_seconds_bucket{le=\\\"0.01\\\"}\":3");
    /* A batch has the time of its own parts, from the first to the last. */
    rg_step_done(); /* in no step */
    (void)rg_step_enter(RG_STEP_READ);
    (void)rg_step_enter(RG_STEP_COMPUTE);
    rg_step_done();
    rg_step_done();
    (void)rg_step_enter(RG_STEP_NONE);
    rg_buf_clear(&text);
    rg_metrics_text(&text);
    assert_has(&text, "regatta_batch_seconds_bucket{le=\"10\"} 5\n");
    assert_has(&text, "regatta_batch_seconds_count 6\n");
    rg_buf_fini(&text);
}

static void a_nan_is_seen(void **state)
{
    (void)state;
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_metric_mean(RG_M_LOSS, (double)NAN);
    rg_metrics_tick();
    rg_metric_set(RG_M_AUC, (double)INFINITY);
    rg_metrics_text(&text);
    assert_has(&text, "\nregatta_loss NaN\n");
    assert_has(&text, "\nregatta_auc +Inf\n");
    rg_buf_clear(&text);
    rg_metrics_json(&text);
    assert_has(&text, "\"regatta_loss\":\"NaN\"");
    rg_metric_mean(RG_M_LOSS, 0.25); /* and over when it is over */
    rg_metrics_tick();
    rg_buf_clear(&text);
    rg_metrics_text(&text);
    assert_has(&text, "\nregatta_loss 0.25\n");
    rg_buf_fini(&text);
}

enum { ADDERS = 4, ADDS = 20000 };

static void *add_many(void *arg)
{
    (void)arg;
    for (int i = 0; i < ADDS; i++) {
        rg_metric_add(RG_M_BATCHES, 1);
        if (i % 64 == 0)
            rg_metric_mean(RG_M_TEST_LOSS, 2);
    }
    return NULL;
}

static void threads_lose_no_count(void **state)
{
    (void)state;
    pthread_t threads[ADDERS];
    rg_buf text;
    rg_buf_init(&text, 0);
    for (int i = 0; i < ADDERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
    for (int i = 0; i < 50; i++) {
        rg_metrics_tick();
        rg_buf_clear(&text);
        rg_metrics_text(&text);
    }
    for (int i = 0; i < ADDERS; i++)
        (void)pthread_join(threads[i], NULL);
    assert_int_equal(rg_metric_count(RG_M_BATCHES), ADDERS * ADDS);
    rg_buf_fini(&text);
}

static void wait_for(const char *process, const char *wanted, int times)
{
    rg_buf text;
    for (int i = 0; i < 3000; i++) {
        read_file(process, &text);
        int n = count(&text, wanted);
        rg_buf_fini(&text);
        if (n >= times)
            return;
        rg_clock_sleep(10000000);
    }
    fail_msg("no '%s' in 30 s", wanted);
}

static void a_process_tells_its_start_its_samples_and_its_end(void **state)
{
    (void)state;
    rg_buf text;
    assert_ok(rg_flag_set("watch_dir", folder));
    assert_ok(rg_flag_set("watch_seconds", "0.02"));
    const rg_watch_who me = {.process = "worker.7", .role = RG_OF_WORKER};
    rg_watch_start(&me);
    rg_watch_start(&me); /* again: nothing more */
    assert_true(rg_watch_is_on());
    wait_for("worker.7", "\"m\":{", 3);
    rg_metric_add(RG_M_EXAMPLES, 1000);
    rg_event("evicted", NULL, "%d rows of \"%s\"", 3, "emb\n");
    pid_t child = fork(); /* it is nobody who is watched */
    if (child == 0) {
        rg_event("error", NULL, "from a child");
        _exit(rg_watch_is_on() ? 1 : 0);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    rg_watch_failed("it had enough");
    rg_watch_end(3);
    read_file("worker.7", &text);
    assert_int_equal(count(&text, "\"start\":{\"process\":\"worker.7\",\"pid\":"), 1);
    assert_has(&text, "\"regatta_examples_total\":1064"); /* the last sample, at the end */
    assert_has(&text, "\"event\":\"evicted\",\"who\":\"worker.7\",\"text\":\"3 rows of "
                      "\\\"emb\\\\n\\\"\"}\n");
    assert_has(&text, "\"event\":\"error\",\"who\":\"worker.7\",\"text\":\"it had enough\"}\n");
    assert_has(&text, ",\"end\":{\"status\":3}}\n");
    assert_false(has(&text, "from a child"));
    /* A value that does not change is said once. */
    assert_int_equal(count(&text, "\"regatta_process_start_time_seconds\":"), 1);
    rg_buf_fini(&text);
}

static void one_started_again_goes_on_behind_half_a_line(void **state)
{
    (void)state;
    rg_buf text;
    char path[256];
    (void)snprintf(path, sizeof path, "%s/server.0.jsonl", folder);
    assert_ok(rg_file_write_all(path, "{\"t\":1,\"m\"", 10));
    rg_watch_start(&(rg_watch_who){.process = "server.0", .endpoint = "h:1", .role = RG_OF_SERVER});
    rg_watch_end(0);
    read_file("server.0", &text);
    assert_has(&text, "{\"t\":1,\"m\"\n{\"t\":");
    assert_has(&text, "\"endpoint\":\"h:1\"");
    assert_has(&text, "\"regatta_pushes_total\":0");
    rg_buf_fini(&text);
}

static void a_file_that_is_large_gets_fewer_samples_and_says_so(void **state)
{
    (void)state;
    rg_buf text;
    assert_ok(rg_flag_set("watch_seconds", "0.01"));
    rg_watch_thin_at(500);
    rg_watch_start(&(rg_watch_who){.process = "worker.8", .role = RG_OF_WORKER});
    wait_for("worker.8", "\"thinned\":4}\n", 1);
    rg_watch_end(0);
    read_file("worker.8", &text);
    assert_int_equal(count(&text, "\"thinned\":2}\n"), 1);
    rg_buf_fini(&text);
}

/* record_tfevents.py prints them. */
static const char golden_events[] =
    "1800000000000000a37f4b220900002040fc54d9411a0d627261696e2e4576656e743a322b353110"
    "3200000000000000241956ec0900005040fc54d94110ac022a240a110a0a6c6f73732f747261696e"
    "150000003f0a0f0a086175632f74657374150000403f7697b5eb";

static void records_are_those_of_tensorboard(void **state)
{
    (void)state;
    rg_buf out, hex;
    rg_buf_init(&out, 0);
    rg_buf_init(&hex, 0);
    rg_tf_version(&out, 1700000000.5);
    rg_tf_scalars(&out, 1700000001.25, 300,
                  (const rg_tf_scalar[]){{"loss/train", 0.5f}, {"auc/test", 0.75f}}, 2);
    for (size_t i = 0; i < out.len; i++)
        rg_buf_printf(&hex, "%02x", out.data[i]);
    assert_string_equal(rg_buf_cstr(&hex), golden_events);
    rg_buf_fini(&out);
    rg_buf_fini(&hex);
}

static void a_folder_that_cannot_be_is_no_reason_not_to_train(void **state)
{
    (void)state;
    assert_ok(rg_flag_set("watch_dir", "/dev/null/x"));
    rg_watch_start(&(rg_watch_who){.process = "worker.0", .role = RG_OF_WORKER});
    assert_false(rg_watch_is_on());
    rg_event("lost", NULL, "nobody hears it");
    assert_ok(rg_dir_remove(folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_shown_as_prometheus_wants_them),
        cmocka_unit_test(times_are_a_histogram),
        cmocka_unit_test(a_nan_is_seen),
        cmocka_unit_test(threads_lose_no_count),
        cmocka_unit_test(a_process_tells_its_start_its_samples_and_its_end),
        cmocka_unit_test(one_started_again_goes_on_behind_half_a_line),
        cmocka_unit_test(a_file_that_is_large_gets_fewer_samples_and_says_so),
        cmocka_unit_test(records_are_those_of_tensorboard),
        cmocka_unit_test(a_folder_that_cannot_be_is_no_reason_not_to_train),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
