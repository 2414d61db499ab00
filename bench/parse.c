/* parse.c - how fast multi-slot text becomes columns, on one core.
 *
 * usage: parse [FILE]   FILE holds lines of the CTR demo (13 floats, 26 ids, a label); without
 * one, such lines are made. Prints {"best": MB/s} by this thread's CPU time. */
#include "base/mem.h"
#include "base/philox.h"
#include "data/feed.h"
#include "sys/clock.h"
#include "sys/file.h"

#include <stdio.h>
#include <string.h>

enum { DENSE = 13, SPARSE = 26, BLOCK_ROWS = 16384, ROUNDS = 7, MADE_ROWS = 40000 };

static void make_lines(rg_buf *text)
{
    rg_philox_key key = {7, 1};
    uint64_t draw = 0;
    for (int row = 0; row < MADE_ROWS; row++) {
        rg_buf_printf(text, "%d", DENSE);
        for (int i = 0; i < DENSE; i++)
            rg_buf_printf(text, " %.6g", (double)rg_philox_below(key, draw++, 1000) / 603);
        for (int i = 0; i < SPARSE; i++)
            rg_buf_printf(text, " 1 %u", (unsigned)rg_philox_below(key, draw++, 1000001));
        rg_buf_printf(text, " 1 %u\n", (unsigned)rg_philox_below(key, draw++, 2));
    }
}

static rg_status open_feed(rg_feed **feed)
{
    rg_feed_slot slots[1 + SPARSE + 1] = {0};
    char names[SPARSE][16];
    slots[0] = (rg_feed_slot){"dense_input", RG_F32, true, true, RG_SHAPE(-1, DENSE)};
    for (int i = 0; i < SPARSE; i++) {
        (void)snprintf(names[i], sizeof names[i], "C%d", i + 1);
        slots[1 + i] = (rg_feed_slot){names[i], RG_I64, true, false, {0}};
    }
    slots[1 + SPARSE] = (rg_feed_slot){"label", RG_I64, true, true, RG_SHAPE(-1, 1)};
    return rg_feed_open(feed, slots, 1 + SPARSE + 1);
}

static rg_status parse_all(const rg_feed *feed, const rg_buf *text, rg_rows *rows)
{
    const char *p = (const char *)text->data, *last = p + text->len;
    while (p < last) {
        const char *end = memchr(p, '\n', (size_t)(last - p));
        RG_TRY(rg_feed_parse(feed, p, end, rows));
        if (rows->n_rows == BLOCK_ROWS)
            rg_rows_clear(rows);
        p = end + 1;
    }
    return RG_OK;
}

int main(int argc, char **argv)
{
    rg_buf text;
    rg_feed *feed = NULL;
    rg_rows *rows = NULL;
    rg_buf_init(&text, 0);
    rg_status code = RG_OK;
    if (argc > 1)
        code = rg_file_read_all(argv[1], (size_t)1 << 32, &text);
    else
        make_lines(&text);
    size_t bytes = text.len;
    if (code == RG_OK && (bytes == 0 || text.data[bytes - 1] != '\n'))
        code = rg_fail(RG_EINVAL, "the file must end with a newline");
    for (int i = 0; i < RG_PARSE_PAD; i++)
        rg_buf_char(&text, '\n');
    text.len = bytes;
    double best = 0;
    if (code == RG_OK && (code = open_feed(&feed)) == RG_OK)
        code = rg_rows_open(&rows, feed);
    for (int round = 0; code == RG_OK && round < ROUNDS; round++) {
        uint64_t start = rg_clock_thread_ns();
        code = parse_all(feed, &text, rows);
        double rate = (double)bytes * 1e3 / (double)(rg_clock_thread_ns() - start);
        best = rate > best ? rate : best;
        rg_rows_clear(rows);
    }
    if (code == RG_OK)
        (void)printf("{\"case\": \"parse\", \"best\": %.1f, \"bytes\": %zu}\n", best, bytes);
    else
        (void)fprintf(stderr, "parse: %s\n", rg_error_message());
    rg_rows_close(rows);
    rg_feed_close(feed);
    rg_buf_fini(&text);
    return code == RG_OK ? 0 : 1;
}
