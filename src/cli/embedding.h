/* embedding.h - a saved table of rows by id, for `paddle table`: read, described, exported.
 *
 * A table is a variable of two dimensions in a folder that a model was saved to, or the parts that
 * servers wrote of one (FOLDER/__lookup_table__/NAME_I, docs/formats.md): those have the rows that
 * somebody has touched, and their ids beside them. It is held in memory as floats. */
#ifndef RG_CLI_EMBEDDING_H
#define RG_CLI_EMBEDDING_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rg_embedding {
    char name[512];
    const char *dtype; /* in the file */
    size_t n;          /* rows that are there */
    size_t dim;
    int64_t height; /* ids are below it; of one variable, n */
    int64_t *ids;   /* ascending; NULL: 0 to n - 1 */
    float *values;  /* [n, dim] */
    int parts;      /* files of servers; 0: a variable */
} rg_embedding;

/* ---- reading (embedding_read.c) ---- */

/* Calls visit for each table in the folder, in order of names, which holds it while it is called.
 */
rg_status rg_embeddings_each(const char *folder,
                             rg_status (*visit)(void *arg, const rg_embedding *table), void *arg);
/* The one of that name; or, where `name` is "", the only one: RG_EINVAL lists them where there are
 * several. */
rg_status rg_embedding_open(rg_embedding *table, const char *folder, const char *name);
void rg_embedding_fini(rg_embedding *table);
static inline int64_t rg_embedding_id(const rg_embedding *table, size_t row)
{
    return table->ids != NULL ? table->ids[row] : (int64_t)row;
}
/* The row of an id; false: it has none. */
bool rg_embedding_find(const rg_embedding *table, int64_t id, size_t *row);

/* ---- numbers (embedding_numbers.c) ---- */

enum { RG_BINS = 20 };

typedef struct rg_ranked {
    int64_t id;
    double value;
} rg_ranked;

typedef struct rg_embedding_numbers {
    double least, median, most, mean; /* of the norms of rows that are numbers */
    size_t zeros, bad, still; /* rows of zeros; with a NaN or Inf; as they were at the start */
    bool compared;            /* there was a start to compare with, and `still` says something */
    uint64_t bins[RG_BINS];   /* of norms, from least to most */
    int64_t *zero_ids, *bad_ids, *still_ids; /* owned; the first `shown` of each */
    rg_ranked *hot; /* owned: of the largest norm, or moved farthest from the start; n_hot */
    size_t n_hot;
} rg_embedding_numbers;

/* start: the table as training began, or NULL. `shown`: how many ids of each kind. */
rg_status rg_embedding_measure(rg_embedding_numbers *numbers, const rg_embedding *table,
                               const rg_embedding *start, size_t shown);
void rg_embedding_numbers_fini(rg_embedding_numbers *numbers);
/* The k rows of the largest cosine to that of `id`, itself left out, best first. RG_ENOENT: it has
 * none. `near` has room for k; *n: how many there are. */
rg_status rg_embedding_near(const rg_embedding *table, int64_t id, size_t k, rg_ranked *near,
                            size_t *n);

/* ---- files (embedding_export.c) ---- */

/* NumPy's format, float32 [n, dim]; of a table with ids these go to PATH.ids.npy, int64. */
rg_status rg_embedding_to_npy(const rg_embedding *table, const char *path);
/* Text: "n dim", then a line of id (or, with a file of words, the line of that number) and numbers.
 */
rg_status rg_embedding_to_word2vec(const rg_embedding *table, const char *path, const char *words);

#endif
