/* bad_line.c - which line a refused value is from. */
#include "train/bad_line_priv.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

/* The instance of the batch that has this id in feed i; -1: none. */
static int64_t find_id(const rg_value *feed, int64_t id)
{
    int64_t n = feed->meta.dtype == RG_I64 && feed->data != NULL ? rg_numel(feed) : 0, at = 0;
    const int64_t *ids = n > 0 ? rg_host_data(feed) : NULL;
    const rg_lod *lod = feed->meta.lod;
    while (at < n && ids[at] != id)
        at++;
    if (at == n)
        return -1;
    if (lod == NULL || lod->levels == 0)
        return at / (n / feed->meta.shape.dim[0]);
    int64_t row = 0;
    while (lod->offset[0][row + 1] <= at)
        row++;
    return row;
}

/* The number that stands behind these words in a text, and in front of `then`. */
static bool number_after(const char *text, const char *words, const char *then, int64_t *number)
{
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++) {
        const char *digits = at + strlen(words);
        char *end = NULL;
        *number = strtoll(digits, &end, 10);
        if (end != digits && strncmp(end, then, strlen(then)) == 0)
            return true;
    }
    return false;
}

/* The line that has this number in a feed which the message names, or, not `named`, in any. */
static bool find_line(const rg_bad_batch *of, int64_t number, bool named, rg_buf *where)
{
    for (int i = 0; i < of->n_feeds; i++) {
        uint32_t file;
        uint64_t line;
        int64_t row = find_id(rg_plan_feed(of->plan, i), number);
        if (row < 0 || (named && strstr(rg_error_message(), of->feeds[i]) == NULL) ||
            !rg_origins_find(of->origins, (size_t)row, &file, &line))
            continue;
        rg_buf_printf(where, "%s:%llu, slot %s", rg_dataset_file(of->dataset, file),
                      (unsigned long long)line, of->feeds[i]);
        return true;
    }
    return false;
}

rg_status rg_name_line(const rg_bad_batch *of, rg_status code)
{
    int64_t number;
    rg_buf where;
    bool is_id = number_after(rg_error_message(), " id ", "", &number);
    if (!is_id && !number_after(rg_error_message(), " is ", " at element ", &number))
        return code;
    rg_buf_init(&where, 0);
    if (find_line(of, number, true, &where) || (is_id && find_line(of, number, false, &where)))
        code = rg_context(code, "%s", rg_buf_cstr(&where));
    rg_buf_fini(&where);
    return code;
}
