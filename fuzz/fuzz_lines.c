/* fuzz_lines.c - any bytes as lines of multi-slot text, as raw Criteo lines, as instances
 * from another process, and as lines of slot:value words: the first byte says which. */
#include "base/mem.h"
#include "data/criteo.h"
#include "data/dataset.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const rg_feed_slot slots[] = {
    {"d", RG_F32, true, true, {2, {-1, 2}}},
    {"skip", RG_I64, false, false, {0}},
    {"s", RG_I64, true, false, {0}},
    {"w", RG_F32, true, false, {0}},
};

/* Each line in a block of exactly the size that the parser may read. */
static void each_line(uint8_t kind, const char *text, size_t n, const rg_feed *feed, rg_rows *rows)
{
    while (n > 0) {
        const char *newline = memchr(text, '\n', n);
        size_t length = newline ? (size_t)(newline - text) : n;
        char *line = rg_alloc(length + RG_PARSE_PAD), out[RG_CRITEO_LINE_BYTES];
        size_t used;
        if (line == NULL)
            return;
        memset(line, '8', length + RG_PARSE_PAD);
        memcpy(line, text, length);
        line[length] = '\n';
        if (kind != 1)
            (void)rg_feed_parse(feed, line, line + length, rows);
        else
            (void)rg_criteo_line(line, line + length, 1000001, out, &used);
        rg_free(line);
        n -= newline ? length + 1 : length;
        text += length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_dataset *dataset;
    rg_rows *rows;
    rg_batch *batch;
    bool named = n > 0 && bytes[0] % 4 == 3;
    if (n < 1 || rg_dataset_open(&dataset, named ? RG_DATASET_QUEUE : RG_DATASET_MEMORY) != RG_OK)
        return 0;
    if (named)
        (void)rg_dataset_set_named(dataset, 0);
    bool texts = (bytes[0] & 4) != 0;
    (void)rg_dataset_set_texts(dataset, texts, texts);
    if (rg_dataset_set_slots(dataset, slots, 4) != RG_OK)
        return 0;
    const rg_feed *feed = rg_dataset_feed(dataset);
    if (bytes[0] % 4 == 2) {
        rg_reader *reader;
        if (rg_dataset_import(dataset, bytes + 1, n - 1) == RG_OK &&
            rg_reader_open(&reader, dataset, 1) == RG_OK) {
            while (rg_reader_next(reader, 0, &batch) == RG_OK) {
            }
            rg_reader_close(reader);
        }
    } else if (rg_rows_open(&rows, feed) == RG_OK) {
        each_line(bytes[0] % 4, (const char *)bytes + 1, n - 1, feed, rows);
        if (rg_batch_open(&batch, feed) == RG_OK) {
            (void)rg_batch_fill(batch, rows, 0, rows->n_rows);
            rg_batch_close(batch);
        }
        rg_rows_close(rows);
    }
    rg_dataset_close(dataset);
    return 0;
}
