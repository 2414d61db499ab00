/* embedding_numbers.c - norms, dead and hot rows, neighbours. */
#include "cli/embedding.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The norm of a row, or of how far it is from another one. NaN or infinite where it is no number.
 */
static double norm(const float *row, const float *from, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double x = from ? (double)row[i] - (double)from[i] : (double)row[i];
        sum += x * x;
    }
    return sqrt(sum);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Keeps the k largest, largest first; of equal ones the one that came first. */
static void rank(rg_ranked *list, size_t *n, size_t k, rg_ranked one)
{
    if (k == 0 || (*n == k && !(one.value > list[k - 1].value)))
        return;
    size_t at = *n < k ? (*n)++ : k - 1;
    for (; at > 0 && one.value > list[at - 1].value; at--)
        list[at] = list[at - 1];
    list[at] = one;
}

static void fill_bins(rg_embedding_numbers *m, const double *norms, size_t n)
{
    double width = (m->most - m->least) / RG_BINS;
    for (size_t i = 0; i < n; i++) {
        size_t bin = width > 0 ? (size_t)((norms[i] - m->least) / width) : 0;
        m->bins[bin < RG_BINS ? bin : RG_BINS - 1]++;
    }
}

static void summarize(rg_embedding_numbers *m, double *norms, size_t n)
{
    double sum = 0;
    m->least = m->median = m->most = m->mean = 0;
    if (n == 0)
        return;
    qsort(norms, n, sizeof *norms, by_size);
    for (size_t i = 0; i < n; i++)
        sum += norms[i];
    m->least = norms[0];
    m->most = norms[n - 1];
    m->median = n % 2 ? norms[n / 2] : (norms[n / 2 - 1] + norms[n / 2]) / 2;
    m->mean = sum / (double)n;
    fill_bins(m, norms, n);
}

static void note(int64_t *ids, size_t *n, size_t shown, int64_t id)
{
    if (*n < shown)
        ids[*n] = id;
    (*n)++;
}

/* Where the same id stood when training began; NULL: it was not there, or nothing is known. */
static const float *row_at_start(const rg_embedding *start, int64_t id)
{
    size_t row;
    return start != NULL && rg_embedding_find(start, id, &row) ? start->values + row * start->dim
                                                               : NULL;
}

rg_status rg_embedding_measure(rg_embedding_numbers *m, const rg_embedding *t,
                               const rg_embedding *start, size_t shown)
{
    memset(m, 0, sizeof *m);
    if (start != NULL && start->dim != t->dim)
        return rg_fail(RG_EINVAL, "its rows have %zu floats, and those of the start %zu", t->dim,
                       start->dim);
    size_t n = 0;
    double *norms = rg_alloc((t->n + 1) * sizeof *norms);
    m->zero_ids = rg_alloc_zero(shown + 1, sizeof *m->zero_ids);
    m->bad_ids = rg_alloc_zero(shown + 1, sizeof *m->bad_ids);
    m->still_ids = rg_alloc_zero(shown + 1, sizeof *m->still_ids);
    m->hot = rg_alloc_zero(shown + 1, sizeof *m->hot);
    m->compared = start != NULL;
    if (norms == NULL || m->zero_ids == NULL || m->bad_ids == NULL || m->still_ids == NULL ||
        m->hot == NULL) {
        rg_free(norms);
        rg_embedding_numbers_fini(m);
        return rg_no_memory(t->n * sizeof *norms, "norms");
    }
    for (size_t i = 0; i < t->n; i++) {
        const float *row = t->values + i * t->dim;
        int64_t id = rg_embedding_id(t, i);
        const float *was = row_at_start(start, id);
        double size = norm(row, NULL, t->dim);
        if (!isfinite(size)) {
            note(m->bad_ids, &m->bad, shown, id);
            continue;
        }
        if (size == 0)
            note(m->zero_ids, &m->zeros, shown, id);
        if (was != NULL && memcmp(was, row, t->dim * sizeof *row) == 0)
            note(m->still_ids, &m->still, shown, id);
        norms[n++] = size;
        rank(m->hot, &m->n_hot, shown, (rg_ranked){id, was ? norm(row, was, t->dim) : size});
    }
    summarize(m, norms, n);
    rg_free(norms);
    return RG_OK;
}

void rg_embedding_numbers_fini(rg_embedding_numbers *m)
{
    rg_free(m->zero_ids);
    rg_free(m->bad_ids);
    rg_free(m->still_ids);
    rg_free(m->hot);
    m->zero_ids = m->bad_ids = m->still_ids = NULL;
    m->hot = NULL;
}

rg_status rg_embedding_near(const rg_embedding *t, int64_t id, size_t k, rg_ranked *near, size_t *n)
{
    size_t own;
    *n = 0;
    if (!rg_embedding_find(t, id, &own))
        return rg_fail(RG_ENOENT, "id %lld has no row in %s (%zu rows, ids below %lld)",
                       (long long)id, t->name, t->n, (long long)t->height);
    const float *a = t->values + own * t->dim;
    double size = norm(a, NULL, t->dim);
    if (!(size > 0) || !isfinite(size))
        return rg_fail(RG_EVALUE, "the row of id %lld %s: it has no direction", (long long)id,
                       size == 0 ? "is zero" : "is no number");
    for (size_t i = 0; i < t->n; i++) {
        const float *b = t->values + i * t->dim;
        double product = 0, other = norm(b, NULL, t->dim);
        if (i == own || !(other > 0) || !isfinite(other))
            continue;
        for (size_t j = 0; j < t->dim; j++)
            product += (double)a[j] * (double)b[j];
        rank(near, n, k, (rg_ranked){rg_embedding_id(t, i), product / (size * other)});
    }
    return RG_OK;
}
