/* pyramid_hash.c - runs of ids of a sequence, as vectors that are put together from pieces of one
 * long table. A run is two to pyramid_layer ids that follow each other.
 *
 *   Out[run][j .. j + rand_len) = W[XXH32(the run, seed j) mod space_len ...)     j = 0, rand_len,
 * ...
 *
 * Ids are hashed as the bytes of float32 numbers, which X_Temp_Out holds. A run is left out where
 * the white list does not have it or the black list has it (both are Bloom filters, with
 * use_filter), and while training by chance, drop_out_percent of them: the numbers are those of the
 * C library's rand_r(), from `seed` on in every run, so that a batch of the same lengths loses the
 * same runs. When not training, Out is multiplied by drop_out_percent, as Paddle does it. DropPos
 * says which runs stayed. A sequence with none gives one row of zeros.
 *
 * W is trained by the gradient op itself, in place: W -= lr Out@GRAD. It is there only where X has
 * a gradient (stop_gradient=False), and X@GRAD is 0. All of this was compared with Paddle 1.8.5. */
#include "ir/program.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <stdio.h>
#include <string.h>

enum { X, W, WHITE_LIST, BLACK_LIST };
enum { OUT, DROP_POS, X_TEMP_OUT };
enum {
    NUM_EMB,
    SPACE_LEN,
    PYRAMID_LAYER,
    RAND_LEN,
    DROP_OUT_PERCENT,
    IS_TRAINING,
    USE_FILTER,
    WHITE_LIST_LEN,
    BLACK_LIST_LEN,
    SEED,
    LR,
    DISTRIBUTE_UPDATE_VARS
};

/* ---- hashes ---- */

static uint32_t rotate32(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static uint64_t rotate64(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#define X_1 2654435761u
#define X_2 2246822519u
#define X_3 3266489917u
#define X_4 668265263u
#define X_5 374761393u

/* Yann Collet's xxHash of 32 bits, over the bytes of n floats. */
static uint32_t xxh32(const float *at, int64_t n, uint32_t seed)
{
    uint32_t hash = seed + X_5;
    int64_t i = 0;
    if (n >= 4) {
        uint32_t sum[4] = {seed + X_1 + X_2, seed + X_2, seed, seed - X_1};
        for (; i + 4 <= n; i += 4)
            for (int k = 0; k < 4; k++)
                sum[k] = rotate32(sum[k] + bits_of(at[i + k]) * X_2, 13) * X_1;
        hash = rotate32(sum[0], 1) + rotate32(sum[1], 7) + rotate32(sum[2], 12) +
               rotate32(sum[3], 18);
    }
    hash += (uint32_t)n * 4;
    for (; i < n; i++)
        hash = rotate32(hash + bits_of(at[i]) * X_3, 17) * X_4;
    hash = (hash ^ hash >> 15) * X_2;
    hash = (hash ^ hash >> 13) * X_3;
    return hash ^ hash >> 16;
}

#define M_1 0x87c37b91114253d5u
#define M_2 0x4cf5ad432745937fu

static uint64_t finish64(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

/* Austin Appleby's MurmurHash3 of 128 bits, over the bytes of n floats. */
static void murmur3(const float *at, int64_t n, uint32_t seed, uint64_t out[2])
{
    uint64_t a = seed, b = seed, tail[2] = {0, 0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        uint64_t k = (uint64_t)bits_of(at[i + 1]) << 32 | bits_of(at[i]);
        uint64_t l = (uint64_t)bits_of(at[i + 3]) << 32 | bits_of(at[i + 2]);
        a = rotate64(a ^ rotate64(k * M_1, 31) * M_2, 27) + b;
        a = a * 5 + 0x52dce729;
        b = rotate64(b ^ rotate64(l * M_2, 33) * M_1, 31) + a;
        b = b * 5 + 0x38495ab5;
    }
    for (int64_t k = 0; i + k < n; k++)
        tail[k / 2] |= (uint64_t)bits_of(at[i + k]) << 32 * (k % 2);
    b ^= rotate64(tail[1] * M_2, 33) * M_1;
    a ^= rotate64(tail[0] * M_1, 31) * M_2;
    a ^= (uint64_t)n * 4;
    b ^= (uint64_t)n * 4;
    a += b;
    b += a;
    a = finish64(a);
    b = finish64(b);
    a += b;
    out[0] = a;
    out[1] = b + a;
}

/* ---- the lists of runs ---- */

/* A Bloom filter, as its bytes stand in a tensor: the head, then `bits` bits, the highest of a byte
 * first. Each of `hashes` MurmurHash3 names two bits. */
enum { FILTER_MAGIC = 17070416, FILTER_HASHES = 1 << 10 };
typedef struct filter_head {
    uint64_t magic, bits, hashes, count;
} filter_head;

typedef struct filter {
    filter_head head;
    const uint8_t *vector; /* NULL: there is no list */
} filter;

static rg_status open_filter(const rg_ctx *ctx, int slot, int length, filter *out)
{
    const rg_value *list = rg_in(ctx, slot);
    *out = (filter){.vector = NULL};
    if (!rg_attr_bool(ctx, USE_FILTER) || rg_attr_int(ctx, length) == 0)
        return RG_OK;
    if (list == NULL)
        return rg_fail(RG_EINVAL, "use_filter is set, and there is no %s", ctx->op->in[slot].name);
    size_t bytes = rg_value_bytes(list);
    if (bytes >= sizeof out->head)
        memcpy(&out->head, list->data, sizeof out->head);
    const filter_head *head = &out->head;
    if (bytes < sizeof *head || head->magic != FILTER_MAGIC || head->bits == 0 ||
        head->bits > (bytes - sizeof *head) * 8 || head->hashes > FILTER_HASHES)
        return rg_fail(RG_EVALUE, "%s %s is not a Bloom filter: %zu bytes, that begin with %llu",
                       ctx->op->in[slot].name, rg_in_name(ctx, slot, 0), bytes,
                       (unsigned long long)head->magic);
    out->vector = (const uint8_t *)list->data + sizeof *head;
    return RG_OK;
}

static bool has_bit(const filter *f, uint64_t hash)
{
    uint64_t bit = hash % f->head.bits;
    return (f->vector[bit >> 3] & 1 << (7 - (bit & 7))) != 0;
}

static bool has_run(const filter *f, const float *run, int64_t n)
{
    for (uint64_t i = 0; i < f->head.hashes; i++) {
        uint64_t hash[2];
        murmur3(run, n, (uint32_t)i, hash);
        if (!has_bit(f, hash[0]) || !has_bit(f, hash[1]))
            return false;
    }
    return true;
}

/* What rand_r() of the C library gives, so that the same runs are left out as by Paddle. */
static uint32_t next_random(uint32_t *state)
{
    uint32_t result = 0;
    for (int i = 0; i < 3; i++) {
        *state = *state * 1103515245u + 12345u;
        result = result << 10 ^ (*state / 65536 % (i == 0 ? 2048 : 1024));
    }
    return result;
}

/* ---- runs ---- */

/* How many runs a sequence of n ids has. */
static int64_t runs_of(int64_t n, int64_t layers)
{
    int64_t runs = 0;
    for (int64_t layer = 1; layer < layers && layer < n; layer++)
        runs += n - layer;
    return runs;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    int emb = rg_attr_int(ctx, NUM_EMB), piece = rg_attr_int(ctx, RAND_LEN);
    int64_t wanted = (int64_t)rg_attr_int(ctx, SPACE_LEN) + piece;
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I32));
    RG_TRY(RG_EXPECT_DTYPE(ctx, W, RG_F32));
    if (piece < 1 || emb < 1 || emb % piece != 0)
        return rg_fail(RG_EINVAL, "num_emb is %d and rand_len %d: the first must be a multiple",
                       emb, piece);
    if (rg_attr_int(ctx, PYRAMID_LAYER) < 2 || rg_attr_int(ctx, SPACE_LEN) < 1)
        return rg_fail(RG_EINVAL,
                       "pyramid_layer is %d and space_len %d, and must be at least 2 and 1",
                       rg_attr_int(ctx, PYRAMID_LAYER), rg_attr_int(ctx, SPACE_LEN));
    if (rg_shape_numel(rg_shape_of(ctx, W)) != wanted)
        return rg_fail(RG_ESHAPE, "W must be [%lld, 1], space_len and rand_len together",
                       (long long)wanted);
    const rg_shape *x = rg_shape_of(ctx, X);
    if (x->dim[1] != 1)
        return rg_fail(RG_ESHAPE, "X must be [total, 1]");
    int64_t marks = x->dim[0] < 0 ? -1 : x->dim[0] * rg_attr_int(ctx, PYRAMID_LAYER);
    if (rg_running(ctx))
        return RG_OK; /* the kernel sizes them */
    rg_set_out(ctx, OUT, RG_F32, &RG_SHAPE(-1, emb));
    rg_set_lod_level(ctx, OUT, 1);
    rg_set_out(ctx, DROP_POS, RG_I32, &RG_SHAPE(marks, 1));
    rg_set_out(ctx, X_TEMP_OUT, RG_F32, x);
    return RG_OK;
}

/* The runs of n ids that stay, as marks; returns how many. */
static int64_t mark(const rg_ctx *ctx, const filter *white, const filter *black, const float *ids,
                    int64_t n, uint32_t *state, int32_t *marks)
{
    float drop = rg_attr_float(ctx, DROP_OUT_PERCENT);
    int64_t kept = 0;
    for (int64_t layer = 1; layer < rg_attr_int(ctx, PYRAMID_LAYER) && layer < n; layer++)
        for (int64_t i = 0; i < n - layer; i++) {
            bool stays = (white->vector == NULL || has_run(white, ids + i, layer + 1)) &&
                         (black->vector == NULL || !has_run(black, ids + i, layer + 1));
            if (stays && rg_attr_int(ctx, IS_TRAINING) != 0)
                stays = !((float)next_random(state) / (float)INT32_MAX < drop);
            *marks++ = stays;
            kept += stays;
        }
    return kept;
}

/* The vector of a run, times factor. */
static void look_up(const rg_ctx *ctx, const float *run, int64_t n, const float *w, float factor,
                    float *out)
{
    uint32_t emb = (uint32_t)rg_attr_int(ctx, NUM_EMB),
             piece = (uint32_t)rg_attr_int(ctx, RAND_LEN);
    uint32_t space = (uint32_t)rg_attr_int(ctx, SPACE_LEN);
    for (uint32_t j = 0; j < emb; j += piece) {
        const float *from = w + xxh32(run, n, j) % space;
        for (uint32_t k = 0; k < piece; k++)
            out[j + k] = from[k] * factor;
    }
}

/* The rows of Out, by the marks. */
static void fill(const rg_ctx *ctx, const rg_lod *lod, const float *ids, const int32_t *marks,
                 float *out)
{
    const float *w = rg_in_data(ctx, W);
    int64_t emb = rg_attr_int(ctx, NUM_EMB);
    float factor = rg_attr_int(ctx, IS_TRAINING) != 0 ? 1 : rg_attr_float(ctx, DROP_OUT_PERCENT);
    for (int64_t s = 0; s < rg_lod_sequences(lod, 0); s++) {
        const float *at = ids + lod->offset[0][s];
        int64_t n = lod->offset[0][s + 1] - lod->offset[0][s];
        const float *before = out;
        for (int64_t layer = 1; layer < rg_attr_int(ctx, PYRAMID_LAYER) && layer < n; layer++)
            for (int64_t i = 0; i < n - layer; i++) {
                if (*marks++ == 0)
                    continue;
                look_up(ctx, at + i, layer + 1, w, factor, out);
                out += emb;
            }
        if (out == before) {
            memset(out, 0, (size_t)emb * sizeof *out);
            out += emb;
        }
    }
}

/* An output's memory, or scratch in its place. */
static rg_status sized(rg_ctx *ctx, int slot, rg_dtype dtype, const rg_shape *shape, void **data)
{
    if (!rg_has_out(ctx, slot)) {
        *data = rg_scratch(ctx, (size_t)rg_shape_numel(shape) * sizeof(float) + 1);
        return *data == NULL ? RG_ENOMEM : RG_OK;
    }
    RG_TRY(rg_out_resize(ctx, slot, 0, dtype, shape));
    *data = rg_out_data(ctx, slot);
    return RG_OK;
}

/* Marks of all sequences, and the LoDs of Out and DropPos by how many stay in each. */
static rg_status mark_all(rg_ctx *ctx, const rg_lod *lod, const float *ids, int32_t *marks,
                          rg_lod *out_lod, rg_lod *drop_lod)
{
    filter white, black;
    uint32_t state = (uint32_t)rg_attr_int(ctx, SEED);
    RG_TRY(open_filter(ctx, WHITE_LIST, WHITE_LIST_LEN, &white));
    RG_TRY(open_filter(ctx, BLACK_LIST, BLACK_LIST_LEN, &black));
    out_lod->offset[0][0] = drop_lod->offset[0][0] = 0;
    for (int64_t s = 0; s < rg_lod_sequences(lod, 0); s++) {
        int64_t from = lod->offset[0][s], n = lod->offset[0][s + 1] - from;
        int64_t kept = mark(ctx, &white, &black, ids + from, n, &state, marks);
        marks += runs_of(n, rg_attr_int(ctx, PYRAMID_LAYER));
        out_lod->offset[0][s + 1] = out_lod->offset[0][s] + (kept == 0 ? 1 : kept);
        drop_lod->offset[0][s + 1] = drop_lod->offset[0][s] + kept;
    }
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t rows = x->meta.shape.dim[0];
    const int32_t *from = x->data;
    const rg_lod *lod;
    rg_lod *out_lod = NULL, *drop_lod = NULL;
    void *ids, *marks;
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    rg_shape drop = RG_SHAPE(rows * rg_attr_int(ctx, PYRAMID_LAYER), 1);
    RG_TRY(sized(ctx, X_TEMP_OUT, RG_F32, &x->meta.shape, &ids));
    RG_TRY(sized(ctx, DROP_POS, RG_I32, &drop, &marks));
    for (int64_t i = 0; i < rows; i++)
        ((float *)ids)[i] = (float)from[i];
    memset(marks, 0, (size_t)drop.dim[0] * sizeof(int32_t));
    int64_t n = rg_lod_sequences(lod, 0);
    RG_TRY(rg_lod_one_level(&out_lod, n));
    rg_status code = rg_lod_one_level(&drop_lod, n);
    if (code == RG_OK)
        code = mark_all(ctx, lod, ids, marks, out_lod, drop_lod);
    if (code == RG_OK)
        code = rg_out_resize(ctx, OUT, 0, RG_F32,
                             &RG_SHAPE(out_lod->offset[0][n], rg_attr_int(ctx, NUM_EMB)));
    if (code == RG_OK) {
        fill(ctx, lod, ids, marks, rg_out_data(ctx, OUT));
        rg_value_set_lod(rg_out(ctx, OUT), out_lod);
        if (rg_has_out(ctx, DROP_POS))
            rg_value_set_lod(rg_out(ctx, DROP_POS), drop_lod);
    }
    rg_lod_release(out_lod);
    rg_lod_release(drop_lod);
    return code;
}

#define ATTRS                                                                                      \
    RG_ATTRS([NUM_EMB] = RG_INT("num_emb", 0, "the width of Out"),                                 \
             [SPACE_LEN] = RG_INT("space_len", 0, "places in the table where a piece may begin"),  \
             [PYRAMID_LAYER] = RG_INT("pyramid_layer", 2, "ids in the longest runs"),              \
             [RAND_LEN] = RG_INT("rand_len", 0, "the width of a piece"),                           \
             [DROP_OUT_PERCENT] = RG_FLOAT("drop_out_percent", 0, "runs left out, 0 to 1"),        \
             [IS_TRAINING] = RG_INT("is_training", 0, "1: runs are left out by chance"),           \
             [USE_FILTER] = RG_BOOLEAN("use_filter", true, "the lists decide which runs stay"),    \
             [WHITE_LIST_LEN] = RG_INT("white_list_len", 0, "0: no white list"),                   \
             [BLACK_LIST_LEN] = RG_INT("black_list_len", 0, "0: no black list"),                   \
             [SEED] = RG_INT("seed", 0, "of what is left out by chance"),                          \
             [LR] = RG_FLOAT("lr", 0, "the step that the gradient op takes"),                      \
             [DISTRIBUTE_UPDATE_VARS] = RG_STRING("distribute_update_vars", "",                    \
                                                  "variables that servers are to keep"))

static rg_status make_grad(rg_grad_ctx *ctx);

const rg_op rg_op_pyramid_hash = {
    .type = "pyramid_hash",
    .doc = "Runs of ids as vectors, put together from pieces of one long table.",
    .in = RG_SLOTS([X] = {"X", "sequences of ids, int32 [total, 1]"},
                   [W] = {"W", "the table, [space_len + rand_len, 1]", RG_NO_GRAD},
                   [WHITE_LIST] = {"WhiteList", "a Bloom filter", RG_OPTIONAL | RG_NO_GRAD},
                   [BLACK_LIST] = {"BlackList", "a Bloom filter", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[runs, num_emb], a sequence for each of X"},
                    [DROP_POS] = {"DropPos", "1 for each run that stays", RG_OPTIONAL},
                    [X_TEMP_OUT] = {"X_Temp_Out", "the ids as floats", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = infer,
    .kernel = kernel,
    .grad = make_grad,
};

/* ---- gradient ---- */

enum { G_X, G_W, G_DROP_POS, G_X_TEMP_OUT, G_DOUT };
enum { G_DX };

/* Whole numbers have no gradients, so X@GRAD is made here: it stands for the wish to train W. */
static rg_status make_grad(rg_grad_ctx *ctx)
{
    const rg_opdesc *forward = rg_grad_forward(ctx);
    const char *x = rg_opdesc_in(forward, "X")->names[0], *name;
    const rg_vardesc *var = rg_block_find(forward->block, x);
    char text[1024];
    rg_opdesc *op;
    rg_vardesc *made;
    if (var == NULL || var->stop_gradient)
        return RG_OK;
    if (snprintf(text, sizeof text, "%s@GRAD", x) >= (int)sizeof text)
        return rg_fail(RG_ETOOBIG, "the name %s is too long", x);
    RG_TRY(rg_grad_add(ctx, "pyramid_hash_grad", true, &op));
    RG_TRY(rg_grad_read_in(ctx, op, "X", "X"));
    RG_TRY(rg_grad_read_in(ctx, op, "W", "W"));
    RG_TRY(rg_grad_read_out(ctx, op, "DropPos", "DropPos"));
    RG_TRY(rg_grad_read_out(ctx, op, "X_Temp_Out", "X_Temp_Out"));
    RG_TRY(rg_grad_read_grad(ctx, op, "Out@GRAD", "Out"));
    if (rg_block_find(op->block, text) == NULL) {
        RG_TRY(rg_block_add_var(op->block, text, &made));
        made->meta = var->meta;
    }
    name = text;
    return rg_opdesc_set_out(op, "X@GRAD", 1, &name);
}

static void step(const rg_ctx *ctx, const float *run, int64_t n, const float *dout, float *w)
{
    uint32_t emb = (uint32_t)rg_attr_int(ctx, NUM_EMB),
             piece = (uint32_t)rg_attr_int(ctx, RAND_LEN);
    uint32_t space = (uint32_t)rg_attr_int(ctx, SPACE_LEN);
    float rate = rg_attr_float(ctx, LR);
    for (uint32_t j = 0; j < emb; j += piece) {
        float *to = w + xxh32(run, n, j) % space;
        for (uint32_t k = 0; k < piece; k++)
            to[k] -= rate * dout[j + k];
    }
}

static rg_status check_grad(const rg_ctx *ctx, const rg_lod *lod)
{
    int64_t rows = rg_shape_of(ctx, G_X)->dim[0], out_rows = 0;
    const rg_value *marks = rg_in(ctx, G_DROP_POS), *dout = rg_in(ctx, G_DOUT);
    RG_TRY(rg_expect_numel(ctx, G_DROP_POS, rows * rg_attr_int(ctx, PYRAMID_LAYER)));
    RG_TRY(rg_expect_numel(ctx, G_X_TEMP_OUT, rows));
    if (marks->meta.dtype != RG_I32 || rg_dtype_of(ctx, G_X_TEMP_OUT) != RG_F32)
        return rg_fail(RG_ESHAPE, "DropPos and X_Temp_Out must be what pyramid_hash gave");
    if (dout->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, G_DOUT);
    const int32_t *mark_at = marks->data;
    for (int64_t s = 0; s < rg_lod_sequences(lod, 0); s++) {
        int64_t runs = runs_of(lod->offset[0][s + 1] - lod->offset[0][s],
                               rg_attr_int(ctx, PYRAMID_LAYER)),
                kept = 0;
        for (int64_t i = 0; i < runs; i++)
            kept += *mark_at++ != 0;
        out_rows += kept == 0 ? 1 : kept;
    }
    return rg_expect_numel(ctx, G_DOUT, out_rows * rg_attr_int(ctx, NUM_EMB));
}

static rg_status grad_infer(rg_ctx *ctx)
{
    int64_t wanted = (int64_t)rg_attr_int(ctx, SPACE_LEN) + rg_attr_int(ctx, RAND_LEN);
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_W, RG_F32));
    if (rg_attr_int(ctx, RAND_LEN) < 1 || rg_attr_int(ctx, SPACE_LEN) < 1 ||
        rg_attr_int(ctx, NUM_EMB) < 1 ||
        rg_attr_int(ctx, NUM_EMB) % rg_attr_int(ctx, RAND_LEN) != 0 ||
        rg_shape_numel(rg_shape_of(ctx, G_W)) != wanted)
        return rg_fail(RG_ESHAPE, "W must be [space_len + rand_len, 1], and num_emb a multiple of "
                                  "rand_len");
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

/* W is an input in Paddle's programs, and changed all the same: nothing else trains it. */
static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_lod *lod;
    RG_TRY(rg_expect_one_level(ctx, G_X, &lod));
    RG_TRY(check_grad(ctx, lod));
    float *w = rg_in(ctx, G_W)->data;
    const float *ids = rg_in_data(ctx, G_X_TEMP_OUT), *dout = rg_in_data(ctx, G_DOUT);
    const int32_t *marks = rg_in_data(ctx, G_DROP_POS);
    int64_t emb = rg_attr_int(ctx, NUM_EMB);
    for (int64_t s = 0; s < rg_lod_sequences(lod, 0); s++) {
        int64_t from = lod->offset[0][s], n = lod->offset[0][s + 1] - from;
        const float *before = dout;
        for (int64_t layer = 1; layer < rg_attr_int(ctx, PYRAMID_LAYER) && layer < n; layer++)
            for (int64_t i = 0; i < n - layer; i++) {
                if (*marks++ == 0)
                    continue;
                step(ctx, ids + from + i, layer + 1, dout, w);
                dout += emb;
            }
        if (dout == before) /* its row of zeros */
            dout += emb;
    }
    if (rg_has_out(ctx, G_DX))
        memset(rg_out_data(ctx, G_DX), 0, rg_value_bytes(rg_out(ctx, G_DX)));
    return RG_OK;
}

const rg_op rg_op_pyramid_hash_grad = {
    .type = "pyramid_hash_grad",
    .doc = "Trains the table of pyramid_hash, in place.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_W] = {"W", ""},
                   [G_DROP_POS] = {"DropPos", ""}, [G_X_TEMP_OUT] = {"X_Temp_Out", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "zeros", RG_OPTIONAL}),
    .attr = ATTRS,
    .flags = RG_OP_EFFECT,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
