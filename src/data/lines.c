/* lines.c - text cut into lines, parsed, and counted. */
#include "data/lines_priv.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <string.h>

enum { FIRST_BYTES = 512 * 1024 };

/* ---- lines that do not fit ---- */

void rg_bad_lines_init(rg_bad_lines *bad)
{
    int64_t allowed = rg_flag_int("data_bad_lines");
    *bad = (rg_bad_lines){.allowed = allowed > 0 ? (uint64_t)allowed : 0};
    (void)pthread_mutex_init(&bad->lock, NULL);
    (void)rg_flag_text("data_bad_lines_file", &bad->path);
}

void rg_bad_lines_fini(rg_bad_lines *bad)
{
    if (bad->file != NULL) {
        rg_log(RG_LOG_W, "data", "bad_lines=%llu \"put aside in %s\"",
               (unsigned long long)bad->seen, bad->path);
        rg_file_close(bad->file);
    }
    (void)pthread_mutex_destroy(&bad->lock);
}

/* "# FILE:LINE: why" and the line itself, so that the file without its comments can be
 * mended and read. */
static rg_status put_aside(rg_bad_lines *bad, const char *text, size_t n)
{
    if (bad->file == NULL)
        RG_TRY(rg_file_create(&bad->file, bad->path));
    RG_TRY(rg_file_write(bad->file, "# ", 2));
    RG_TRY(rg_file_write(bad->file, rg_error_message(), strlen(rg_error_message())));
    RG_TRY(rg_file_write(bad->file, "\n", 1));
    RG_TRY(rg_file_write(bad->file, text, n));
    RG_TRY(rg_file_write(bad->file, "\n", 1));
    return rg_file_flush(bad->file);
}

/* `code` stands with its message; RG_OK where the reading may go on. */
static rg_status bad_line(rg_lines *lines, rg_status code, const char *file, uint64_t number,
                          const char *text, size_t n)
{
    rg_bad_lines *bad = lines->bad;
    code = rg_context(code, "%s:%llu", file, (unsigned long long)number);
    if (bad->allowed == 0 || code != RG_EVALUE)
        return code;
    (void)pthread_mutex_lock(&bad->lock);
    uint64_t seen = bad->seen + 1;
    if (seen > bad->allowed) {
        code = rg_context(code,
                          "FLAGS_data_bad_lines=%llu lines have been put aside in %s, and "
                          "here is one more",
                          (unsigned long long)bad->allowed, bad->path);
    } else {
        __atomic_store_n(&bad->seen, seen, __ATOMIC_RELAXED);
        code = put_aside(bad, text, n);
    }
    (void)pthread_mutex_unlock(&bad->lock);
    return code;
}

/* ---- lines ---- */

static rg_status grow(rg_lines *lines, const char *file, uint64_t number)
{
    if (lines->capacity > RG_MAX_LINE_BYTES)
        return rg_fail(RG_ETOOBIG, "%s:%llu is longer than %d bytes", file,
                       (unsigned long long)number, RG_MAX_LINE_BYTES);
    size_t capacity = lines->capacity ? lines->capacity * 2 : FIRST_BYTES;
    char *buffer = rg_realloc(lines->buffer, capacity + RG_PARSE_PAD);
    if (buffer == NULL)
        return rg_no_memory(capacity, "a line");
    memset(buffer + capacity, 0, RG_PARSE_PAD);
    lines->buffer = buffer;
    lines->capacity = capacity;
    return RG_OK;
}

static rg_status parse_one(rg_lines *lines, const char *file, uint64_t number, const char *text,
                           const char *end)
{
    size_t before = lines->rows->n_rows;
    rg_status code = rg_feed_parse(lines->feed, text, end, lines->rows);
    if (__builtin_expect(code != RG_OK, 0))
        return bad_line(lines, code, file, number, text, (size_t)(end - text));
    if (lines->rows->n_rows == before)
        return RG_OK; /* a blank line */
    rg_origins_add(&lines->rows->origins, lines->rows->n_rows - 1, lines->file, number);
    return lines->rows->n_rows == lines->full_rows ? lines->full(lines->arg) : RG_OK;
}

/* Parse the whole lines of buffer[0 .. n-1]; *left bytes at its end are the head of one. */
static rg_status parse_whole(rg_lines *lines, const char *file, uint64_t *number, size_t n,
                             size_t *left)
{
    const char *p = lines->buffer, *last = p + n, *end;
    while (p < last && (end = memchr(p, '\n', (size_t)(last - p))) != NULL) {
        ++*number;
        RG_TRY(parse_one(lines, file, *number, p, end));
        p = end + 1;
    }
    *left = (size_t)(last - p);
    return RG_OK;
}

static void count_bytes(rg_lines *lines, const rg_text *text, size_t got, uint64_t *consumed)
{
    uint64_t now = rg_text_consumed(text);
    (void)__atomic_add_fetch(lines->bytes, got, __ATOMIC_RELAXED);
    if (lines->disk_bytes != NULL && now > *consumed)
        (void)__atomic_add_fetch(lines->disk_bytes, now - *consumed, __ATOMIC_RELAXED);
    *consumed = now;
}

/* *number: of the last line. */
static rg_status read_text(rg_lines *lines, rg_text *text, const char *file, uint64_t *number)
{
    uint64_t consumed = 0;
    size_t have = 0, got, left;
    for (;;) {
        /* A byte is kept for the newline that a last line may lack. */
        if (have + 1 >= lines->capacity)
            RG_TRY(grow(lines, file, *number + 1));
        RG_TRY(rg_text_read(text, lines->buffer + have, lines->capacity - have - 1, &got));
        if (got == 0)
            break;
        count_bytes(lines, text, got, &consumed);
        have += got;
        if (memchr(lines->buffer + have - got, '\n', got) == NULL)
            continue;
        RG_TRY(parse_whole(lines, file, number, have, &left));
        memmove(lines->buffer, lines->buffer + have - left, left);
        have = left;
        if (lines->text.wake != NULL && rg_wake_is_set(lines->text.wake))
            return rg_fail(RG_ECLOSED, "stopped while %s was read", file);
    }
    if (have == 0)
        return RG_OK;
    /* Only now: what a command leaves when it dies is no line. */
    lines->buffer[have] = '\n';
    return parse_one(lines, file, ++*number, lines->buffer, lines->buffer + have);
}

rg_status rg_lines_read(rg_lines *lines, const char *file, uint32_t file_number)
{
    lines->file = file_number;
    rg_text *text;
    uint64_t number = 0;
    RG_TRY(rg_text_open(&text, &lines->text, file));
    rg_status code = read_text(lines, text, file, &number);
    rg_text_close(text);
    if (code == RG_OK && number == 0)
        rg_log(RG_LOG_W, "data", "file=%s \"is empty: it has no examples\"", file);
    return code;
}

void rg_lines_fini(rg_lines *lines)
{
    rg_free(lines->buffer);
    lines->buffer = NULL;
    lines->capacity = 0;
}
