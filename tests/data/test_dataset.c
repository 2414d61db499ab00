/* test_dataset.c - datasets over real files and real pipes, whole and broken ones. */
#include "check.h"

#include "data/dataset.h"
#include "sys/file.h"
#include "sys/flags.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64];

static const rg_feed_slot slots[] = {
    {"d", RG_F32, true, true, {2, {-1, 2}}},
    {"s", RG_I64, true, false, {0}},
    {"label", RG_I64, true, true, {2, {-1, 1}}},
};

static const char *path_of(const char *name)
{
    static char path[8][128];
    static int next;
    char *to = path[next++ % 8];
    (void)snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

static const char *write_file(const char *name, const char *text)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Instances first .. first + n - 1, whose label is their number. */
static const char *write_rows(const char *name, int first, int n)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = first; i < first + n; i++)
        (void)fprintf(file, "2 %d 0.5 %d %d%s 1 %d\n", i, 1 + i % 2, i + 1, i % 2 ? " 7" : "", i);
    assert_int_equal(fclose(file), 0);
    return path;
}

static rg_dataset *open_dataset(rg_dataset_kind kind, const char *const *files, size_t n, int batch)
{
    rg_dataset *d;
    assert_ok(rg_dataset_open(&d, kind));
    assert_ok(rg_dataset_set_slots(d, slots, 3));
    assert_ok(rg_dataset_set_files(d, files, n));
    assert_ok(rg_dataset_set_batch_size(d, batch));
    return d;
}

/* The labels, in the order of the batches, and the sizes of the batches. */
typedef struct seen {
    int labels[100000], n, sizes[100], batches;
} seen;

static rg_status read_all(rg_dataset *d, int threads, seen *s)
{
    rg_reader *r;
    rg_batch *b;
    rg_status code = RG_OK;
    s->n = s->batches = 0;
    RG_TRY(rg_reader_open(&r, d, threads));
    for (int live = threads, thread = 0; live > 0 && code == RG_OK;
         thread = (thread + 1) % threads) {
        if ((code = rg_reader_next(r, thread, &b)) == RG_EOF) {
            live = 0;
            break;
        }
        if (code != RG_OK)
            break;
        assert_int_equal(b->n, 3);
        const int64_t *label = b->values[2]->data, *ids = b->values[1]->data;
        const rg_lod *lod = b->values[1]->meta.lod;
        assert_ok(rg_lod_check(lod, b->values[1]->meta.shape.dim[0]));
        for (size_t i = 0; i < b->rows; i++) {
            assert_int_equal(ids[lod->offset[0][i]], label[i] + 1);
            assert_int_equal(lod->offset[0][i + 1] - lod->offset[0][i], 1 + label[i] % 2);
            s->labels[s->n++] = (int)label[i];
        }
        if (s->batches < 100)
            s->sizes[s->batches++] = (int)b->rows;
    }
    rg_reader_close(r);
    return code == RG_EOF ? RG_OK : code;
}

static void batches_come_in_the_order_of_the_lines_and_cross_files(void **state)
{
    (void)state;
    static seen s;
    const char *files[] = {write_rows("a", 0, 5), write_rows("b", 5, 3), write_file("empty", ""),
                           write_rows("c", 8, 2)};
    for (int kind = 0; kind < 2; kind++) {
        rg_dataset *d = open_dataset(kind ? RG_DATASET_MEMORY : RG_DATASET_QUEUE, files, 4, 4);
        if (kind)
            assert_ok(rg_dataset_set_threads(d, 3));
        if (kind)
            assert_ok(rg_dataset_load(d));
        for (int pass = 0; pass < 2; pass++) {
            assert_ok(read_all(d, 1, &s));
            assert_int_equal(s.n, 10);
            for (int i = 0; i < 10; i++)
                assert_int_equal(s.labels[i], i);
            assert_int_equal(s.batches, 3);
            assert_int_equal(s.sizes[2], 2); /* the short one is kept */
        }
        rg_dataset_close(d);
    }
}

static void a_last_line_without_a_newline_counts(void **state)
{
    (void)state;
    static seen s;
    const char *files[] = {write_file("n", "2 0 0.5 1 1 1 0\n2 1 0.5 2 2 7 1 1")};
    rg_dataset *d = open_dataset(RG_DATASET_QUEUE, files, 1, 4);
    assert_ok(read_all(d, 1, &s));
    assert_int_equal(s.n, 2);
    rg_dataset_close(d);
}

static void all_threads_together_see_every_instance_once(void **state)
{
    (void)state;
    static seen s;
    static bool had[5000];
    const char *files[] = {write_rows("a", 0, 2000), write_rows("b", 2000, 2000),
                           write_rows("c", 4000, 1000)};
    for (int kind = 0; kind < 2; kind++) {
        rg_dataset *d = open_dataset(kind ? RG_DATASET_MEMORY : RG_DATASET_QUEUE, files, 3, 64);
        if (kind)
            assert_ok(rg_dataset_load(d));
        assert_ok(read_all(d, 4, &s));
        assert_int_equal(s.n, 5000);
        memset(had, 0, sizeof had);
        for (int i = 0; i < 5000; i++) {
            assert_false(had[s.labels[i]]);
            had[s.labels[i]] = true;
        }
        rg_dataset_close(d);
    }
}

static void a_shuffle_is_a_function_of_its_seed(void **state)
{
    (void)state;
    static seen a, b, c;
    const char *files[] = {write_rows("a", 0, 40000)};
    rg_dataset *d = open_dataset(RG_DATASET_MEMORY, files, 1, 512);
    assert_fails(rg_dataset_shuffle(d, 1), RG_EINVAL, "nothing is in memory");
    assert_ok(rg_dataset_load(d));
    assert_int_equal(rg_dataset_rows(d), 40000);
    assert_ok(rg_dataset_shuffle(d, 1));
    assert_ok(read_all(d, 1, &a));
    assert_ok(rg_dataset_shuffle(d, 1));
    assert_ok(read_all(d, 1, &b));
    assert_ok(rg_dataset_load(d));
    assert_ok(rg_dataset_shuffle(d, 1));
    assert_ok(read_all(d, 1, &c));
    assert_int_equal(a.n, 40000);
    assert_memory_not_equal(a.labels, b.labels, sizeof(int) * 40000);
    assert_memory_equal(a.labels, c.labels, sizeof(int) * 40000);
    int fixed = 0;
    for (int i = 0; i < 40000; i++)
        fixed += a.labels[i] == i;
    assert_true(fixed < 20);
    rg_dataset_release(d);
    assert_int_equal(rg_dataset_rows(d), 0);
    assert_fails(read_all(d, 1, &a), RG_EINVAL, "call load_into_memory first");
    rg_dataset_close(d);
}

static void slots_shuffled_move_and_the_others_stay(void **state)
{
    (void)state;
    const char *files[] = {write_rows("a", 0, 1000)};
    const char *names[] = {"d"}, *wrong[] = {"nope"};
    rg_dataset *d = open_dataset(RG_DATASET_MEMORY, files, 1, 100);
    rg_reader *r;
    rg_batch *b;
    assert_ok(rg_dataset_load(d));
    assert_fails(rg_dataset_shuffle_slots(d, wrong, 1, 5), RG_EINVAL, "no slot 'nope'");
    assert_ok(rg_dataset_shuffle_slots(d, names, 1, 5));
    for (int round = 0; round < 2; round++) {
        double sum = 0;
        int moved = 0, n = 0;
        assert_ok(rg_reader_open(&r, d, 1));
        while (rg_reader_next(r, 0, &b) == RG_OK)
            for (size_t i = 0; i < b->rows; i++, n++) {
                float first = ((float *)b->values[0]->data)[2 * i];
                assert_int_equal(((int64_t *)b->values[2]->data)[i], n);
                sum += (double)first;
                moved += first != (float)n;
            }
        rg_reader_close(r);
        assert_true(sum == 999.0 * 500);
        assert_true(round ? moved == 0 : moved > 900);
        assert_ok(rg_dataset_shuffle_slots(d, NULL, 0, 0));
    }
    rg_dataset_close(d);
}

/* ---- pipes and packed files ---- */

static void a_pipe_command_gets_the_file_and_a_fixed_hash_seed(void **state)
{
    (void)state;
    static seen s;
    const char *files[] = {write_rows("a", 0, 3000)};
    rg_dataset *d = open_dataset(RG_DATASET_QUEUE, files, 1, 100);
    assert_ok(rg_dataset_set_pipe(d, "test \"$PYTHONHASHSEED\" = 0 && head -n 2000"));
    assert_ok(read_all(d, 1, &s));
    assert_int_equal(s.n, 2000);
    assert_int_equal(setenv("PYTHONHASHSEED", "5", 1), 0);
    assert_fails(read_all(d, 1, &s), RG_EIO, "ended with status 1");
    assert_ok(rg_dataset_set_pipe(d, "test \"$PYTHONHASHSEED\" = 5 && cat"));
    assert_ok(read_all(d, 1, &s));
    assert_int_equal(unsetenv("PYTHONHASHSEED"), 0);
    rg_dataset_close(d);
}

static void a_pipe_that_fails_names_the_file_its_status_and_its_last_words(void **state)
{
    (void)state;
    static seen s;
    const char *files[] = {write_rows("good", 0, 10), write_rows("bad", 10, 2000)};
    for (int kind = 0; kind < 2; kind++) {
        rg_dataset *d = open_dataset(kind ? RG_DATASET_MEMORY : RG_DATASET_QUEUE, files, 2, 100);
        /* It dies in the middle of a line; what is left is no instance. */
        assert_ok(rg_dataset_set_pipe(
            d, "head -c 1003; head -c 1 | grep -q . && { echo out of luck 1>&2; exit 3; }; true"));
        rg_status code = kind ? rg_dataset_load(d) : read_all(d, 1, &s);
        assert_fails(code, RG_EIO, "out of luck");
        assert_non_null(strstr(rg_error_message(), "ended with status 3"));
        assert_non_null(strstr(rg_error_message(), "/bad was not read whole"));
        if (kind)
            assert_int_equal(rg_dataset_rows(d), 0);
        else
            assert_int_equal(s.n, 0);
        assert_ok(rg_dataset_set_pipe(d, "kill -9 $$"));
        code = kind ? rg_dataset_load(d) : read_all(d, 2, &s);
        assert_fails(code, RG_EIO, "was killed by signal 9");
        rg_dataset_close(d);
    }
}

static const char *pack(const char *name, const char *from, double part)
{
    char packed[128];
    (void)snprintf(packed, sizeof packed, "%s", path_of(name));
    rg_buf text;
    rg_buf_init(&text, 0);
    assert_ok(rg_file_read_all(from, 1 << 26, &text));
    gzFile gz = gzopen(packed, "wb");
    assert_non_null(gz);
    assert_int_equal(gzwrite(gz, text.data, (unsigned)text.len), (int)text.len);
    assert_int_equal(gzclose(gz), Z_OK);
    rg_buf_clear(&text);
    assert_ok(rg_file_read_all(packed, 1 << 26, &text));
    assert_int_equal(truncate(packed, (off_t)((double)text.len * part)), 0);
    rg_buf_fini(&text);
    return path_of(name);
}

/* promise 28 */
static void packed_files_are_read_whole_or_refused(void **state)
{
    (void)state;
    static seen s;
    const char *plain = write_rows("a", 0, 20000);
    const char *whole[] = {pack("w.gz", plain, 1)};
    const char *cut[] = {pack("cut.gz", plain, 0.7)};
    const char *none[] = {pack("none.gz", plain, 0)};
    const char *odd[] = {write_file("odd.gz", "this is no gzip data")};
    static const char *const pipes[] = {"cat", "sed s/x/y/"};
    for (int i = 0; i < 2; i++) {
        rg_dataset *d = open_dataset(RG_DATASET_QUEUE, whole, 1, 100);
        assert_ok(rg_dataset_set_pipe(d, pipes[i]));
        assert_ok(read_all(d, 1, &s));
        assert_int_equal(s.n, 20000);
        assert_ok(rg_dataset_set_files(d, cut, 1));
        assert_fails(read_all(d, 1, &s), RG_ECORRUPT, "cut.gz is cut off");
        assert_ok(rg_dataset_set_files(d, none, 1));
        assert_fails(read_all(d, 1, &s), RG_ECORRUPT, "none.gz is cut off");
        assert_ok(rg_dataset_set_files(d, odd, 1));
        assert_fails(read_all(d, 1, &s), RG_ECORRUPT, "odd.gz is not sound gzip data");
        rg_dataset_close(d);
    }
}

static void remote_files_come_through_their_command(void **state)
{
    (void)state;
    static seen s;
    const char *local = write_rows("a", 0, 30);
    char fetch[256];
    (void)snprintf(fetch, sizeof fetch, "cat %s; test hdfs:/x/part =", local);
    const char *files[] = {"hdfs:/x/part"};
    rg_dataset *d = open_dataset(RG_DATASET_QUEUE, files, 1, 100);
    assert_ok(rg_dataset_set_remote(d, NULL, NULL, fetch));
    for (int i = 0; i < 2; i++) {
        assert_ok(read_all(d, 1, &s));
        assert_int_equal(s.n, 30);
        assert_ok(rg_dataset_set_pipe(d, "sed s/x/y/"));
    }
    assert_ok(rg_dataset_set_remote(d, NULL, NULL, "false"));
    assert_fails(read_all(d, 1, &s), RG_EIO, "hdfs:/x/part was not read whole");
    rg_dataset_close(d);
}

/* ---- what is wrong ---- */

static void nothing_to_read_is_said(void **state)
{
    (void)state;
    static seen s;
    rg_dataset *d = open_dataset(RG_DATASET_QUEUE, NULL, 0, 4);
    assert_ok(read_all(d, 1, &s)); /* a worker for which no file was left */
    assert_int_equal(s.n, 0);
    const char *missing[] = {"/nowhere/part-0"};
    assert_ok(rg_dataset_set_files(d, missing, 1));
    assert_fails(read_all(d, 1, &s), RG_ENOENT, "/nowhere/part-0");
    assert_ok(rg_dataset_set_pipe(d, "sort"));
    assert_fails(read_all(d, 1, &s), RG_ENOENT, "/nowhere/part-0");
    assert_fails(rg_dataset_load(d), RG_EINVAL, "not loaded into memory");
    assert_fails(rg_dataset_set_batch_size(d, 0), RG_EINVAL, "a batch size of 0");
    assert_fails(rg_dataset_set_pipe(d, " "), RG_EINVAL, "is empty");
    rg_dataset_close(d);
    assert_ok(rg_dataset_open(&d, RG_DATASET_QUEUE));
    assert_fails(read_all(d, 1, &s), RG_EINVAL, "no slots");
    rg_dataset_close(d);
}

/* promise 28 */
static void a_bad_line_names_file_line_and_slot(void **state)
{
    (void)state;
    static seen s;
    const char *files[] = {write_file("bad", "2 0 0.5 1 1 1 0\n2 1 0.5 1 1.5 1 1\n")};
    rg_dataset *d = open_dataset(RG_DATASET_QUEUE, files, 1, 1);
    assert_fails(read_all(d, 1, &s), RG_EVALUE,
                 "/bad:2: slot 's' (2 of 3): got '1.5', wanted an id");
    assert_int_equal(s.n, 1);
    rg_dataset_close(d);
}

static void bad_lines_are_put_aside_up_to_the_number_allowed(void **state)
{
    (void)state;
    static seen s;
    rg_buf text;
    const char *files[] = {
        write_file("bad", "2 0 0.5 1 1 1 0\nrubbish\n2 1 0.5 2 2 7 1 1\n2 1\n2 2 0.5 1 3 1 2\n")};
    char aside[128];
    (void)snprintf(aside, sizeof aside, "%s", path_of("aside.txt"));
    assert_ok(rg_flag_set("data_bad_lines_file", aside));
    assert_ok(rg_flag_set("data_bad_lines", "2"));
    for (int kind = 0; kind < 2; kind++) {
        rg_dataset *d = open_dataset(kind ? RG_DATASET_MEMORY : RG_DATASET_QUEUE, files, 1, 2);
        if (kind)
            assert_ok(rg_dataset_load(d));
        assert_ok(read_all(d, 1, &s));
        assert_int_equal(s.n, 3);
        rg_buf_init(&text, 0);
        assert_ok(rg_file_read_all(aside, 1 << 20, &text));
        assert_non_null(strstr(rg_buf_cstr(&text), "/bad:2: slot 'd'"));
        assert_non_null(strstr(rg_buf_cstr(&text), "\nrubbish\n"));
        assert_non_null(strstr(rg_buf_cstr(&text), "/bad:4: "));
        rg_buf_fini(&text);
        assert_ok(rg_flag_set("data_bad_lines", "1"));
        rg_status code = kind ? rg_dataset_load(d) : read_all(d, 1, &s);
        assert_fails(code, RG_EVALUE, "FLAGS_data_bad_lines=1 lines have been put aside");
        assert_ok(rg_flag_set("data_bad_lines", "2"));
        rg_dataset_close(d);
    }
    assert_ok(rg_flag_set("data_bad_lines", "0"));
}

/* ---- stopping ---- */

typedef struct waiting {
    rg_reader *reader;
    rg_status code;
} waiting;

static void *wait_for_batch(void *arg)
{
    waiting *w = arg;
    rg_batch *b;
    while ((w->code = rg_reader_next(w->reader, 0, &b)) == RG_OK) {
    }
    return NULL;
}

static void a_stop_ends_a_wait_for_a_pipe_that_never_ends(void **state)
{
    (void)state;
    const char *files[] = {write_rows("a", 0, 10)};
    waiting w;
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        rg_dataset *d = open_dataset(RG_DATASET_QUEUE, files, 1, 3);
        assert_ok(rg_dataset_set_pipe(d, i ? "cat; sleep 1000" : "cat; exec 1>&-; sleep 1000"));
        assert_ok(rg_reader_open(&w.reader, d, 1));
        assert_int_equal(pthread_create(&thread, NULL, wait_for_batch, &w), 0);
        while (rg_reader_progress(w.reader).rows < 9)
            (void)usleep(1000);
        assert_fails(rg_dataset_set_batch_size(d, 5), RG_EINVAL, "while the dataset is being read");
        rg_reader_stop(w.reader);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(w.code, RG_ECLOSED);
        rg_reader_close(w.reader);
        rg_dataset_close(d);
    }
}

static void a_reader_may_be_closed_with_batches_left(void **state)
{
    (void)state;
    const char *files[] = {write_rows("a", 0, 5000)};
    rg_reader *r;
    rg_batch *b;
    rg_dataset *d = open_dataset(RG_DATASET_QUEUE, files, 1, 3);
    assert_ok(rg_reader_open(&r, d, 2));
    assert_ok(rg_reader_next(r, 1, &b));
    rg_reader_close(r);
    rg_dataset_close(d);
}

static void a_preload_can_be_cancelled(void **state)
{
    (void)state;
    const char *files[] = {write_rows("a", 0, 10)};
    bool done;
    rg_dataset *d = open_dataset(RG_DATASET_MEMORY, files, 1, 3);
    assert_ok(rg_dataset_set_pipe(d, "sleep 1000"));
    assert_ok(rg_dataset_preload(d, 1));
    rg_dataset_poll_preload(d, 1, &done);
    assert_false(done);
    assert_fails(rg_dataset_preload(d, 1), RG_EINVAL, "is being loaded");
    rg_dataset_cancel_preload(d);
    assert_fails(rg_dataset_wait_preload(d), RG_ECLOSED, "stopped");
    assert_ok(rg_dataset_set_pipe(d, "cat"));
    assert_ok(rg_dataset_preload(d, 2));
    assert_ok(rg_dataset_wait_preload(d));
    assert_int_equal(rg_dataset_rows(d), 10);
    rg_dataset_close(d);
}

typedef struct trainer {
    rg_reader *reader;
    int number;
    rg_status code;
    int64_t rows, sum;
} trainer;

static void *train(void *arg)
{
    trainer *t = arg;
    rg_batch *b;
    while ((t->code = rg_reader_next(t->reader, t->number, &b)) == RG_OK) {
        t->rows += (int64_t)b->rows;
        for (size_t i = 0; i < b->rows; i++)
            t->sum += ((int64_t *)b->values[2]->data)[i];
    }
    return NULL;
}

static void trainer_threads_share_the_data_and_a_failure(void **state)
{
    (void)state;
    enum { THREADS = 4, ROWS = 3000 };
    const char *files[] = {write_rows("a", 0, ROWS), write_rows("b", ROWS, ROWS),
                           write_rows("c", 2 * ROWS, ROWS), write_file("bad", "rubbish\n")};
    for (int round = 0; round < 3; round++) { /* files, memory, files and a bad one */
        rg_dataset *d = open_dataset(round == 1 ? RG_DATASET_MEMORY : RG_DATASET_QUEUE, files,
                                     round == 2 ? 4 : 3, 7);
        rg_reader *r;
        trainer trainers[THREADS] = {{0}};
        pthread_t threads[THREADS];
        int64_t rows = 0, sum = 0;
        if (round == 1) {
            assert_ok(rg_dataset_load(d));
            assert_ok(rg_dataset_shuffle(d, 9));
        }
        assert_ok(rg_reader_open(&r, d, THREADS));
        for (int i = 0; i < THREADS; i++) {
            trainers[i] = (trainer){.reader = r, .number = i};
            assert_int_equal(pthread_create(&threads[i], NULL, train, &trainers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(trainers[i].code, round == 2 ? RG_EVALUE : RG_EOF);
            rows += trainers[i].rows;
            sum += trainers[i].sum;
        }
        if (round < 2) {
            assert_int_equal(rows, 3 * ROWS);
            assert_int_equal(sum, (int64_t)3 * ROWS * (3 * ROWS - 1) / 2);
            assert_int_equal(rg_reader_progress(r).rows, 3 * ROWS);
            assert_int_equal(rg_reader_progress(r).files_done, 3);
        }
        rg_reader_close(r);
        rg_dataset_close(d);
    }
}

/* ---- ids of lines, and instances that travel ---- */

static void instances_of_one_id_are_merged(void **state)
{
    (void)state;
    const char *files[] = {write_file("ids", "1 b 2 1 2 1 11 1 1\n1 a 2 3 4 2 21 22 1 0\n"
                                             "1 b 2 0 0 2 0 12 1 5\n1 c 2 9 9 1 41 1 1\n"
                                             "1 a 2 5 6 1 0 1 1\n")};
    rg_dataset *d = open_dataset(RG_DATASET_MEMORY, files, 1, 10);
    rg_reader *r;
    rg_batch *b;
    assert_ok(rg_dataset_set_texts(d, true, false));
    assert_ok(rg_dataset_load(d));
    assert_ok(rg_dataset_merge(d, 2));
    assert_int_equal(rg_dataset_rows(d), 2);
    assert_ok(rg_reader_open(&r, d, 1));
    assert_ok(rg_reader_next(r, 0, &b));
    const int64_t wanted[] = {11, 12, 21, 22};
    assert_int_equal(b->values[1]->meta.shape.dim[0], 4);
    assert_memory_equal(b->values[1]->data, wanted, sizeof wanted);
    assert_true(((float *)b->values[0]->data)[0] == 1.0f);
    rg_reader_close(r);
    rg_dataset_release(d);
    assert_ok(rg_dataset_set_texts(d, false, false));
    rg_dataset_close(d);
}

static rg_buf parts[3][64];
static int n_parts[3];

static int by_number(void *arg, uint64_t row, const char *ins_id)
{
    (void)arg, (void)ins_id;
    return (int)(row % 3);
}

static rg_status keep_part(void *arg, int part, const void *bytes, size_t n)
{
    (void)arg;
    rg_buf *to = &parts[part][n_parts[part]++];
    rg_buf_init(to, 0);
    rg_buf_add(to, bytes, n);
    return rg_buf_status(to);
}

static void instances_travel_as_bytes_and_broken_bytes_are_refused(void **state)
{
    (void)state;
    static seen s;
    const char *files[] = {write_rows("a", 0, 3000)};
    rg_dataset *d = open_dataset(RG_DATASET_MEMORY, files, 1, 100);
    assert_ok(rg_dataset_load(d));
    assert_ok(rg_dataset_export(d, 3, by_number, keep_part, NULL, 100));
    rg_dataset_release(d);
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < n_parts[p]; i++) {
            rg_buf *b = &parts[p][i];
            for (size_t cut = 0; cut < b->len; cut += 97)
                assert_int_equal(rg_dataset_import(d, b->data, cut), RG_ECORRUPT);
            b->data[0] ^= 1;
            assert_fails(rg_dataset_import(d, b->data, b->len), RG_ECORRUPT, "magic");
            b->data[0] ^= 1;
            assert_ok(rg_dataset_import(d, b->data, b->len));
            rg_buf_fini(b);
        }
    assert_int_equal(rg_dataset_rows(d), 3000);
    assert_ok(read_all(d, 1, &s));
    for (int i = 0; i < 3000; i++)
        assert_int_equal(s.labels[i], i % 1000 * 3 + i / 1000);
    rg_dataset_close(d);
}

/* Wherever a file is cut, each of its lines is in one range; and what is skipped leaves the batches
 * behind it as they are. */
static void ranges_of_a_file_have_each_line_once(void **state)
{
    const char *files[] = {write_rows("a", 0, 40), write_file("b", "2 0 0 1 1 1 0\n2 1 0 1 2 1 1")};
    uint64_t size[2];
    (void)state;
    rg_dataset *d = open_dataset(RG_DATASET_QUEUE, files, 2, 3);
    assert_ok(rg_dataset_set_leased(d, true));
    rg_reader *r;
    assert_fails(rg_reader_open(&r, d, 1), RG_EINVAL, "leased");
    for (size_t f = 0; f < 2; f++) {
        assert_ok(rg_dataset_cut_size(d, f, &size[f]));
        for (uint64_t step = 1; step <= size[f] + 1; step += f == 0 ? 7 : 1) {
            int64_t next = 0;
            for (uint64_t at = 0; at < size[f]; at += step) {
                rg_file_range range = {.file = (uint32_t)f, .begin = at, .end = at + step};
                rg_batch *b;
                assert_ok(rg_reader_open_range(&r, d, &range));
                while (rg_reader_next(r, 0, &b) == RG_OK)
                    for (size_t i = 0; i < b->rows; i++)
                        assert_int_equal(((int64_t *)b->values[2]->data)[i], next++);
                rg_reader_close(r);
            }
            assert_int_equal(next, f == 0 ? 40 : 2);
        }
    }
    rg_file_range rest = {.file = 0, .skip = 6};
    rg_batch *b;
    assert_ok(rg_reader_open_range(&r, d, &rest));
    assert_ok(rg_reader_next(r, 0, &b));
    assert_int_equal(((int64_t *)b->values[2]->data)[0], 6);
    assert_int_equal(b->rows, 3);
    rg_reader_close(r);
    rg_dataset_close(d);
    assert_ok(rg_dataset_open(&d, RG_DATASET_MEMORY));
    assert_fails(rg_dataset_set_leased(d, true), RG_EINVAL, "InMemoryDataset");
    rg_dataset_close(d);
}

/* A line behind the middle of a file is named by its number in the file. */
static void a_bad_line_of_a_range_has_its_number(void **state)
{
    const char *files[] = {write_file("c", "2 0 0 1 1 1 0\n2 1 0 1 2 1 1\n2 1 0 1 x 1 1\n")};
    rg_reader *r;
    rg_batch *b;
    (void)state;
    rg_dataset *d = open_dataset(RG_DATASET_QUEUE, files, 1, 3);
    assert_ok(rg_dataset_set_leased(d, true));
    assert_ok(rg_reader_open_range(&r, d, &(rg_file_range){.begin = 14, .end = 42}));
    assert_fails(rg_reader_next(r, 0, &b), RG_EVALUE, "c:3");
    rg_reader_close(r);
    rg_dataset_close(d);
}

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/regatta-test-data-%d", (int)getpid());
    return rg_dir_make(folder) == RG_OK ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    return rg_dir_remove(folder) == RG_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_come_in_the_order_of_the_lines_and_cross_files),
        cmocka_unit_test(a_last_line_without_a_newline_counts),
        cmocka_unit_test(all_threads_together_see_every_instance_once),
        cmocka_unit_test(a_shuffle_is_a_function_of_its_seed),
        cmocka_unit_test(slots_shuffled_move_and_the_others_stay),
        cmocka_unit_test(a_pipe_command_gets_the_file_and_a_fixed_hash_seed),
        cmocka_unit_test(a_pipe_that_fails_names_the_file_its_status_and_its_last_words),
        cmocka_unit_test(packed_files_are_read_whole_or_refused),
        cmocka_unit_test(remote_files_come_through_their_command),
        cmocka_unit_test(nothing_to_read_is_said),
        cmocka_unit_test(a_bad_line_names_file_line_and_slot),
        cmocka_unit_test(bad_lines_are_put_aside_up_to_the_number_allowed),
        cmocka_unit_test(a_stop_ends_a_wait_for_a_pipe_that_never_ends),
        cmocka_unit_test(a_reader_may_be_closed_with_batches_left),
        cmocka_unit_test(a_preload_can_be_cancelled),
        cmocka_unit_test(trainer_threads_share_the_data_and_a_failure),
        cmocka_unit_test(instances_of_one_id_are_merged),
        cmocka_unit_test(instances_travel_as_bytes_and_broken_bytes_are_refused),
        cmocka_unit_test(ranges_of_a_file_have_each_line_once),
        cmocka_unit_test(a_bad_line_of_a_range_has_its_number),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
