/* lines.c - text cut into lines, parsed, and counted. */
#include "data/lines_priv.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <stdio.h>
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

/* How many lines begin before this byte of a file: asked only of a file that has a bad one. */
static uint64_t lines_before(const char *path, uint64_t offset)
{
    char kept[1024], bytes[16384];
    uint64_t n = 0;
    size_t got = 1;
    rg_file *file = NULL;
    if (offset == 0)
        return 0;
    (void)snprintf(kept, sizeof kept, "%s", rg_error_message()); /* what is being told */
    if (rg_file_open(&file, path) == RG_OK) {
        for (; offset > 0 && got > 0; offset -= got) {
            size_t want = offset < sizeof bytes ? (size_t)offset : sizeof bytes;
            if (rg_file_read_some(file, bytes, want, &got) != RG_OK)
                break;
            for (size_t i = 0; i < got; i++)
                n += bytes[i] == '\n';
        }
    }
    rg_file_close(file);
    rg_set_message("%s", kept);
    return n;
}

/* `code` stands with its message; RG_OK where the reading may go on. */
static rg_status bad_line(rg_lines *lines, rg_status code, const char *file, uint64_t number,
                          const char *text, size_t n)
{
    rg_bad_lines *bad = lines->bad;
    code = rg_context(code, "%s:%llu", file,
                      (unsigned long long)(number + lines_before(file, lines->begin)));
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

/* How far a file is read. */
typedef struct progress {
    uint64_t number; /* of the last line */
    uint64_t offset; /* in the text, of the buffer's first byte */
    bool is_tail;    /* that byte is of a line that another range has */
} progress;

/* Whether the line that begins at `at` in the text is of another range. */
static bool is_behind(const rg_lines *lines, uint64_t at)
{
    return lines->end > 0 && at >= lines->end;
}

/* Parse the whole lines of buffer[0 .. n-1]; *left bytes at its end are the head of one. */
static rg_status parse_whole(rg_lines *lines, const char *file, progress *is, size_t n,
                             size_t *left)
{
    const char *p = lines->buffer, *last = p + n, *end;
    while (p < last && (end = memchr(p, '\n', (size_t)(last - p))) != NULL &&
           !is_behind(lines, is->offset + (uint64_t)(p - lines->buffer))) {
        if (is->is_tail) {
            is->is_tail = false;
        } else {
            is->number++;
            RG_TRY(parse_one(lines, file, is->number, p, end));
        }
        p = end + 1;
    }
    *left = (size_t)(last - p);
    is->offset += n - *left;
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

/* The whole file is behind us, also where a pipe command would not say how far it is. */
static void count_whole(rg_lines *lines, const char *file, uint64_t consumed)
{
    uint64_t size = lines->end == 0 && !rg_text_is_remote(file) ? rg_path_size(file) : 0;
    if (lines->disk_bytes != NULL && size > consumed)
        (void)__atomic_add_fetch(lines->disk_bytes, size - consumed, __ATOMIC_RELAXED);
}

static rg_status read_text(rg_lines *lines, rg_text *text, const char *file, progress *is)
{
    uint64_t consumed = 0;
    size_t have = 0, got, left;
    while (!is_behind(lines, is->offset)) {
        /* A byte is kept for the newline that a last line may lack. */
        if (have + 1 >= lines->capacity)
            RG_TRY(grow(lines, file, is->number + 1));
        RG_TRY(rg_text_read(text, lines->buffer + have, lines->capacity - have - 1, &got));
        if (got == 0)
            break;
        count_bytes(lines, text, got, &consumed);
        have += got;
        if (memchr(lines->buffer + have - got, '\n', got) == NULL)
            continue;
        RG_TRY(parse_whole(lines, file, is, have, &left));
        memmove(lines->buffer, lines->buffer + have - left, left);
        have = left;
        if (lines->text.wake != NULL && rg_wake_is_set(lines->text.wake))
            return rg_fail(RG_ECLOSED, "stopped while %s was read", file);
    }
    count_whole(lines, file, consumed);
    if (have == 0 || is->is_tail || is_behind(lines, is->offset))
        return RG_OK;
    /* Only now: what a command leaves when it dies is no line. */
    lines->buffer[have] = '\n';
    return parse_one(lines, file, ++is->number, lines->buffer, lines->buffer + have);
}

rg_status rg_lines_read(rg_lines *lines, const char *file, uint32_t file_number)
{
    lines->file = file_number;
    rg_text *text;
    progress is = {0};
    RG_TRY(rg_text_open(&text, &lines->text, file));
    rg_status code = RG_OK;
    if (lines->begin > 0) {
        /* From the byte before: where that ends a line, the range begins with a whole one. */
        is.offset = lines->begin - 1;
        is.is_tail = true;
        code = rg_text_seek(text, is.offset);
    }
    if (code == RG_OK)
        code = read_text(lines, text, file, &is);
    rg_text_close(text);
    if (code == RG_OK && is.number == 0 && lines->end == 0)
        rg_log(RG_LOG_W, "data", "file=%s \"is empty: it has no examples\"", file);
    return code;
}

void rg_lines_fini(rg_lines *lines)
{
    rg_free(lines->buffer);
    lines->buffer = NULL;
    lines->capacity = 0;
}
