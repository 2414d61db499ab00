/* test_job_state.c - a job's state from the files of its processes: as they grow, and afterwards.
 */
#include "check.h"

#include "base/json.h"
#include "base/mem.h"
#include "sys/file.h"
#include "watch/state.h"
#include "watch/tail.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];

static int begin(void **state)
{
    char path[128];
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/regatta-watch-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/watch", folder);
    return rg_dir_make(path) == RG_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    return rg_dir_remove(folder) == RG_OK ? 0 : -1;
}

static void write_lines(const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/watch/%s.jsonl", folder, name);
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    (void)fputs(text, f);
    (void)fclose(f);
}

#define START(t, pid, life)                                                                      \
    "{\"t\":" #t ",\"start\":{\"process\":\"worker.0\",\"pid\":" #pid                            \
    ",\"host\":\"h\",\"job\":\"j1\",\"incarnation\":" #life ",\"endpoint\":\"\"}}\n"

static rg_watch_state *opened(double now)
{
    rg_watch_state *s;
    assert_ok(rg_watch_state_open(&s, folder));
    assert_ok(rg_watch_state_poll(s, now));
    return s;
}

static char *json_of(const rg_watch_state *s)
{
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_watch_state_json(s, &out);
    assert_ok(rg_buf_status(&out));
    return rg_buf_take(&out);
}

static void assert_holds(const char *text, const char *wanted)
{
    if (strstr(text, wanted) == NULL)
        fail_msg("'%s' is not in %s", wanted, text);
}

/* ---- reading ---- */

static void a_file_is_read_as_it_grows_and_its_unfinished_line_later(void **state)
{
    (void)state;
    write_lines("worker.0", START(100, 7, 0) "{\"t\":101,\"m\":{\"regatta_examples_total\":50");
    rg_watch_state *s = opened(101);
    rg_watched *p = rg_watch_state_process(s, "worker.0");
    assert_int_equal(p->pid, 7);
    assert_true(rg_watch_examples(s) == 0);
    write_lines("worker.0", "0}}\n");
    assert_ok(rg_watch_state_poll(s, 101.5));
    assert_true(rg_watch_examples(s) == 500);
    assert_int_equal(s->bad_lines, 0);
    rg_watch_state_close(s);
}

static void what_a_process_counted_before_it_died_stays(void **state)
{
    (void)state;
    write_lines("worker.0",
                START(100, 7, 0) "{\"t\":101,\"m\":{\"regatta_examples_total\":500}}\n" START(
                    110, 8, 1) "{\"t\":111,\"m\":{\"regatta_examples_total\":20}}\n");
    rg_watch_state *s = opened(111);
    assert_true(rg_watch_examples(s) == 520);
    assert_int_equal(rg_watch_state_process(s, "worker.0")->incarnation, 1);
    rg_watch_state_close(s);
}

static void lines_that_cannot_be_read_are_counted_and_passed_over(void **state)
{
    (void)state;
    write_lines("worker.0", "nonsense\n{\"t\":\"no\"}\n{}\n[1,2]\n\xff\xfe\n"
                            "{\"t\":101,\"m\":{\"regatta_loss\":\"NaN\",\"x\":[[[]],{}]}}\n"
                            "{\"t\":102,\"m\":{\"regatta_examples_total\":3}}\n");
    write_lines("worker.x", "{\"t\":1}\n");
    rg_watch_state *s = opened(102);
    assert_true(rg_watch_examples(s) == 3);
    assert_int_equal(s->bad_lines, 6);
    /* A NaN is shown, not hidden. */
    char *json = json_of(s);
    assert_holds(json, "\"loss\":\"NaN\"");
    rg_free(json);
    rg_watch_state_close(s);
}

/* The page reads it as JSON, which has neither NaN nor an infinity: they come as texts. */
static void numbers_that_json_has_not_leave_the_state_readable(void **state)
{
    static const char *const raw[] = {":nan", ":-nan", ":inf", ":-inf"};
    (void)state;
    write_lines("worker.0", START(100, 7, 0) "{\"t\":101,\"m\":{"
                                             "\"regatta_table_bytes{table=\\\"a\\\"}\":\"NaN\","
                                             "\"regatta_table_rows{table=\\\"a\\\"}\":\"-Inf\","
                                             "\"regatta_step_seconds_total{part=\\\"read\\\"}\":"
                                             "\"+Inf\"}}\n"
                                             "{\"t\":101,\"end\":{\"status\":0}}\n");
    rg_watch_state *s = opened(101);
    char *json = json_of(s);
    assert_holds(json, "],\"bytes\":\"NaN\"");
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        if (strstr(json, raw[i]) != NULL)
            fail_msg("'%s' is in %s", raw[i], json);
    rg_free(json);
    rg_watch_state_close(s);
}

static void texts_of_others_cannot_break_what_is_shown(void **state)
{
    (void)state;
    write_lines("worker.0",
                "{\"t\":101,\"event\":\"error\",\"who\":\"worker.0\",\"text\":\"</script>\\n"
                "\\\"quoted\\\" \\u0007 \\ud83d\\ude00 \\ud800\"}\n");
    rg_watch_state *s = opened(101);
    char *json = json_of(s);
    assert_holds(json, "</script>\\u000a\\\"quoted\\\" \\u0007 \xf0\x9f\x98\x80 \xef\xbf\xbd");
    rg_json_reader r = {json, json + strlen(json), false};
    assert_true(rg_json_skip(&r) && r.at == r.end);
    rg_free(json);
    rg_watch_state_close(s);
}

static void events_of_all_files_stand_in_the_order_of_time(void **state)
{
    (void)state;
    write_lines("worker.0",
                "{\"t\":103,\"event\":\"started\",\"who\":\"worker.0\",\"text\":\"b\"}\n");
    write_lines("launcher",
                "{\"t\":101,\"event\":\"started\",\"who\":\"server.0\",\"text\":\"a\"}\n"
                "{\"t\":104,\"event\":\"killed\",\"who\":\"worker.1\",\"text\":\"c\"}\n"
                "{\"t\":104,\"state\":{\"worker.0\":\"running\",\"worker.1\":\"dead\"}}\n");
    rg_watch_state *s = opened(104);
    assert_int_equal(s->n_events, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(s->events[i].text[0], "abc"[i]);
    assert_string_equal(rg_watched_state(s, rg_watch_state_process(s, "worker.1")), "dead");
    rg_watch_state_close(s);
}

/* ---- what follows ---- */

#define FORMAT "{\"t\":%d,\"m\":{\"regatta_examples_total\":%d,\"regatta_batches_total\":%d," \
    "\"regatta_process_cpu_seconds_total\":%g,\"regatta_loss\":%g,\"regatta_progress_ratio\":" \
    "%g,\"regatta_step_seconds_total{part=\\\"read\\\"}\":%g," \
    "\"regatta_step_seconds_total{part=\\\"compute\\\"}\":%g," \
    "\"regatta_step_seconds_total{part=\\\"wait\\\"}\":%g}}\n"

/* Two workers in step: the second reads slowly, and the first waits for it. */
static void write_pair(int seconds)
{
    char line[512];
    write_lines("worker.0", START(1000, 1, 0));
    write_lines("worker.1", START(1000, 2, 0));
    for (int i = 1; i <= seconds; i++) {
        for (int w = 0; w < 2; w++) {
            (void)snprintf(line, sizeof line, FORMAT, 1000 + i, 100 * i, i, 0.5 * i,
                           1.0 / i + 0.5 * w, i / 1000.0, w ? 0.8 * i : 0.1 * i, 0.2 * i,
                           w ? 0.0 : 0.7 * i);
            write_lines(w ? "worker.1" : "worker.0", line);
        }
    }
}

static void the_worker_that_others_wait_for_is_named_with_the_reason(void **state)
{
    const char *reason;
    double behind, share[RG_STEP_PARTS];
    (void)state;
    write_pair(10);
    rg_watch_state *s = opened(1010.2);
    const rg_watched *slow = rg_watch_slowest(s, &reason, &behind);
    assert_non_null(slow);
    assert_string_equal(slow->name, "worker.1");
    assert_string_equal(reason, "data");
    assert_true(rg_watched_split(s, slow, share));
    assert_true(fabs(share[0] - 0.8) < 1e-6);
    assert_true(fabs(rg_watch_examples_per_second(s) - 200) < 1e-6);
    assert_true(fabs(rg_watched_rate(s, slow, "regatta_process_cpu_seconds_total") - 0.5) < 1e-6);
    assert_true(fabs(rg_watch_eta(s) - 990) < 1e-3);
    assert_string_equal(rg_watch_status(s), "running");
    rg_watch_state_close(s);
}

static void a_process_that_says_nothing_has_no_speed(void **state)
{
    (void)state;
    write_pair(10);
    rg_watch_state *s = opened(1020);
    assert_true(rg_watch_examples_per_second(s) == 0);
    assert_string_equal(rg_watched_state(s, s->processes[0]), "waiting");
    assert_ok(rg_watch_state_poll(s, 1100));
    assert_string_equal(rg_watch_status(s), "silent");
    rg_watch_state_close(s);
}

static void read_at_once_or_as_it_came_the_curves_are_the_same(void **state)
{
    (void)state;
    rg_watch_state *grown = opened(0);
    enum { SECONDS = 1000 }; /* more than a curve has points */
    write_pair(SECONDS);
    rg_watch_state *whole = opened(2000);
    assert_ok(rg_watch_state_poll(grown, 1500));
    assert_true(whole->loss.n > 100 && whole->loss.n <= RG_SERIES_POINTS);
    char *a = json_of(whole), *b;
    assert_ok(rg_watch_state_poll(grown, 2000));
    b = json_of(grown);
    assert_string_equal(a, b);
    /* From the first to the last of it. */
    rg_point last;
    assert_true(rg_series_last(&whole->examples, &last));
    assert_true(last.v == 2.0 * 100 * SECONDS && last.t == 1000.0 + SECONDS);
    assert_true(whole->examples.points[0].t < 1010);
    rg_free(a);
    rg_free(b);
    rg_watch_state_close(grown);
    rg_watch_state_close(whole);
}

static void tables_are_summed_over_servers_and_their_limit_foretold(void **state)
{
    char line[256];
    (void)state;
    for (int i = 1; i <= 20; i++)
        for (int server = 0; server < 2; server++) {
            (void)snprintf(
                line, sizeof line,
                "{\"t\":%d,\"m\":{\"regatta_table_rows{table=\\\"emb\\\"}\":%d,"
                "\"regatta_table_bytes{table=\\\"emb\\\"}\":%d,"
                "\"regatta_table_limit_bytes\":100000,\"regatta_table_lookups_total\":%d,"
                "\"regatta_table_hits_total\":%d}}\n",
                1000 + i, 10 * i, 1000 * i, 100 * i, 90 * i);
            write_lines(server ? "server.1" : "server.0", line);
        }
    rg_watch_state *s = opened(1020);
    char *json = json_of(s);
    assert_holds(json, "{\"name\":\"emb\",\"rows\":400,\"bytes\":40000}");
    assert_holds(json, "\"limit\":200000,\"lookups\":4000,\"hits\":3600");
    assert_holds(json, "\"grows\":2000,\"full_in\":80");
    rg_free(json);
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_watch_state_metrics(s, &out);
    assert_holds(rg_buf_cstr(&out), "# TYPE regatta_table_lookups_total counter\n"
                                    "regatta_table_lookups_total{process=\"server.0\"} 2000\n"
                                    "regatta_table_lookups_total{process=\"server.1\"} 2000\n");
    assert_holds(rg_buf_cstr(&out), "regatta_table_rows{process=\"server.0\",table=\"emb\"} 200\n");
    rg_buf_fini(&out);
    rg_watch_state_close(s);
}

/* A process that is started again goes on counting, in each bucket too. */
static void histograms_of_processes_are_histograms(void **state)
{
    (void)state;
    static const char start[] =
        "{\"t\":%d,\"start\":{\"process\":\"worker.0\",\"pid\":%d}}\n"
        "{\"t\":%d,\"m\":{\"regatta_batch_seconds_bucket{le=\\\"0.1\\\"}\":2,"
        "\"regatta_batch_seconds_bucket{le=\\\"+Inf\\\"}\":3,"
        "\"regatta_batch_seconds_sum\":1.5,\"regatta_batch_seconds_count\":3}}\n";
    char line[512];
    for (int life = 0; life < 2; life++) {
        (void)snprintf(line, sizeof line, start, 100 + 10 * life, 7 + life, 101 + 10 * life);
        write_lines("worker.0", line);
    }
    rg_watch_state *s = opened(112);
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_watch_state_metrics(s, &out);
    assert_holds(rg_buf_cstr(&out),
                 "# TYPE regatta_batch_seconds histogram\n"
                 "regatta_batch_seconds_bucket{process=\"worker.0\",le=\"0.1\"} 4\n"
                 "regatta_batch_seconds_bucket{process=\"worker.0\",le=\"+Inf\"} 6\n"
                 "regatta_batch_seconds_count{process=\"worker.0\"} 6\n"
                 "regatta_batch_seconds_sum{process=\"worker.0\"} 3\n");
    rg_buf_fini(&out);
    rg_watch_state_close(s);
}

static void a_folder_that_is_none_is_refused_and_an_empty_one_is_not(void **state)
{
    rg_watch_state *s;
    (void)state;
    assert_fails(rg_watch_state_open(&s, "/nowhere/logs"), RG_ENOENT, "--log_dir");
    s = opened(5);
    assert_string_equal(rg_watch_status(s), "empty");
    rg_watch_state_close(s);
    char path[128];
    (void)snprintf(path, sizeof path, "%s/watch/", folder);
    assert_ok(rg_watch_state_open(&s, path));
    assert_string_equal(s->log_dir, folder);
    rg_watch_state_close(s);
}

static void the_last_lines_of_a_log_are_whole(void **state)
{
    char path[128];
    rg_buf out;
    (void)state;
    (void)snprintf(path, sizeof path, "%s/log", folder);
    assert_ok(rg_file_write_all(path, "one\ntwo\nthree\nfour", 18));
    rg_buf_init(&out, 0);
    assert_ok(rg_tail_last(path, 2, 1000, &out));
    assert_string_equal(rg_buf_cstr(&out), "three\nfour");
    rg_buf_clear(&out);
    assert_ok(rg_tail_last(path, 9, 12, &out));
    assert_string_equal(rg_buf_cstr(&out), "three\nfour");
    rg_buf_clear(&out);
    assert_ok(rg_tail_last(path, 9, 1000, &out));
    assert_string_equal(rg_buf_cstr(&out), "one\ntwo\nthree\nfour");
    rg_buf_fini(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

RUN(TEST(a_file_is_read_as_it_grows_and_its_unfinished_line_later),
    TEST(what_a_process_counted_before_it_died_stays),
    TEST(lines_that_cannot_be_read_are_counted_and_passed_over),
    TEST(numbers_that_json_has_not_leave_the_state_readable),
    TEST(texts_of_others_cannot_break_what_is_shown),
    TEST(events_of_all_files_stand_in_the_order_of_time),
    TEST(the_worker_that_others_wait_for_is_named_with_the_reason),
    TEST(a_process_that_says_nothing_has_no_speed),
    TEST(read_at_once_or_as_it_came_the_curves_are_the_same),
    TEST(tables_are_summed_over_servers_and_their_limit_foretold),
    TEST(histograms_of_processes_are_histograms),
    TEST(a_folder_that_is_none_is_refused_and_an_empty_one_is_not),
    TEST(the_last_lines_of_a_log_are_whole))
