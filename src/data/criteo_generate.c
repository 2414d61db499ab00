/* criteo_generate.c - made-up click logs from a model that is known. */
#include "data/criteo.h"

#include "base/mem.h"
#include "base/philox.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { COUNTS = 13, CATEGORIES = 26, DRAWS = 64, CENTRE_ROWS = 4096, BINS = 1 << 18 };
enum { WRITE_BYTES = 1 << 20 };

/* Distinct values of the categories, of the order of the real logs'. */
static const double cardinality[CATEGORIES] = {
    1460, 583,   1000000, 400000, 305,  24,   12517, 633,    3,  93145, 5683,   900000, 3194,
    27,   14992, 800000,  10,     5652, 2173, 4,     850000, 18, 15,    286181, 105,    142572,
};
/* Of the counts: how often they are missing, how large they are, what they weigh. */
static const double missing[COUNTS] = {.45,   0,   .21, .21, .03, .22, .04,
                                       .0005, .04, .45, .04, .76, .21};
static const double scale[COUNTS] = {2, 20, 10, 6, 9000, 60, 10, 8, 60, .6, 2, .4, 6};
static const double size[COUNTS] = {20, 603, 100, 50, 64000, 500, 100, 50, 500, 10, 10, 10, 50};
static const double weight[COUNTS] = {1.2, -.8, .9, -.6, .7, -1., .8, .5, -.9, 1.1, -.7, .6, -.5};

/* A number that looks as if drawn, of a number (SplitMix64's last steps). */
static uint64_t scatter(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

typedef struct row {
    long count[COUNTS];
    bool is_missing[COUNTS];
    uint32_t category[CATEGORIES];
    double logit, draw;
} row;

/* In (0, 1). */
static double uniform(uint32_t bits)
{
    return ((double)bits + 0.5) / 4294967296.0;
}

/* A rank from 0 on, under a power law that ends at n: its distribution function inverted. */
static uint64_t draw_rank(uint32_t bits, double n)
{
    double e = n <= 4 ? 0.7 : -0.05;
    double r = pow((pow(n + 1, e) - 1) * uniform(bits) + 1, 1 / e);
    return (uint64_t)(r < n ? r : n) - 1;
}

static void draw_row(uint64_t seed, uint64_t number, row *r)
{
    uint32_t bits[DRAWS];
    rg_philox_blocks((rg_philox_key){seed, 0xc217e0}, number * (DRAWS / 4), DRAWS / 4, bits);
    r->logit = 0;
    for (int i = 0; i < CATEGORIES; i++) {
        uint64_t rank = draw_rank(bits[i], cardinality[i]);
        r->category[i] = (uint32_t)scatter(rank + ((uint64_t)(i + 1) << 40));
        uint64_t w = scatter(r->category[i] + ((uint64_t)(i + 14) << 33));
        r->logit += ((double)(w >> 11) / 9007199254740992.0 - 0.5) * 1.6;
    }
    for (int i = 0; i < COUNTS; i++) {
        double value = pow(-log(uniform(bits[26 + i])), 1.3) * scale[i];
        r->is_missing[i] = uniform(bits[39 + i]) < missing[i];
        r->count[i] = (long)value + (i == 1 ? -3 : 0);
        double scaled = floor(value) / size[i];
        if (!r->is_missing[i])
            r->logit += (scaled < 3 ? scaled : 3) * weight[i];
    }
    r->draw = uniform(bits[52]);
}

static char *put_long(char *to, long value)
{
    char text[24], *at = text + sizeof text;
    unsigned long left = value < 0 ? 0 - (unsigned long)value : (unsigned long)value;
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value < 0)
        *--at = '-';
    size_t n = (size_t)(text + sizeof text - at);
    memcpy(to, at, n);
    return to + n;
}

static char *put_row(char *to, const row *r, int label)
{
    static const char digits[] = "0123456789abcdef";
    *to++ = (char)('0' + label);
    for (int i = 0; i < COUNTS; i++) {
        *to++ = '\t';
        if (!r->is_missing[i])
            to = put_long(to, r->count[i]);
    }
    for (int i = 0; i < CATEGORIES; i++) {
        *to++ = '\t';
        for (int shift = 28; shift >= 0; shift -= 4)
            *to++ = digits[r->category[i] >> shift & 15];
    }
    *to++ = '\n';
    return to;
}

/* The chance that a clicked line has a higher probability than one that was not. */
static double auc_of(const uint64_t *clicked, const uint64_t *others)
{
    double below = 0, pairs = 0, n_clicked = 0;
    for (int i = 0; i < BINS; i++) {
        pairs += (double)clicked[i] * (below + (double)others[i] / 2);
        below += (double)others[i];
        n_clicked += (double)clicked[i];
    }
    return below * n_clicked > 0 ? pairs / (below * n_clicked) : 0;
}

/* So that about a quarter of the lines are clicked. */
static double centre_of(uint64_t seed)
{
    row r;
    double sum = 0;
    for (uint64_t i = 0; i < CENTRE_ROWS; i++) {
        draw_row(seed, i, &r);
        sum += r.logit;
    }
    return sum / CENTRE_ROWS;
}

rg_status rg_criteo_generate(uint64_t rows, uint64_t seed, rg_criteo_write write, void *arg,
                             double *auc)
{
    uint64_t *bins[2] = {rg_alloc_zero(BINS, sizeof **bins), rg_alloc_zero(BINS, sizeof **bins)};
    char *out = rg_alloc(WRITE_BYTES + RG_CRITEO_LINE_BYTES), *to = out;
    rg_status code = RG_OK;
    row r;
    if (bins[0] == NULL || bins[1] == NULL || out == NULL)
        code = rg_no_memory(WRITE_BYTES, "made-up logs");
    double shift = -1.25 - centre_of(seed);
    for (uint64_t i = 0; code == RG_OK && i < rows; i++) {
        draw_row(seed, i, &r);
        double p = 1 / (1 + exp(-(r.logit + shift)));
        int label = r.draw < p;
        bins[label][(int)(p * (BINS - 1))]++;
        to = put_row(to, &r, label);
        if (to - out > WRITE_BYTES) {
            code = write(arg, out, (size_t)(to - out));
            to = out;
        }
    }
    if (code == RG_OK && to > out)
        code = write(arg, out, (size_t)(to - out));
    if (code == RG_OK)
        *auc = auc_of(bins[1], bins[0]);
    rg_free(bins[0]);
    rg_free(bins[1]);
    rg_free(out);
    return code;
}
