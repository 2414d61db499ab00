/* chunk_eval.c - how many chunks of sequences of tags are found: precision, recall and F1.
 *
 * A tag is type * places + place; one type more stands for no chunk. Places, by scheme:
 *
 *   plain  one: a chunk is the same type all along
 *   IOB    B, which begins a chunk, and I, which goes on
 *   IOE    I, and E, which ends one
 *   IOBES  B, I, E, and S, a chunk by itself
 *
 * A chunk is right if one of the same type is in Label at the same steps. Chunks of excluded
 * types are not counted. */
#include "ops/labels.h"
#include "ops/spans.h"
#include "ops/types.h"

#include <string.h>

enum { INFERENCE, LABEL, SEQ_LENGTH };
enum { PRECISION, RECALL, F1, INFER_CHUNKS, LABEL_CHUNKS, CORRECT_CHUNKS };
enum { CHUNK_TYPES, SCHEME, EXCLUDED };

/* The place of a scheme's B, I, E, S; -1: it has none. */
typedef struct scheme {
    const char *name;
    int places, begin, inside, end, single;
} scheme;

static const scheme schemes[] = {{"IOB", 2, 0, 1, -1, -1},
                                 {"IOE", 2, -1, 0, 1, -1},
                                 {"IOBES", 4, 0, 1, 2, 3},
                                 {"plain", 1, -1, -1, -1, -1}};

static rg_status scheme_of(const rg_ctx *ctx, const scheme **out)
{
    const char *wanted = rg_attr_string(ctx, SCHEME);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strcmp(schemes[i].name, wanted) == 0) {
            *out = &schemes[i];
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "chunk_scheme is %s, and may be IOB, IOE, IOBES or plain", wanted);
}

static rg_status chunk_eval_infer(rg_ctx *ctx)
{
    const scheme *s;
    int64_t n;
    RG_TRY(scheme_of(ctx, &s));
    if (rg_attr_int(ctx, CHUNK_TYPES) < 1)
        return rg_fail(RG_EINVAL, "num_chunk_types is %d, and must be at least 1",
                       rg_attr_int(ctx, CHUNK_TYPES));
    for (int in = INFERENCE; in <= LABEL; in++) {
        RG_TRY(RG_EXPECT_DTYPE(ctx, in, RG_I64, RG_I32));
        RG_TRY(rg_count_spans(ctx, in, SEQ_LENGTH, &n));
    }
    for (int out = PRECISION; out <= F1; out++)
        rg_set_out(ctx, out, RG_F32, &RG_SHAPE(1));
    for (int out = INFER_CHUNKS; out <= CORRECT_CHUNKS; out++)
        rg_set_out(ctx, out, RG_I64, &RG_SHAPE(1));
    return RG_OK;
}

typedef struct chunk {
    int64_t first, last, type;
} chunk;

static bool ends(const scheme *s, int64_t place, int64_t type, int64_t next, int64_t next_type,
                 int64_t none)
{
    if (type == none || next_type == none || next_type != type)
        return type != none;
    if (place == s->begin || place == s->inside)
        return next == s->begin || next == s->single;
    return place == s->end || place == s->single;
}

static bool begins(const scheme *s, int64_t before, int64_t before_type, int64_t place,
                   int64_t type, int64_t none)
{
    if (before_type == none || type == none || type != before_type)
        return type != none;
    if (place == s->begin || place == s->single)
        return true;
    return (place == s->inside || place == s->end) && (before == s->end || before == s->single);
}

/* The chunks of n tags, and how many. */
static int64_t find_chunks(const scheme *s, const int64_t *tags, int64_t n, int64_t none,
                           chunk *out)
{
    int64_t found = 0, first = 0, place = -1, type = none;
    bool inside = false;
    for (int64_t t = 0; t < n; t++) {
        int64_t now = tags[t] % s->places, now_type = tags[t] / s->places;
        if (inside && ends(s, place, type, now, now_type, none)) {
            out[found++] = (chunk){first, t - 1, type};
            inside = false;
        }
        if (begins(s, place, type, now, now_type, none)) {
            first = t;
            inside = true;
        }
        place = now;
        type = now_type;
    }
    if (inside)
        out[found++] = (chunk){first, n - 1, type};
    return found;
}

static bool excluded(const rg_ctx *ctx, int64_t type)
{
    const rg_attr *list = rg_attr_list(ctx, EXCLUDED);
    for (int i = 0; i < list->n; i++)
        if (list->ints[i] == type)
            return true;
    return false;
}

/* counts: chunks of the inference, of the label, and in both. */
static void count(const rg_ctx *ctx, const chunk *a, int64_t n_a, const chunk *b, int64_t n_b,
                  int64_t counts[3])
{
    for (int64_t i = 0; i < n_a; i++)
        counts[0] += !excluded(ctx, a[i].type);
    for (int64_t i = 0; i < n_b; i++)
        counts[1] += !excluded(ctx, b[i].type);
    for (int64_t i = 0, j = 0; i < n_a && j < n_b;) {
        if (a[i].first == b[j].first && a[i].last == b[j].last && a[i].type == b[j].type)
            counts[2] += !excluded(ctx, a[i].type);
        if (a[i].last < b[j].last) {
            i++;
        } else if (a[i].last > b[j].last) {
            j++;
        } else {
            i++;
            j++;
        }
    }
}

static rg_status read_tags(rg_ctx *ctx, int in, int64_t n, int64_t most, const int64_t **out)
{
    RG_TRY(rg_expect_count(ctx, in, n));
    RG_TRY(rg_read_labels(ctx, in, out));
    for (int64_t i = 0; i < n; i++)
        if ((*out)[i] < 0 || (*out)[i] > most)
            return rg_bad_label(ctx, in, i, (*out)[i], most + 1);
    return RG_OK;
}

static void set_results(rg_ctx *ctx, const int64_t counts[3])
{
    float share[2] = {counts[0] ? (float)counts[2] / (float)counts[0] : 0,
                      counts[1] ? (float)counts[2] / (float)counts[1] : 0};
    float values[3] = {share[0], share[1],
                       counts[2] ? 2 * share[0] * share[1] / (share[0] + share[1]) : 0};
    for (int i = 0; i < 3; i++) {
        if (rg_has_out(ctx, PRECISION + i))
            *(float *)rg_out_data(ctx, PRECISION + i) = values[i];
        if (rg_has_out(ctx, INFER_CHUNKS + i))
            *(int64_t *)rg_out_data(ctx, INFER_CHUNKS + i) = counts[i];
    }
}

static rg_status chunk_eval_kernel(rg_ctx *ctx)
{
    const scheme *kind;
    rg_spans s;
    const int64_t *found, *label;
    int64_t n = rg_numel(rg_in(ctx, INFERENCE)), none = rg_attr_int(ctx, CHUNK_TYPES);
    int64_t counts[3] = {0};
    RG_TRY(scheme_of(ctx, &kind));
    RG_TRY(rg_open_spans(ctx, INFERENCE, SEQ_LENGTH, &s));
    RG_TRY(read_tags(ctx, INFERENCE, n, none * kind->places, &found));
    RG_TRY(read_tags(ctx, LABEL, n, none * kind->places, &label));
    if (s.offsets && !rg_lod_equal(rg_in_meta(ctx, INFERENCE)->lod, rg_in_meta(ctx, LABEL)->lod))
        return rg_fail(RG_ESHAPE, "the sequences of Inference and of Label differ in length");
    chunk *a = rg_scratch(ctx, (size_t)(n + 1) * sizeof *a);
    chunk *b = rg_scratch(ctx, (size_t)(n + 1) * sizeof *b);
    if (!a || !b)
        return RG_ENOMEM;
    for (int64_t i = 0; i < s.n; i++) {
        int64_t length, at = rg_span(&s, i, &length);
        int64_t n_a = find_chunks(kind, found + at, length, none, a);
        int64_t n_b = find_chunks(kind, label + at, length, none, b);
        count(ctx, a, n_a, b, n_b, counts);
    }
    set_results(ctx, counts);
    return RG_OK;
}

const rg_op rg_op_chunk_eval = {
    .type = "chunk_eval",
    .doc = "How many chunks of sequences of tags are found.",
    .in = RG_SLOTS([INFERENCE] = {"Inference", "tags, [total, 1], or with SeqLength [n, time]",
                                  RG_NO_GRAD},
                   [LABEL] = {"Label", "true tags", RG_NO_GRAD},
                   [SEQ_LENGTH] = {"SeqLength", "[n]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([PRECISION] = {"Precision", "float32, [1]"},
                    [RECALL] = {"Recall", "float32, [1]"}, [F1] = {"F1-Score", "float32, [1]"},
                    [INFER_CHUNKS] = {"NumInferChunks", "int64, [1]"},
                    [LABEL_CHUNKS] = {"NumLabelChunks", "int64, [1]"},
                    [CORRECT_CHUNKS] = {"NumCorrectChunks", "int64, [1]"}),
    .attr = RG_ATTRS([CHUNK_TYPES] = RG_REQUIRED("num_chunk_types", RG_ATTR_INT, "how many"),
                     [SCHEME] = RG_STRING("chunk_scheme", "IOB", "IOB, IOE, IOBES or plain"),
                     [EXCLUDED] = RG_LIST("excluded_chunk_types", RG_ATTR_INTS,
                                          "types that are not counted")),
    .infer = chunk_eval_infer,
    .kernel = chunk_eval_kernel,
};
