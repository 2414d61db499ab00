/* parse.c - the parser of multi-slot lines.
 *
 * Numbers are read eight bytes at a time: how many of them are digits is found by one sum
 * and one mask, and their value by two multiplications, so that numbers of changing
 * length cost no wrong guesses of a branch. The newline that ends a line stops every
 * number; so nothing is compared with the end but where something is wrong. */
#include "base/mem.h"
#include "data/feed_priv.h"
#include "data/rows_priv.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum { SHOWN_BYTES = 40 };

/* ---- digits ---- */

static inline uint64_t load8(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes ^ 0x3030303030303030u; /* digits are now 0 to 9 */
}

/* How many of the eight bytes are digits, from the first on. */
static inline unsigned count_digits(uint64_t bytes)
{
    uint64_t other = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* The number that the first n >= 1 of them make. */
static inline uint64_t digits_value(uint64_t bytes, unsigned n)
{
    bytes <<= 64 - 8 * n;
    bytes = bytes * 10 + (bytes >> 8);
    const uint64_t mask = 0x000000ff000000ffu;
    return (((bytes & mask) * (100 + (1000000ull << 32))) +
            (((bytes >> 16) & mask) * (1 + (10000ull << 32)))) >>
           32;
}

static const uint32_t ten_to[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *skip_blanks(const char *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

/* Past one blank that follows a number; NULL where something else does. Where there are more,
 * the next number does not begin here, and its slow path passes over them. */
static inline const char *after_number(const char *p, const char *end)
{
    if (LIKELY(*p == ' '))
        return p + 1;
    return p == end || is_blank(*p) ? p : NULL;
}

/* ---- ids ---- */

/* As strtoull reads them, "-1" included; NULL where there is none or it does not fit. */
static const char *slow_id(const char *p, int64_t *id)
{
    p = skip_blanks(p);
    bool negative = *p == '-';
    p += negative || *p == '+';
    uint64_t value = 0;
    unsigned n = 0;
    for (; *p >= '0' && *p <= '9'; p++, n++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return NULL;
    *id = (int64_t)(negative ? 0 - value : value);
    return n ? p : NULL;
}

static inline const char *read_id(const char *p, int64_t *id)
{
    uint64_t bytes = load8(p);
    unsigned n = count_digits(bytes);
    if (UNLIKELY(n == 0 || n == 8))
        return slow_id(p, id);
    *id = (int64_t)digits_value(bytes, n);
    return p + n;
}

/* ---- floats ---- */

static locale_t plain_locale; /* a point is a point, whatever the user's language */

static void make_locale(void)
{
    plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static const char *slow_float(const char *p, float *value)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_locale);
    p = skip_blanks(p);
    if (*p <= ' ') /* strtof would pass over other white space, newlines too */
        return NULL;
    char *end;
    *value = plain_locale ? strtof_l(p, &end, plain_locale) : strtof(p, &end);
    /* "nan" and "inf" are numbers to strtof, and so is what is too large for a float. One of
     * them in the data, and a few steps later every weight is NaN. */
    return end != p && isfinite(*value) ? end : NULL;
}

/* A whole number below 2^53 divided by a power of ten up to 10^22 is the nearest double.
 * Rounding that to float is the nearest float too, unless the double is within a rounding
 * of the middle of two floats, or is below the normal floats. */
static inline bool float_is_sure(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t low = (bits & 0x1fffffffu) - 0x0fffffffu;
    return low > 2 && (value > 1e-37 || value == 0);
}

static inline const char *read_float(const char *start, float *value)
{
    const char *p = start + (*start == '-');
    uint64_t number, bytes;
    unsigned whole = 1, part = 0;
    if (LIKELY(p[1] == '.' && *p >= '0' && *p <= '9')) { /* mostly they are small */
        number = (uint64_t)(*p - '0');
    } else {
        bytes = load8(p);
        whole = count_digits(bytes);
        if (UNLIKELY(whole == 0 || whole == 8))
            return slow_float(start, value);
        number = digits_value(bytes, whole);
    }
    p += whole;
    if (*p == '.') {
        bytes = load8(p + 1);
        part = count_digits(bytes);
        if (UNLIKELY(part == 0 || part == 8))
            return slow_float(start, value);
        number = number * ten_to[part] + digits_value(bytes, part);
        p += 1 + part;
    }
    double exact = (double)number / (double)ten_to[part];
    if (UNLIKELY((*p | 0x20) == 'e' || (*p | 0x20) == 'x' || !float_is_sure(exact)))
        return slow_float(start, value);
    *value = (float)(*start == '-' ? -exact : exact);
    return p;
}

/* ---- what is wrong ---- */

/* The word at p, cut to what a message can hold, in plain ASCII. */
static const char *shown(const char *p, const char *end, char text[SHOWN_BYTES + 8])
{
    size_t n = 0;
    for (; p + n < end && !is_blank(p[n]) && n < SHOWN_BYTES; n++)
        text[n] = (char)((unsigned char)(p[n] - 0x20) < 0x5f ? p[n] : '?');
    bool cut = p + n < end && !is_blank(p[n]);
    memcpy(text + n, cut ? "..." : "\0\0\0", 4);
    return text;
}

/* What an editor of Windows puts before a file's first line, which nobody sees there. */
static const char *mark_note(const char *p, const char *end)
{
    if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        return "; it begins with a byte order mark (EF BB BF): save the file without one, or take "
               "it "
               "away in the pipe command (sed '1s/^\\xEF\\xBB\\xBF//')";
    if (end - p >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        return "; this looks like UTF-16: save the file as plain text, or convert it in the pipe "
               "command (iconv -f UTF-16 -t UTF-8)";
    return "";
}

static rg_status bad_slot(const rg_feed *feed, size_t slot, const char *p, const char *end,
                          const char *wanted)
{
    char text[SHOWN_BYTES + 8];
    const char *name = feed->slots[slot].name;
    p = skip_blanks(p);
    if (p >= end)
        return rg_fail(RG_EVALUE, "slot '%s' (%zu of %zu): the line ends, wanted %s", name,
                       slot + 1, feed->n_slots, wanted);
    return rg_fail(RG_EVALUE, "slot '%s' (%zu of %zu): got '%s', wanted %s%s", name, slot + 1,
                   feed->n_slots, shown(p, end, text), wanted, mark_note(p, end));
}

static rg_status bad_count(const rg_feed *feed, size_t slot, const char *p, const char *end,
                           uint64_t n)
{
    const feed_step *step = &feed->steps[slot];
    const char *name = feed->slots[slot].name;
    if (step->dense && n != step->width)
        return rg_fail(RG_EVALUE, "slot '%s' (%zu of %zu): got %llu values, wanted %u", name,
                       slot + 1, feed->n_slots, (unsigned long long)n, step->width);
    if (n == 0)
        return rg_fail(RG_EVALUE,
                       "slot '%s' (%zu of %zu): got 0 values, wanted at least 1 (give an empty "
                       "slot one 0)",
                       name, slot + 1, feed->n_slots);
    return rg_fail(RG_EVALUE,
                   "slot '%s' (%zu of %zu): got a count of %llu with %zu bytes left, "
                   "wanted that many values",
                   name, slot + 1, feed->n_slots, (unsigned long long)n, (size_t)(end - p));
}

/* ---- one slot ---- */

/* The number of values that follow; NULL and the message where there is none. */
static inline const char *read_count(const rg_feed *feed, size_t slot, const char *p,
                                     const char *end, uint32_t *count)
{
    const feed_step *step = &feed->steps[slot];
    int64_t n;
    const char *after;
    if (LIKELY(p[0] >= '0' && p[0] <= '9' && p[1] == ' ')) {
        n = p[0] - '0';
        after = p + 2;
    } else {
        p = skip_blanks(p);
        const char *q = *p == '-' || *p == '+' ? NULL : read_id(p, &n);
        after = q ? after_number(q, end) : NULL;
        if (after == NULL) {
            (void)bad_slot(feed, slot, p, end, "a count of values");
            return NULL;
        }
    }
    /* A value takes a byte and a blank at least, the last one a byte. */
    if (UNLIKELY(n <= 0 || (uint64_t)n > ((uint64_t)(end - after) + 1) / 2 ||
                 (step->dense && (uint64_t)n != step->width))) {
        (void)bad_count(feed, slot, after, end, (uint64_t)n);
        return NULL;
    }
    *count = (uint32_t)n;
    return after;
}

static const char *read_ids(const char *p, const char *end, uint32_t n, int64_t *to,
                            const char **bad)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *q = read_id(p, &to[i]);
        q = LIKELY(q != NULL) ? after_number(q, end) : NULL;
        if (UNLIKELY(q == NULL)) {
            *bad = p;
            return NULL;
        }
        p = q;
    }
    return p;
}

static const char *read_floats(const char *p, const char *end, uint32_t n, float *to,
                               const char **bad)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *q = read_float(p, &to[i]);
        q = LIKELY(q != NULL) ? after_number(q, end) : NULL;
        if (UNLIKELY(q == NULL)) {
            *bad = p;
            return NULL;
        }
        p = q;
    }
    return p;
}

/* How many of the n values stay when zeros are left out: at least one. */
static uint32_t drop_zero_ids(int64_t *ids, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (ids[i] != 0)
            ids[kept++] = ids[i];
    if (kept == 0)
        ids[kept++] = 0;
    return kept;
}

static uint32_t drop_zero_floats(float *values, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!(fabsf(values[i]) < 1e-6f))
            values[kept++] = values[i];
    if (kept == 0)
        values[kept++] = 0;
    return kept;
}

/* A slot that nobody uses: its values need only be there. */
static const char *skip_values(const char *p, const char *end, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        p = skip_blanks(p);
        if (p >= end)
            return NULL;
        while (p < end && !is_blank(*p))
            p++;
    }
    return p;
}

static rg_status parse_slot(const rg_feed *feed, size_t slot, const char **at, const char *end,
                            rg_rows *rows)
{
    const feed_step *step = &feed->steps[slot];
    uint32_t n;
    const char *p = read_count(feed, slot, *at, end, &n), *bad = NULL;
    if (UNLIKELY(p == NULL))
        return RG_EVALUE;
    if (!step->used) {
        *at = skip_values(p, end, n);
        return *at ? RG_OK : bad_slot(feed, slot, end, end, "a value");
    }
    rg_column *c = &rows->columns[step->column];
    if (UNLIKELY(c->n_values + n > c->cap_values))
        RG_TRY(rg_column_reserve(c, n));
    if (step->ids) {
        int64_t *to = (int64_t *)c->values + c->n_values;
        p = read_ids(p, end, n, to, &bad);
        if (UNLIKELY(p == NULL))
            return bad_slot(feed, slot, bad, end, "an id (a whole number below 2^64)");
        if (feed->drop_zeros && !step->dense)
            n = drop_zero_ids(to, n);
    } else {
        float *to = (float *)c->values + c->n_values;
        p = read_floats(p, end, n, to, &bad);
        if (UNLIKELY(p == NULL))
            return bad_slot(feed, slot, bad, end, "a finite number");
        if (feed->drop_zeros && !step->dense)
            n = drop_zero_floats(to, n);
    }
    c->n_values += n;
    *at = p;
    if (LIKELY(c->ends == NULL && c->each == n && rows->n_rows > 0))
        return RG_OK;
    return rg_column_end_row(c, rows->n_rows, n);
}

/* "1 TEXT" */
static rg_status parse_text(const char *what, const char **at, const char *end, rg_texts *texts,
                            size_t row)
{
    const char *p = *at, *q;
    if (end - p < 3 || p[0] != '1' || p[1] != ' ') {
        char text[SHOWN_BYTES + 8];
        return rg_fail(RG_EVALUE, "%s: got '%s', wanted '1 TEXT' at the head of the line", what,
                       shown(p, end, text));
    }
    p += 2;
    for (q = p; q < end && !is_blank(*q);)
        q++;
    RG_TRY(rg_texts_add(texts, row, p, (size_t)(q - p)));
    *at = skip_blanks(q);
    return RG_OK;
}

static rg_status parse_line(const rg_feed *feed, const char *p, const char *end, rg_rows *rows)
{
    p = skip_blanks(p);
    if (feed->ins_id)
        RG_TRY(parse_text("the instance's id", &p, end, &rows->ins_ids, rows->n_rows));
    if (feed->content)
        RG_TRY(parse_text("the instance's content", &p, end, &rows->contents, rows->n_rows));
    for (size_t i = 0; i < feed->n_slots; i++)
        RG_TRY(parse_slot(feed, i, &p, end, rows));
    p = skip_blanks(p);
    if (UNLIKELY(p != end)) {
        char text[SHOWN_BYTES + 8];
        return rg_fail(RG_EVALUE,
                       "after slot '%s', the last of %zu: got '%s', wanted the end of "
                       "the line",
                       feed->slots[feed->n_slots - 1].name, feed->n_slots, shown(p, end, text));
    }
    return RG_OK;
}

const char *rg_parse_id(const char *p, int64_t *id)
{
    return read_id(p, id);
}

const char *rg_parse_float(const char *p, float *value)
{
    return read_float(p, value);
}

rg_status rg_parse_bad(const rg_feed *feed, size_t slot, const char *p, const char *end,
                       const char *wanted)
{
    return bad_slot(feed, slot, p, end, wanted);
}

rg_status rg_feed_parse(const rg_feed *feed, const char *text, const char *end, rg_rows *rows)
{
    bool blank = false;
    rg_status code = feed->named ? rg_parse_named(feed, text, end, rows, &blank)
                                 : parse_line(feed, text, end, rows);
    if (LIKELY(code == RG_OK))
        rows->n_rows += !blank;
    else
        rg_rows_undo(rows);
    return code;
}
