/* tail.c - a file that grows, line by line. */
#include "watch/tail.h"

#include "base/mem.h"
#include "sys/file.h"

#include <string.h>

enum { CHUNK = 64 << 10, MOST = 1 << 20 };

struct rg_tail {
    char *path;
    uint64_t offset; /* of the file, behind what is in `bytes` */
    rg_buf bytes;
    size_t at;     /* of `bytes`: what comes next */
    size_t looked; /* up to there no line ends */
    size_t n_line; /* of the line that was given, with its end; 0: none */
    bool skips;    /* in a line that is too long */
};

rg_status rg_tail_open(rg_tail **tail, const char *path)
{
    rg_tail *t = rg_alloc_zero(1, sizeof *t);
    char *copy = rg_strdup(path);
    if (t == NULL || copy == NULL) {
        rg_free(t);
        rg_free(copy);
        return rg_no_memory(strlen(path), "a file to follow");
    }
    t->path = copy;
    rg_buf_init(&t->bytes, 0);
    *tail = t;
    return RG_OK;
}

void rg_tail_close(rg_tail *t)
{
    if (t == NULL)
        return;
    rg_buf_fini(&t->bytes);
    rg_free(t->path);
    rg_free(t);
}

/* What is behind `offset`, a chunk of it, appended; false: there is nothing. */
static bool read_more(rg_tail *t)
{
    uint64_t size = rg_path_size(t->path);
    rg_file *file;
    size_t got = 0;
    if (size < t->offset) { /* begun anew */
        t->offset = t->at = t->looked = 0;
        rg_buf_clear(&t->bytes);
    }
    if (size == t->offset || rg_file_open(&file, t->path) != RG_OK)
        return false;
    if (t->at > 0) {
        memmove(t->bytes.data, t->bytes.data + t->at, t->bytes.len - t->at);
        t->bytes.len -= t->at;
        t->looked -= t->at;
        t->at = 0;
    }
    size_t had = t->bytes.len;
    rg_buf_room(&t->bytes, CHUNK);
    if (rg_buf_status(&t->bytes) != RG_OK || rg_file_seek(file, t->offset) != RG_OK ||
        rg_file_read_some(file, t->bytes.data + had, CHUNK, &got) != RG_OK)
        got = 0;
    t->bytes.len = had + got;
    t->offset += got;
    rg_file_close(file);
    return got > 0;
}

bool rg_tail_line(rg_tail *t, const char **line, size_t *n)
{
    for (;;) {
        const uint8_t *end = t->looked < t->bytes.len
                                 ? memchr(t->bytes.data + t->looked, '\n', t->bytes.len - t->looked)
                                 : NULL;
        if (end != NULL) {
            t->looked = (size_t)(end - t->bytes.data);
            t->n_line = t->looked + 1 - t->at;
            *line = (const char *)t->bytes.data + t->at;
            *n = t->n_line - 1;
            if (!t->skips)
                return true;
            t->skips = false;
            rg_tail_drop(t);
            continue;
        }
        t->looked = t->bytes.len;
        if (t->bytes.len - t->at > MOST) {
            t->skips = true;
            t->at = t->bytes.len;
        }
        if (!read_more(t))
            return false;
    }
}

void rg_tail_drop(rg_tail *t)
{
    t->at += t->n_line;
    t->looked = t->at;
    t->n_line = 0;
}

rg_status rg_tail_last(const char *path, size_t lines, size_t max_bytes, rg_buf *out)
{
    uint64_t from;
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_status code = rg_file_tail(path, max_bytes, &text, &from);
    size_t at = text.len;
    for (size_t seen = 0; code == RG_OK && at > 0; at--)
        if (text.data[at - 1] == '\n' && at < text.len && ++seen >= lines)
            break;
    if (code == RG_OK && from > 0 && at == 0) { /* the first is not whole */
        const uint8_t *end = memchr(text.data, '\n', text.len);
        at = end != NULL ? (size_t)(end - text.data) + 1 : 0;
    }
    if (code == RG_OK && text.len > at)
        rg_buf_add(out, text.data + at, text.len - at);
    rg_buf_fini(&text);
    return code == RG_OK ? rg_buf_status(out) : code;
}
