/* sparse_table.c - bytes a row and rows a second of a sparse table on one core.
 *
 *     sparse_table [DIM STATES MILLIONS]      (10 0 20)
 *
 * While the table grows, at every 5 % more rows: resident memory gained, over rows; the
 * worst of these is the figure to quote, and the longest batch is the longest pause. Then
 * rows a second of gather (pull), touch + add_scaled (geo), touch + a step of the optimizer that
 * has so many states (sgd, adagrad, adam), and read + write by handle. */
#include "base/mem.h"
#include "base/philox.h"
#include "ir/update.h"
#include "ps/table.h"
#include "sys/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH = 4096, ROUNDS = 2000 };

static int64_t ids[BATCH];
static rg_row_handle handles[BATCH];

static void check(rg_status code)
{
    if (code == RG_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", rg_status_name(code), rg_error_message());
    exit(1);
}

static size_t resident(void)
{
    unsigned long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu %lu", &all, &here) != 2)
        exit(1);
    (void)fclose(file);
    return here * (size_t)sysconf(_SC_PAGESIZE);
}

/* Ids all over the range, as hashed features are; the i-th is the same each time. */
static int64_t id_of(uint64_t i)
{
    return (int64_t)((i * 0x9e3779b97f4a7c15u ^ 0x5bd1e995u) >> 1);
}

/* Of this thread's CPU time: what others do on the machine does not count. */
static double seconds(void)
{
    return (double)rg_clock_thread_ns() * 1e-9;
}

static void grow(rg_table *table, size_t rows)
{
    size_t start = resident(), next = rows / 20 < 1000000 ? rows / 20 : 1000000;
    double worst = 0, longest = 0, began = seconds(), spent = 0;
    for (size_t done = 0; done < rows; done += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            ids[i] = id_of(done + i);
        double t = seconds();
        check(rg_table_touch(table, ids, BATCH, handles, NULL));
        t = seconds() - t;
        spent += t;
        longest = t > longest ? t : longest;
        if (done + BATCH < next)
            continue;
        double each = (double)(resident() - start) / (double)(done + BATCH);
        worst = each > worst ? each : worst;
        (void)printf("%10zu rows %7.1f bytes/row (own count %.1f)\n", done + BATCH, each,
                     (double)rg_table_bytes(table) / (double)(done + BATCH));
        next += next / 20;
    }
    (void)printf("worst %.1f bytes/row; made %.2f M rows/s; longest batch of %d: %.2f ms; %.1f s\n",
                 worst, (double)rows / spent * 1e-6, BATCH, longest * 1e3, seconds() - began);
}

static void pick(size_t rows, uint64_t round)
{
    for (size_t i = 0; i < BATCH; i++)
        ids[i] = id_of(rg_philox_below((rg_philox_key){1, round}, i, rows));
}

/* As a server makes it (dist/serve_rows.c), with the attributes' defaults. */
static void step_rows(rg_table *table, const rg_op *op, const float *grads)
{
    static const uint16_t none[16];
    const rg_table_spec *spec = rg_table_about(table);
    const rg_attr *attrs[16];
    rg_ctx ctx = {.op = op, .attr = attrs, .in_at = none, .out_at = none};
    rg_row_batch batch;
    for (int i = 0; op->attr != NULL && op->attr[i].doc != NULL; i++)
        attrs[i] = &op->attr[i].value;
    batch.width = spec->dim;
    for (size_t first = 0; first < BATCH; first += RG_ROWS_AT_ONCE) {
        batch.n = BATCH - first < RG_ROWS_AT_ONCE ? BATCH - first : RG_ROWS_AT_ONCE;
        batch.grads = grads + first * (size_t)spec->dim;
        rg_table_rows(table, handles + first, batch.n, batch.part[0], NULL);
        for (int k = 1; k <= spec->n_states; k++)
            for (size_t i = 0; i < batch.n; i++)
                batch.part[k][i] = batch.part[0][i] + k * spec->dim;
        op->update->row_step(&ctx, 0.01f, &batch);
    }
}

static void speed(rg_table *table, size_t rows)
{
    static const char *const optimizers[] = {"sgd", "adagrad", "adam"};
    const rg_table_spec *spec = rg_table_about(table);
    size_t floats = BATCH * (size_t)spec->dim;
    float *values = rg_alloc_zero(floats, sizeof(float)), *states[RG_TABLE_MAX_STATES];
    for (int k = 0; k < spec->n_states; k++)
        states[k] = rg_alloc_zero(floats, sizeof(float));
    const char *type = optimizers[spec->n_states < 2 ? spec->n_states : 2];
    double gather = 0, add = 0, step = 0, copy = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        pick(rows, 3 * round);
        double t = seconds();
        check(rg_table_gather(table, ids, BATCH, false, values, NULL));
        gather += seconds() - t;
        pick(rows, 3 * round + 1);
        t = seconds();
        check(rg_table_touch(table, ids, BATCH, handles, NULL));
        rg_table_add_scaled(table, handles, BATCH, values, -0.01f);
        add += seconds() - t;
        pick(rows, 3 * ROUNDS + round);
        t = seconds();
        check(rg_table_touch(table, ids, BATCH, handles, NULL));
        step_rows(table, rg_op_find(type), values);
        step += seconds() - t;
        pick(rows, 3 * round + 2);
        t = seconds();
        check(rg_table_touch(table, ids, BATCH, handles, NULL));
        rg_table_read(table, handles, BATCH, values, states);
        rg_table_write(table, handles, BATCH, values, states);
        copy += seconds() - t;
    }
    double n = 1e-6 * BATCH * ROUNDS;
    (void)printf("gather %.1f, touch + add_scaled %.1f, touch + %s %.1f, touch + read + write %.1f "
                 "M rows/s\n",
                 n / gather, n / add, type, n / step, n / copy);
    rg_free(values);
    for (int k = 0; k < spec->n_states; k++)
        rg_free(states[k]);
}

int main(int argc, char **argv)
{
    rg_table_spec spec = {.name = "embedding",
                          .dim = argc > 1 ? strtol(argv[1], NULL, 10) : 10,
                          .n_states = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0,
                          .height = -1,
                          .start = RG_START_UNIFORM,
                          .a = -0.1f,
                          .b = 0.1f,
                          .key = {7, 1}};
    size_t rows = (size_t)(argc > 3 ? strtol(argv[3], NULL, 10) : 20) * 1000000;
    rg_table *table;
    check(rg_table_open(&table, &spec));
    grow(table, rows);
    speed(table, rows);
    rg_table_close(table);
    return 0;
}
