/* gather_tree.c - whole beams, walked back from their last step.
 *
 * Ids and Parents are [steps, batch, beam]: what each beam chose at a step, and which beam of the
 * step before it goes on from. Out[:, b, k] is the sequence that ends in beam k. */
#include "ops/types.h"

enum { IDS, PARENTS };
enum { OUT };

static rg_status gather_tree_infer(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I32, RG_I64));
    RG_TRY(rg_expect_same_dtype(ctx, IDS, PARENTS));
    RG_TRY(rg_expect_rank(ctx, IDS, 3));
    RG_TRY(rg_expect_same_shape(ctx, IDS, PARENTS));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, IDS), rg_shape_of(ctx, IDS));
    return RG_OK;
}

#define WALK(T, S)                                                                                \
    static rg_status walk_##S(const T *ids, const T *parents, T *out, int64_t steps,              \
                              int64_t batch, int64_t beams)                                       \
    {                                                                                             \
        for (int64_t b = 0; b < batch; b++)                                                       \
            for (int64_t k = 0; k < beams; k++) {                                                 \
                int64_t beam = k;                                                                 \
                for (int64_t t = steps; t-- > 0;) {                                               \
                    int64_t row = (t * batch + b) * beams;                                        \
                    out[row + k] = ids[row + beam];                                               \
                    beam = (int64_t)parents[row + beam];                                          \
                    if (t > 0 && (beam < 0 || beam >= beams))                                     \
                        return rg_fail(RG_EVALUE,                                                 \
                                       "Parents has %lld at step %lld, and there are %lld beams", \
                                       (long long)beam, (long long)t, (long long)beams);          \
                }                                                                                 \
            }                                                                                     \
        return RG_OK;                                                                             \
    }
WALK(int32_t, i32)
WALK(int64_t, i64)

static rg_status gather_tree_kernel(rg_ctx *ctx)
{
    const rg_shape *s = rg_shape_of(ctx, IDS);
    const void *ids = rg_in_data(ctx, IDS), *parents = rg_in_data(ctx, PARENTS);
    void *out = rg_out_data(ctx, OUT);
    if (rg_dtype_of(ctx, IDS) == RG_I32)
        return walk_i32(ids, parents, out, s->dim[0], s->dim[1], s->dim[2]);
    return walk_i64(ids, parents, out, s->dim[0], s->dim[1], s->dim[2]);
}

const rg_op rg_op_gather_tree = {
    .type = "gather_tree",
    .doc = "Whole beams, walked back from their last step.",
    .in = RG_SLOTS([IDS] = {"Ids", "what was chosen, [steps, batch, beam]", RG_NO_GRAD},
                   [PARENTS] = {"Parents", "the beam of the step before, likewise", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the sequences that end in each beam"}),
    .infer = gather_tree_infer,
    .kernel = gather_tree_kernel,
};
