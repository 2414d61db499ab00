/* launch.h - the functions of the .cu files, for C: each puts its kernels into the stream and
 * returns at once. Pointers are the GPU's unless it is said. Those that return bool are false where
 * there is no kernel for the element type; nothing was launched then. Nothing to do (n of 0) is
 * fine everywhere. */
#ifndef RG_GPU_LAUNCH_H
#define RG_GPU_LAUNCH_H

#include "gpu/fault.h"
#include "tensor/dtype.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RG_GPU_MAX = 16 }; /* GPUs of a process */

/* ---- fc.cu: fully connected layers ---- */

enum rg_cu_act { RG_CU_NONE, RG_CU_RELU, RG_CU_SIGMOID, RG_CU_TANH };

/* out = act(x w + bias) for few columns: n at most RG_CU_THIN. */
enum { RG_CU_THIN = 8 };
void rg_cu_thin_fc(enum rg_cu_act act, int64_t m, int64_t n, int64_t k, const float *x,
                   const float *w, const float *bias, float *out, cudaStream_t stream);
/* dz = dout act'(out) (NULL: act is none, and dout is dz); its column sums go to dbias, and the
 * step bias -= rate sum is made. scale[0] = -rate, scale[1] = 1 where rate is there. All but dout
 * and room may be NULL. */
typedef struct rg_cu_back {
    int act;
    int64_t m, n;
    const float *out, *dout;
    float *dz, *dbias, *bias;
    const float *rate;
    float *scale, *room; /* room: rg_cu_fc_back_room floats */
} rg_cu_back;
int64_t rg_cu_fc_back_room(int64_t m, int64_t n);
void rg_cu_fc_back(const rg_cu_back *b, unsigned *counters, cudaStream_t stream);
/* dz = g act'(y), of n elements; dz may be g. */
void rg_cu_slope(enum rg_cu_act act, int64_t n, const float *y, const float *g, float *dz,
                 cudaStream_t stream);
/* All of the gradient of a thin layer: dx (times x_act'(x)), dw, dbias, and the steps of w and
 * bias; each may be NULL. w has `rows`, and zeros up to k of them, which stay: also where 0 times
 * dz is none. */
typedef struct rg_cu_thin_back {
    int act, x_act, n;
    int64_t m, k, rows;
    const float *x, *w, *out, *dout, *rate;
    float *dx, *dw, *dbias, *w_out, *bias_out, *room;
} rg_cu_thin_back;
int64_t rg_cu_thin_fc_back_room(int64_t m, int64_t n, int64_t k); /* floats */
void rg_cu_thin_fc_back(const rg_cu_thin_back *b, unsigned *counters, cudaStream_t stream);
/* y = act(y), for products whose library cannot. */
void rg_cu_activate(enum rg_cu_act act, int64_t n, float *y, cudaStream_t stream);
/* dst[r, j] += src[j]; src of n elements. */
bool rg_cu_add_row(rg_dtype dtype, int64_t rows, int64_t n, const void *src, void *dst,
                   cudaStream_t stream);

/* ---- layer.cu: layers of many columns, on the tensor cores ---- */

enum { RG_CU_FEW_PARTS = 8 };

/* out = act(x w + bias); x is [m, k], w [k, n]. n and k are multiples of 4. */
typedef struct rg_cu_layer {
    int act, m, n, k;
    const float *x, *w, *bias;
    float *out;
} rg_cu_layer;

/* dx = dz w^T x_act'(x), dw = x^T dz, dbias = column sums of dz, and the steps of w, of `rows`, and
 * bias; each may be NULL. */
typedef struct rg_cu_layer_back {
    int x_act, m, n, k, rows;
    const float *x, *w, *dz, *rate;
    float *dx, *dw, *dbias, *w_out, *bias_out;
    int parts; /* of the sum over m; above one `room` has (k + 1) n floats for each */
    float *room;
    unsigned *counters;
} rg_cu_layer_back;

/* There are several tilings, of which each may be the quickest for some sizes. exact: as good as
 * float32, else TF32. False: the GPU does not take it. */
enum { RG_CU_TILINGS = 3 };
bool rg_cu_layer_run(int tiling, bool exact, const rg_cu_layer *l, cudaStream_t stream);
bool rg_cu_layer_back_x(int tiling, bool exact, const rg_cu_layer_back *b, cudaStream_t stream);
bool rg_cu_layer_back_w(int tiling, bool exact, const rg_cu_layer_back *b, cudaStream_t stream);
/* Parts that about fill the GPU `times` over in quarters, at least 1. */
int rg_cu_layer_back_parts(int tiling, int64_t m, int64_t n, int64_t k, int quarters);
/* Adds up what the parts have left in the room: dw, dbias and the steps. */
void rg_cu_sum_parts(const rg_cu_layer_back *b, cudaStream_t stream);

/* ---- deep.cu: the gradient of weights over many rows, TF32 ---- */

/* All of dw and dbias and the steps, by blocks that fill the GPU in quarters; `parts` is not looked
 * at: the room has rg_cu_deep_parts of them. False: the GPU, or sizes, are not for it. */
bool rg_cu_deep_run(int quarters, const rg_cu_layer_back *b, cudaStream_t stream);
int rg_cu_deep_parts(int quarters, int64_t m, int64_t n, int64_t k);

/* ---- wide.cu: products of many rows, TF32 ---- */

/* c = a b^T + bias, through relu where asked; or with x = relu'(x) a b^T. a is [m, depth], b [n,
 * depth], x and c [m, n]. False: the GPU, or sizes, are not for it. */
typedef struct rg_cu_wide {
    bool relu;
    int m, n, depth;
    const float *a, *b, *bias, *x;
    float *c;
} rg_cu_wide;
/* Tiles that are a quarter of a row of c, or half; staged: written from shared memory. */
enum { RG_CU_FOURS, RG_CU_HALVES, RG_CU_FOURS_STAGED, RG_CU_HALVES_STAGED, RG_CU_WIDE_WAYS };
bool rg_cu_wide_run(int way, const rg_cu_wide *w, cudaStream_t stream);
/* to[j, i] = from[i, j], which is [rows, columns]. */
void rg_cu_turn(int64_t rows, int64_t columns, const float *from, float *to, cudaStream_t stream);

/* ---- fc_loss.cu: the last layer of a classifier ---- */

/* Labels: `wide` int64, else int32; those of `ignored` have no loss. */
typedef struct rg_cu_labels {
    const void *labels;
    bool wide;
    int64_t ignored;
    rg_gpu_site site;
} rg_cu_labels;
/* All that fused_fc_loss does; outputs but w_out and bias_out may be NULL. */
typedef struct rg_cu_fc_loss {
    int x_act;
    int64_t m, n, k;
    float scale;
    rg_cu_labels labels;
    const float *x, *w, *bias, *rate;
    float *softmax, *y, *loss, *dx, *w_out, *bias_out, *room;
} rg_cu_fc_loss;
bool rg_cu_fc_loss_takes(int64_t n, int64_t k);
int64_t rg_cu_fc_loss_room(int64_t m, int64_t n, int64_t k); /* floats */
/* All but what is summed over rows: the loss and the steps, which are the second's. */
void rg_cu_fc_loss_run(const rg_cu_fc_loss *b, cudaStream_t stream);
void rg_cu_fc_loss_sum(const rg_cu_fc_loss *b, cudaStream_t stream);

/* ---- loss.cu: softmax and cross entropies; x is [outer, n, inner] ---- */

bool rg_cu_softmax(rg_dtype dtype, int64_t outer, int64_t n, int64_t inner, const void *x, void *y,
                   cudaStream_t stream);
bool rg_cu_softmax_grad(rg_dtype dtype, int64_t outer, int64_t n, int64_t inner, const void *y,
                        const void *dy, void *dx, cudaStream_t stream);
/* softmax and the loss from the logarithm of its sum. `soft`: labels like x, and `hard` is not
 * looked at. Either output may be NULL. */
bool rg_cu_softmax_loss(rg_dtype dtype, int64_t outer, int64_t n, int64_t inner, const void *x,
                        const void *soft, rg_cu_labels hard, void *softmax, void *loss,
                        cudaStream_t stream);
bool rg_cu_softmax_loss_grad(rg_dtype dtype, int64_t outer, int64_t n, int64_t inner,
                             const void *softmax, const void *soft, rg_cu_labels hard,
                             const void *dloss, void *dx, cudaStream_t stream);
/* -log x[label]; match (may be NULL) gets x[label]. */
bool rg_cu_cross_entropy(rg_dtype dtype, int64_t rows, int64_t n, const void *x, const void *soft,
                         rg_cu_labels hard, void *y, void *match, cudaStream_t stream);
/* x is [rows, n], or where `matched` the probabilities of the labels alone. */
bool rg_cu_cross_entropy_grad(rg_dtype dtype, int64_t rows, int64_t n, const void *x, bool matched,
                              const void *soft, rg_cu_labels hard, const void *dy, void *dx,
                              cudaStream_t stream);

/* softmax of [rows, n], -log of the labels' parts, their mean, and the gradient of the mean times
 * `scale`, in one launch; outputs may be NULL. room: rg_cu_softmax_mean_room floats. */
int64_t rg_cu_softmax_mean_room(int64_t rows, int64_t n);
void rg_cu_softmax_mean(int64_t rows, int64_t n, const float *x, rg_cu_labels labels, float scale,
                        float *softmax, float *y, float *mean, float *dx, float *room,
                        unsigned *counters, cudaStream_t stream);

/* ---- table.cu: rows of tables by id ---- */

enum { RG_CU_PARTS = 64 }; /* of one launch */

/* Look-ups over one table; out k has its rows `step` elements apart, so that it may be a part of
 * something wider. Ids: `wide` int64, else int32. */
typedef struct rg_cu_lookups {
    int n;
    const void *ids[RG_CU_PARTS];
    void *out[RG_CU_PARTS]; /* or the gradients, which are read */
    int64_t count[RG_CU_PARTS], step[RG_CU_PARTS], padding[RG_CU_PARTS];
    bool wide;
} rg_cu_lookups;

bool rg_cu_lookup(size_t size, const void *table, int64_t rows, int64_t width,
                  const rg_cu_lookups *lookups, rg_gpu_site site, int first, cudaStream_t stream);
/* table[id] += (rate: -*rate; NULL: 1) times gradient. */
bool rg_cu_scatter(rg_dtype dtype, void *table, int64_t rows, int64_t width,
                   const rg_cu_lookups *lookups, const void *rate, rg_gpu_site site, int first,
                   cudaStream_t stream);
/* ids as int64, and the gradients' rows, zero for the padding: a sparse gradient from `at` on. */
bool rg_cu_sparse_rows(rg_dtype dtype, int64_t rows, int64_t width, const rg_cu_lookups *lookups,
                       int64_t at, int64_t *ids, void *values, rg_gpu_site site, int first,
                       cudaStream_t stream);

/* Look-ups and other tensors joined side by side: part k of each row of out is a row of its table,
 * or where it has no ids row i of it; with offsets the sum of the rows of sequence i. */
typedef struct rg_cu_column {
    const float *table;
    const int64_t *ids, *offsets;
    int64_t rows, padding;
    int32_t width, at;
    int32_t item; /* of the slot Ids, for what is wrong */
} rg_cu_column;
typedef struct rg_cu_columns {
    int n;
    rg_cu_column part[RG_CU_PARTS];
} rg_cu_columns;
void rg_cu_gather_columns(int64_t n, int64_t step, const rg_cu_columns *columns, float *out,
                          rg_gpu_site site, cudaStream_t stream);
/* table[id] -= *rate times its part of the row of dout; all columns are of one table. From
 * RG_CU_MANY_ROWS on it takes half of the GPU, and no longer than on all of it: it waits for the
 * adds. The other half is for what trails beside it. */
enum { RG_CU_MANY_ROWS = 2048 };
void rg_cu_scatter_columns(int64_t n, int64_t step, const rg_cu_columns *columns, const float *dout,
                           float *table, const float *rate, rg_gpu_site site, cudaStream_t stream);

/* ---- move.cu: tensors joined, cut and moved ---- */

/* Parts of `whole`, which is [outer, step]: part k is [outer, width[k]] at `at[k]`. NULL parts are
 * passed over. */
typedef struct rg_cu_parts {
    int n;
    void *part[RG_CU_PARTS];
    int64_t width[RG_CU_PARTS], at[RG_CU_PARTS];
} rg_cu_parts;
bool rg_cu_join(size_t size, int64_t outer, int64_t step, const rg_cu_parts *parts, void *whole,
                cudaStream_t stream);
bool rg_cu_cut(size_t size, int64_t outer, int64_t step, const rg_cu_parts *parts,
               const void *whole, cudaStream_t stream);

enum { RG_CU_DIMS = 9 };
/* `dim` are the sizes of one side, `stride` how far apart its elements are on the other along each
 * dimension, `offset` where that begins. Read: to[i] = from[place of i]; write: to[place of i] =
 * from[i]. */
typedef struct rg_cu_box {
    int rank;
    int64_t dim[RG_CU_DIMS], stride[RG_CU_DIMS];
    int64_t offset;
} rg_cu_box;
bool rg_cu_box_read(size_t size, const rg_cu_box *box, const void *from, void *to,
                    cudaStream_t stream);
bool rg_cu_box_write(size_t size, const rg_cu_box *box, const void *from, void *to,
                     cudaStream_t stream);
bool rg_cu_fill(rg_dtype dtype, int64_t n, double number, void *out, cudaStream_t stream);
/* Rows of x by index: out[i] = x[index[i]]. The way back adds into dx, which is zeroed first, or
 * with `last`, room for a number a row, leaves the last one that names a row. */
bool rg_cu_gather(size_t size, int64_t rows, int64_t width, int64_t n, const void *index, bool wide,
                  const void *x, void *out, rg_gpu_site site, cudaStream_t stream);
bool rg_cu_gather_grad(rg_dtype dtype, int64_t rows, int64_t width, int64_t n, const void *index,
                       bool wide, int32_t *last, const void *dout, void *dx, rg_gpu_site site,
                       cudaStream_t stream);
bool rg_cu_cast(rg_dtype from_type, rg_dtype to_type, int64_t n, const void *from, void *to,
                cudaStream_t stream);

/* ---- reduce.cu ---- */

enum rg_cu_reduce {
    RG_CU_SUM,
    RG_CU_MEAN,
    RG_CU_MAX,
    RG_CU_MIN,
    RG_CU_PROD,
    RG_CU_SQUARES, /* the sum of squares */
    RG_CU_MINUS,   /* minus the sum */
};
/* x of sizes `dim`, of which those in `reduced` (bits) go. room: rg_cu_reduce_room bytes. */
size_t rg_cu_reduce_room(int64_t kept, int64_t gone);
bool rg_cu_reduce(enum rg_cu_reduce what, rg_dtype dtype, int rank, const int64_t *dim,
                  unsigned reduced, const void *x, void *out, void *room, unsigned *counters,
                  cudaStream_t stream);
/* dx = dout spread, by 1, 1/n, or where x equals the result. */
bool rg_cu_reduce_grad(enum rg_cu_reduce what, rg_dtype dtype, int rank, const int64_t *dim,
                       unsigned reduced, const void *x, const void *out, const void *dout, void *dx,
                       cudaStream_t stream);

/* ---- activation.cu, binary.cu, pointwise.cu ---- */

/* y = f(x), and dx = dy f'(from): `kind` as in ops/activation_kinds.h, p its numbers (host). */
bool rg_cu_activation(int kind, rg_dtype dtype, const float p[3], int64_t n, const void *x, void *y,
                      cudaStream_t stream);
bool rg_cu_activation_grad(int kind, rg_dtype dtype, const float p[3], int64_t n, const void *from,
                           const void *dy, void *dx, cudaStream_t stream);

enum rg_cu_binary {
    RG_CU_ADD,
    RG_CU_SUB,
    RG_CU_MUL,
    RG_CU_DIV,
    RG_CU_LARGER,
    RG_CU_SMALLER,
    RG_CU_POW,
    RG_CU_MOD,
};
/* Elements of out as n[0] x n[1] ...; x and y sx and sy apart along each, 0: repeated. */
typedef struct rg_cu_broadcast {
    int rank;
    int64_t n[RG_CU_DIMS], sx[RG_CU_DIMS], sy[RG_CU_DIMS];
} rg_cu_broadcast;
bool rg_cu_binary(enum rg_cu_binary kind, rg_dtype dtype, const rg_cu_broadcast *b, const void *x,
                  const void *y, void *out, cudaStream_t stream);
/* The gradient by x or by y, of the shape of out: whoever repeated it adds it up. */
bool rg_cu_binary_grad(enum rg_cu_binary kind, bool by_x, rg_dtype dtype, const rg_cu_broadcast *b,
                       const void *x, const void *y, const void *dout, void *target,
                       cudaStream_t stream);
enum rg_cu_compare {
    RG_CU_LESS,
    RG_CU_LESS_EQUAL,
    RG_CU_GREATER,
    RG_CU_GREATER_EQUAL,
    RG_CU_EQUAL,
    RG_CU_NOT_EQUAL,
};
bool rg_cu_compare(enum rg_cu_compare kind, rg_dtype dtype, const rg_cu_broadcast *b, const void *x,
                   const void *y, void *out, cudaStream_t stream);
/* out = scale x + bias, or scale (x + bias); *device_scale in place of scale where it is there. */
bool rg_cu_scale(rg_dtype dtype, int64_t n, double scale, const void *device_scale, double bias,
                 bool bias_after, const void *x, void *out, cudaStream_t stream);
/* out = the sum of n tensors (n at most RG_CU_PARTS); `more`: and of what is in out. */
bool rg_cu_sum(rg_dtype dtype, int64_t size, const void *const *parts, int n, bool more, void *out,
               cudaStream_t stream);
bool rg_cu_clip(rg_dtype dtype, int64_t n, double min, double max, const void *x, void *out,
                cudaStream_t stream);
bool rg_cu_clip_grad(rg_dtype dtype, int64_t n, double min, double max, const void *x,
                     const void *dout, void *dx, cudaStream_t stream);
bool rg_cu_pow(rg_dtype dtype, int64_t n, double by, const void *x, void *out, cudaStream_t stream);
bool rg_cu_pow_grad(rg_dtype dtype, int64_t n, double by, const void *x, const void *dout, void *dx,
                    cudaStream_t stream);

/* Losses of a pair of numbers each: y of x and label, dx of both and dy. */
enum rg_cu_loss {
    RG_CU_SIGMOID_ENTROPY, /* p[0]: the label that is ignored */
    RG_CU_LOG_LOSS,        /* p[0]: epsilon */
    RG_CU_BCE_LOSS,
    RG_CU_HINGE_LOSS,
    RG_CU_TEACHER_STUDENT, /* p: the bounds */
};
bool rg_cu_pair_loss(enum rg_cu_loss kind, rg_dtype dtype, const float p[2], int64_t n,
                     const void *x, const void *label, void *y, cudaStream_t stream);
bool rg_cu_pair_loss_grad(enum rg_cu_loss kind, rg_dtype dtype, const float p[2], int64_t n,
                          const void *x, const void *label, const void *dy, void *dx,
                          cudaStream_t stream);
/* residual may be NULL. sign: -1 by x, 1 by y. */
bool rg_cu_huber(rg_dtype dtype, float delta, int64_t n, const void *x, const void *y,
                 void *residual, void *out, cudaStream_t stream);
bool rg_cu_huber_grad(rg_dtype dtype, float delta, float sign, int64_t n, const void *residual,
                      const void *dout, void *dx, cudaStream_t stream);
/* out = x, made no longer than `limit`, where *squares is the sum of its squares. */
void rg_cu_shorten(int64_t n, float limit, const float *squares, const float *x, float *out,
                   cudaStream_t stream);
/* Elements dropped by chance; step: NULL, or on the GPU, see rg_gpu_key(). */
bool rg_cu_dropout(rg_dtype dtype, int64_t n, uint64_t seed, uint64_t draw, const uint64_t *step,
                   float p, float factor, const void *x, void *out, uint8_t *mask,
                   cudaStream_t stream);
bool rg_cu_dropout_grad(rg_dtype dtype, int64_t n, float factor, const void *dout,
                        const uint8_t *mask, void *dx, cudaStream_t stream);

/* ---- update.cu: optimizers, float32 ---- */

enum rg_cu_update_kind {
    RG_CU_SGD,
    RG_CU_MOMENTUM,
    RG_CU_ADAM,
    RG_CU_ADAGRAD,
    RG_CU_RMSPROP,
    RG_CU_FTRL,
    RG_CU_ADADELTA,
    RG_CU_ADAMAX,
};
/* Parameter and states are changed in place. Numbers and states are in the order that update.cu
 * says of each. power, power_out: of adam, its betas' powers and where they go on to. */
typedef struct rg_cu_update {
    enum rg_cu_update_kind kind;
    float number[4];
    const float *rate; /* NULL: it has none */
    float *param, *state[3];
    const float *power[2];
    float *power_out[2];
    bool advance_first[2];
} rg_cu_update;
void rg_cu_update_dense(const rg_cu_update *u, int64_t n, const float *grad, unsigned *counters,
                        cudaStream_t stream);
size_t rg_cu_update_rows_room(int64_t n, int64_t width); /* bytes */
void rg_cu_update_rows(const rg_cu_update *u, int64_t n, int64_t width, int64_t height,
                       const int64_t *rows, const float *grad, void *room, rg_gpu_site site,
                       unsigned *counters, cudaStream_t stream);

/* ---- metric.cu ---- */

/* k at most RG_CU_TOP; either output may be NULL. */
enum { RG_CU_TOP = 16 };
bool rg_cu_top_k(rg_dtype dtype, int64_t rows, int64_t n, int k, const void *x, void *values,
                 int64_t *places, cudaStream_t stream);
bool rg_cu_top_k_grad(rg_dtype dtype, int64_t rows, int64_t n, int k, const void *dout,
                      const int64_t *places, void *dx, rg_gpu_site site, cudaStream_t stream);
/* Outputs may be NULL. */
void rg_cu_accuracy(int64_t rows, int64_t k, const void *indices, bool wide_indices,
                    const void *labels, bool wide_labels, float *accuracy, int32_t *correct,
                    int32_t *total, cudaStream_t stream);
/* Counts the batch into bins of positives and negatives, which go on from what they hold; steps >
 * 0: into a window of so many batches (ops/auc.c). room: 2 bins of int64 where steps > 0. */
bool rg_cu_auc(rg_dtype dtype, int64_t n, int64_t width, const void *predict, const void *labels,
               bool wide_labels, int64_t bins, int64_t steps, int64_t *pos, int64_t *neg,
               int64_t *room, double *area, rg_gpu_site site, unsigned *counters,
               cudaStream_t stream);

/* ---- sequence.cu: sequence i of n is rows at[i] .. at[i + 1] - 1 ---- */

enum rg_cu_pool {
    RG_CU_TOTAL,
    RG_CU_AVERAGE,
    RG_CU_ROOT, /* the sum by the root of the length */
    RG_CU_LARGEST,
    RG_CU_FIRST,
    RG_CU_LAST,
};
/* index: which row won, of RG_CU_LARGEST; else NULL. */
bool rg_cu_sequence_pool(enum rg_cu_pool how, rg_dtype dtype, int64_t n, int64_t width,
                         const int64_t *at, float pad, const void *x, void *out, int32_t *index,
                         cudaStream_t stream);
bool rg_cu_sequence_pool_grad(enum rg_cu_pool how, rg_dtype dtype, int64_t n, int64_t width,
                              const int64_t *at, const void *dout, const int32_t *index, void *dx,
                              cudaStream_t stream);
bool rg_cu_sequence_softmax(rg_dtype dtype, int64_t n, const int64_t *at, const void *x, void *y,
                            cudaStream_t stream);
bool rg_cu_sequence_softmax_grad(rg_dtype dtype, int64_t n, const int64_t *at, const void *y,
                                 const void *dy, void *dx, cudaStream_t stream);

/* ---- norm.cu, float32; scale, bias and outputs may be NULL ---- */

void rg_cu_layer_norm(int64_t rows, int64_t n, float epsilon, const float *x, const float *scale,
                      const float *bias, float *y, float *mean, float *variance,
                      cudaStream_t stream);
void rg_cu_layer_norm_grad(int64_t rows, int64_t n, float epsilon, const float *x, const float *dy,
                           const float *scale, const float *mean, const float *variance, float *dx,
                           float *dscale, float *dbias, cudaStream_t stream);
/* x as [outer, channels, space]. */
typedef struct rg_cu_channels {
    int64_t outer, channels, space;
} rg_cu_channels;
/* Mean and 1 / deviation of the batch, and the running ones moved on. */
void rg_cu_batch_moments(rg_cu_channels c, float epsilon, float momentum, const float *x,
                         const float *old_mean, const float *old_variance, float *mean,
                         float *inverse, float *running_mean, float *running_variance,
                         cudaStream_t stream);
void rg_cu_invert(int64_t n, float epsilon, const float *variance, float *inverse,
                  cudaStream_t stream);
void rg_cu_batch_apply(rg_cu_channels c, const float *x, const float *scale, const float *bias,
                       const float *mean, const float *inverse, float *y, cudaStream_t stream);
/* dscale and dbias are needed; dx may be NULL. */
void rg_cu_batch_norm_grad(rg_cu_channels c, bool of_batch, const float *x, const float *dy,
                           const float *scale, const float *mean, const float *inverse,
                           float *dscale, float *dbias, float *dx, cudaStream_t stream);

/* ---- conv.cu, float32 ---- */

/* Of images [images, channels, in]: columns are [images, channels * kernel, out]. */
typedef struct rg_cu_conv {
    int64_t images, channels, in[2], out[2], kernel[2], stride[2], dilation[2], before[2];
} rg_cu_conv;
void rg_cu_to_columns(const rg_cu_conv *c, const float *image, float *columns, cudaStream_t stream);
void rg_cu_from_columns(const rg_cu_conv *c, const float *columns, float *image,
                        cudaStream_t stream);
/* Of [outer, in, inner], as ops/pooling.h. */
typedef struct rg_cu_pooling {
    bool max, exclusive, adaptive;
    int64_t outer, inner, in[2], out[2], kernel[2], stride[2], before[2];
} rg_cu_pooling;
void rg_cu_pool2d(const rg_cu_pooling *p, const float *x, float *out, cudaStream_t stream);
/* dx is zero before. */
void rg_cu_pool2d_grad(const rg_cu_pooling *p, const float *x, const float *out, const float *dout,
                       float *dx, cudaStream_t stream);

/* ---- cos_sim.cu, float32; one: y has one row for all ---- */

void rg_cu_cos_sim(int64_t rows, int64_t width, bool one, const float *x, const float *y,
                   float *out, float *x_norm, float *y_norm, cudaStream_t stream);
void rg_cu_cos_sim_grad(int64_t rows, int64_t width, bool one, const float *x, const float *y,
                        const float *x_norm, const float *y_norm, const float *out,
                        const float *dout, float *dx, float *dy, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
