/* slot_lines.c - lines of "slot:value" words.
 *
 * A file's lines mostly have their slots in the same order, so each word's slot is first guessed:
 * the one before, or the one that the feed has after it. Only a wrong guess is looked up. */
#include "data/feed_priv.h"
#include "data/rows_priv.h"

#include <math.h>
#include <string.h>

enum { MAX_NAME = 255 };

rg_status rg_feed_set_named(rg_feed *feed, double padding)
{
    if (!isfinite(padding))
        return rg_fail(RG_EINVAL, "a padding that is no finite number");
    for (size_t i = 0; i < feed->n_slots; i++) {
        if (strlen(feed->slots[i].name) > MAX_NAME)
            return rg_fail(RG_EINVAL, "slot '%.40s...' has a name of more than %d bytes",
                           feed->slots[i].name, MAX_NAME);
        RG_TRY(rg_map_put(&feed->by_name, feed->slots[i].name, &feed->steps[i]));
    }
    feed->named = true;
    feed->padding = padding;
    return RG_OK;
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_named(const rg_feed *feed, size_t slot, const char *word, size_t n)
{
    const char *name = feed->slots[slot].name;
    return strncmp(name, word, n) == 0 && name[n] == '\0';
}

/* The slot of the name word[0 .. n-1]; n_slots: none. */
static size_t find_slot(const rg_feed *feed, size_t last, const char *word, size_t n)
{
    if (is_named(feed, last, word, n))
        return last;
    if (last + 1 < feed->n_slots && is_named(feed, last + 1, word, n))
        return last + 1;
    char name[MAX_NAME + 1];
    if (n > MAX_NAME)
        return feed->n_slots;
    memcpy(name, word, n);
    name[n] = '\0';
    const feed_step *step = rg_map_get(&feed->by_name, name);
    return step ? (size_t)(step - feed->steps) : feed->n_slots;
}

static rg_status add_value(const rg_feed *feed, size_t slot, const char *p, const char *end,
                           rg_rows *rows)
{
    const feed_step *step = &feed->steps[slot];
    rg_column *c = &rows->columns[step->column];
    if (c->n_values == c->cap_values)
        RG_TRY(rg_column_reserve(c, 1));
    const char *q = NULL;
    if (p < end && !is_blank(*p)) /* the readers of numbers pass over blanks */
        q = step->ids ? rg_parse_id(p, (int64_t *)c->values + c->n_values)
                      : rg_parse_float(p, (float *)c->values + c->n_values);
    if (q == NULL || !(q == end || is_blank(*q) || *q == ':'))
        return p < end && is_blank(*p)
                   ? rg_fail(RG_EVALUE, "slot '%s': no value after its colon",
                             feed->slots[slot].name)
                   : rg_parse_bad(feed, slot, p, end,
                                  step->ids ? "an id (a whole number below 2^64)"
                                            : "a finite number");
    c->n_values++;
    return RG_OK;
}

static rg_status pad(const rg_feed *feed, const feed_step *step, rg_column *c)
{
    uint32_t n = step->dense ? step->width : 1;
    RG_TRY(rg_column_reserve(c, n));
    for (uint32_t i = 0; i < n; i++, c->n_values++)
        if (step->ids)
            ((int64_t *)c->values)[c->n_values] = (int64_t)feed->padding;
        else
            ((float *)c->values)[c->n_values] = (float)feed->padding;
    return RG_OK;
}

static rg_status end_row(const rg_feed *feed, rg_rows *rows)
{
    for (size_t i = 0; i < feed->n_slots; i++) {
        const feed_step *step = &feed->steps[i];
        if (!step->used)
            continue;
        rg_column *c = &rows->columns[step->column];
        uint32_t begin = rg_column_begin(c, rows->n_rows);
        if (c->n_values == begin)
            RG_TRY(pad(feed, step, c));
        size_t n = c->n_values - begin;
        if (step->dense && n != step->width)
            return rg_fail(RG_EVALUE, "slot '%s': got %zu values, wanted %u", feed->slots[i].name,
                           n, step->width);
        if (c->ends != NULL || c->each != n || rows->n_rows == 0)
            RG_TRY(rg_column_end_row(c, rows->n_rows, (uint32_t)n));
    }
    return RG_OK;
}

rg_status rg_parse_named(const rg_feed *feed, const char *p, const char *end, rg_rows *rows,
                         bool *blank)
{
    size_t last = 0, words = 0, known = 0;
    for (;;) {
        while (p < end && is_blank(*p))
            p++;
        if (p == end)
            break;
        const char *word = p;
        while (p < end && *p != ':' && !is_blank(*p))
            p++;
        words++;
        size_t slot = find_slot(feed, last, word, (size_t)(p - word));
        if (slot < feed->n_slots && *p != ':')
            return rg_fail(RG_EVALUE, "slot '%s': no value, wanted %s:VALUE",
                           feed->slots[slot].name, feed->slots[slot].name);
        if (slot < feed->n_slots) {
            known++;
            last = slot;
            if (feed->steps[slot].used)
                RG_TRY(add_value(feed, slot, p + 1, end, rows));
        }
        while (p < end && !is_blank(*p))
            p++;
    }
    *blank = words == 0;
    if (known == 0 && words > 0)
        return rg_fail(RG_EVALUE,
                       "none of the line's %zu words begins with the name of a slot "
                       "(the first slot is '%s'), wanted words of the form slot:value",
                       words, feed->slots[0].name);
    return words == 0 ? RG_OK : end_row(feed, rows);
}
