/* embedding_export.c - tables as files of others. */
#include "cli/embedding.h"

#include "base/mem.h"
#include "sys/file.h"

#include <stdio.h>
#include <string.h>

enum { NPY_ALIGN = 64, MAX_WORDS_BYTES = 1 << 30 };

/* ---- npy ---- */

/* The header is padded so that the data begin at a multiple of 64 bytes. */
static rg_status write_npy(const char *path, const char *dtype, const char *shape, const void *data,
                           size_t bytes)
{
    static const char magic[8] = "\x93NUMPY\x01"; /* and the minor version, 0 */
    rg_file *file = NULL;
    rg_buf head;
    rg_buf_init(&head, 0);
    rg_buf_printf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", dtype, shape);
    while ((head.len + 1 + 10) % NPY_ALIGN != 0)
        rg_buf_char(&head, ' ');
    rg_buf_char(&head, '\n');
    uint8_t length[2] = {(uint8_t)(head.len & 255), (uint8_t)(head.len >> 8)};
    rg_status code = rg_buf_status(&head);
    if (code == RG_OK)
        code = rg_file_create(&file, path);
    if (code == RG_OK)
        code = rg_file_write(file, magic, sizeof magic);
    if (code == RG_OK)
        code = rg_file_write(file, length, sizeof length);
    if (code == RG_OK)
        code = rg_file_write(file, head.data, head.len);
    if (code == RG_OK)
        code = rg_file_write(file, data, bytes);
    if (code == RG_OK)
        code = rg_file_finish(file);
    rg_file_close(file);
    rg_buf_fini(&head);
    return code;
}

rg_status rg_embedding_to_npy(const rg_embedding *t, const char *path)
{
    char shape[64];
    (void)snprintf(shape, sizeof shape, "(%zu, %zu)", t->n, t->dim);
    RG_TRY(write_npy(path, "<f4", shape, t->values, t->n * t->dim * sizeof *t->values));
    if (t->ids == NULL)
        return RG_OK;
    rg_buf ids;
    rg_buf_init(&ids, 0);
    rg_buf_printf(&ids, "%s.ids.npy", path);
    (void)snprintf(shape, sizeof shape, "(%zu,)", t->n);
    rg_status code = rg_buf_status(&ids);
    if (code == RG_OK)
        code = write_npy(rg_buf_cstr(&ids), "<i8", shape, t->ids, t->n * sizeof *t->ids);
    rg_buf_fini(&ids);
    return code;
}

/* ---- word2vec ---- */

typedef struct words {
    rg_buf text;
    const char **at; /* of each line */
    size_t n, cap;
} words;

static rg_status read_words(words *w, const char *path)
{
    rg_buf_init(&w->text, MAX_WORDS_BYTES);
    RG_TRY(rg_file_read_all(path, MAX_WORDS_BYTES, &w->text));
    for (char *at = (char *)w->text.data; at != NULL && *at != '\0';) {
        char *end = strchr(at, '\n');
        if (end != NULL)
            *end++ = '\0';
        at[strcspn(at, "\r")] = '\0';
        if (at[0] == '\0' || strpbrk(at, " \t") != NULL)
            return rg_fail(RG_EINVAL,
                           "%s:%zu: a word is wanted, without a space in it: the format "
                           "has none",
                           path, w->n + 1);
        RG_TRY(rg_grow((void **)&w->at, w->n, &w->cap, sizeof *w->at));
        w->at[w->n++] = at;
        at = end;
    }
    return RG_OK;
}

static rg_status write_row(rg_file *file, const rg_embedding *t, size_t row, const words *w,
                           rg_buf *line)
{
    int64_t id = rg_embedding_id(t, row);
    rg_buf_clear(line);
    if (w == NULL)
        rg_buf_printf(line, "%lld", (long long)id);
    else if (id >= 0 && (uint64_t)id < w->n)
        rg_buf_text(line, w->at[id]);
    else
        return rg_fail(RG_EINVAL, "--words has %zu lines, and there is an id %lld", w->n,
                       (long long)id);
    for (size_t i = 0; i < t->dim; i++)
        rg_buf_printf(line, " %.9g", (double)t->values[row * t->dim + i]);
    rg_buf_char(line, '\n');
    RG_TRY(rg_buf_status(line));
    return rg_file_write(file, line->data, line->len);
}

static rg_status write_rows(const rg_embedding *t, const char *path, const words *w)
{
    rg_file *file;
    rg_buf line;
    RG_TRY(rg_file_create(&file, path));
    rg_buf_init(&line, 0);
    rg_buf_printf(&line, "%zu %zu\n", t->n, t->dim);
    rg_status code = rg_file_write(file, line.data, line.len);
    for (size_t i = 0; code == RG_OK && i < t->n; i++)
        code = write_row(file, t, i, w, &line);
    if (code == RG_OK)
        code = rg_file_finish(file);
    rg_file_close(file);
    rg_buf_fini(&line);
    return code;
}

rg_status rg_embedding_to_word2vec(const rg_embedding *t, const char *path, const char *words_path)
{
    words w = {0};
    if (words_path == NULL || words_path[0] == '\0')
        return write_rows(t, path, NULL);
    rg_status code = read_words(&w, words_path);
    if (code == RG_OK)
        code = write_rows(t, path, &w);
    rg_free(w.at);
    rg_buf_fini(&w.text);
    return code;
}
