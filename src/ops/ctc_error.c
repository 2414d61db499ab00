/* ctc_error.c - how far what paths of connectionist temporal classification say is from the labels.
 *
 * Of each path repeats are made one and blanks left out (ctc_align); what is left is compared with
 * the label by the changes that make one the other. Sums holds, added up over the sequences: the
 * changes, then those that take out, put in, and change a symbol, each over the longer of the two
 * lengths; how many sequences have any; and how many there are. v1's ctc_error_evaluator. */
#include "ops/labels.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { PATH, LABEL };
enum { SUMS };
enum { BLANK };
enum { CHANGES, TAKEN_OUT, PUT_IN, CHANGED, WRONG, SEQUENCES, N_SUMS };

static rg_status ctc_error_infer(rg_ctx *ctx)
{
    const rg_lod *lod[2];
    for (int in = PATH; in <= LABEL; in++) {
        RG_TRY(RG_EXPECT_DTYPE(ctx, in, RG_I64, RG_I32));
        RG_TRY(rg_expect_one_level(ctx, in, &lod[in]));
    }
    if (lod[PATH] && lod[LABEL] && lod[PATH]->count[0] != lod[LABEL]->count[0])
        return rg_fail(RG_ESHAPE, "there are %lld paths and %lld labels",
                       (long long)rg_lod_sequences(lod[PATH], 0),
                       (long long)rg_lod_sequences(lod[LABEL], 0));
    rg_set_out(ctx, SUMS, RG_F32, &RG_SHAPE(N_SUMS));
    return RG_OK;
}

static int64_t align(const int64_t *path, int64_t n, int64_t blank, int64_t *out)
{
    int64_t kept = 0;
    for (int64_t t = 0; t < n; t++)
        if (path[t] != blank && !(t > 0 && path[t] == path[t - 1]))
            out[kept++] = path[t];
    return kept;
}

/* The fewest changes from a to b, by kind. table: [n_a + 1][n_b + 1]. */
static void changes(const int64_t *a, int64_t n_a, const int64_t *b, int64_t n_b, int64_t *table,
                    int64_t found[3])
{
    int64_t width = n_b + 1;
    for (int64_t i = 0; i <= n_a; i++)
        for (int64_t j = 0; j <= n_b; j++) {
            int64_t best = i + j; /* at an edge: all are taken out, or put in */
            if (i > 0 && j > 0) {
                int64_t changed = table[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1]);
                int64_t out = table[(i - 1) * width + j] + 1, in = table[i * width + j - 1] + 1;
                best = changed < out ? changed : out;
                best = in < best ? in : best;
            }
            table[i * width + j] = best;
        }
    memset(found, 0, 3 * sizeof *found);
    for (int64_t i = n_a, j = n_b; i > 0 || j > 0;) {
        int64_t here = table[i * width + j];
        if (i > 0 && j > 0 && here == table[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1])) {
            found[2] += a[--i] != b[--j];
        } else if (i > 0 && here == table[(i - 1) * width + j] + 1) {
            found[0]++;
            i--;
        } else {
            found[1]++;
            j--;
        }
    }
}

static rg_status ctc_error_kernel(rg_ctx *ctx)
{
    const rg_lod *paths = rg_in_meta(ctx, PATH)->lod, *labels = rg_in_meta(ctx, LABEL)->lod;
    const int64_t *path, *label;
    double sums[N_SUMS] = {0};
    float *out = rg_out_data(ctx, SUMS);
    RG_TRY(rg_read_labels(ctx, PATH, &path));
    RG_TRY(rg_read_labels(ctx, LABEL, &label));
    for (int64_t i = 0; i < rg_lod_sequences(paths, 0); i++) {
        int64_t at = paths->offset[0][i], n = paths->offset[0][i + 1] - at, found[3];
        int64_t to = labels->offset[0][i], wanted = labels->offset[0][i + 1] - to;
        int64_t *said = rg_scratch(ctx, (size_t)(n + 1) * sizeof *said);
        int64_t *table = rg_scratch(ctx, (size_t)((n + 1) * (wanted + 1)) * sizeof *table);
        if (!said || !table)
            return RG_ENOMEM;
        n = align(path + at, n, rg_attr_int(ctx, BLANK), said);
        changes(said, n, label + to, wanted, table, found);
        double longer = (double)(n > wanted ? n : wanted);
        int64_t all = found[0] + found[1] + found[2];
        for (int k = 0; all > 0 && k < 3; k++)
            sums[TAKEN_OUT + k] += (double)found[k] / longer;
        sums[CHANGES] += all > 0 ? (double)all / longer : 0;
        sums[WRONG] += all > 0;
        sums[SEQUENCES] += 1;
    }
    for (int k = 0; k < N_SUMS; k++)
        out[k] = (float)sums[k];
    return RG_OK;
}

const rg_op rg_op_ctc_error = {
    .type = "ctc_error",
    .doc = "How far what paths of connectionist temporal classification say is from the labels.",
    .in = RG_SLOTS([PATH] = {"Path", "the best symbol of each step, sequences", RG_NO_GRAD},
                   [LABEL] = {"Label", "symbols, sequences", RG_NO_GRAD}),
    .out = RG_SLOTS([SUMS] = {"Sums", "float32, [6]"}),
    .attr = RG_ATTRS([BLANK] = RG_INT("blank", 0, "the symbol that is none")),
    .infer = ctc_error_infer,
    .kernel = ctc_error_kernel,
};
