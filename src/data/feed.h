/* feed.h - what stands in a line of multi-slot text, and the parser of such lines.
 *
 * A line is one instance: for every slot, in the order of the description, a count and
 * that many numbers ("3 0.5 1 2 1 77 2 5 6"). A slot holds ids (int64; written as
 * uint64, larger ones wrap) or floats (float32). A dense slot has the same number of
 * values in every line; the others are sequences and become tensors with a LoD. A slot
 * that is not used is read over.
 *
 * Or, after rg_feed_set_named(), the words of a line are "slot:value", in any order and with a
 * slot as often as it has values: "click:0 dense_var:0.05 dense_var:0.1 1:57 2:90".
 *
 * A line that does not fit is refused with the slot, what was found and what was
 * wanted; whoever knows the file and the line number adds them. */
#ifndef RG_DATA_FEED_H
#define RG_DATA_FEED_H

#include "data/rows.h"

#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_MAX_SLOTS = 65536, RG_MAX_LINE_BYTES = 64 << 20, RG_PARSE_PAD = 32 };

typedef struct rg_feed_slot {
    const char *name;
    rg_dtype dtype; /* RG_I64 or RG_F32 */
    bool used;
    bool dense;
    rg_shape shape; /* dense: with the instances as dim[0], which is -1 */
} rg_feed_slot;

/* Immutable once made: any number of threads may parse by one. */
typedef struct rg_feed rg_feed;

/* The slots are copied. Owned; ended by rg_feed_close(). RG_EINVAL where a slot has no
 * name, a name twice, another dtype, or a dense shape that does not say its width. */
rg_status rg_feed_open(rg_feed **feed, const rg_feed_slot *slots, size_t n);
void rg_feed_close(rg_feed *feed);

/* Each line begins with "1 TEXT" for the instance's id, then "1 TEXT" for its content. */
void rg_feed_set_texts(rg_feed *feed, bool ins_id, bool content);
/* Ids that are 0, and floats nearer to it than 1e-6, are left out of sequences; one is put
 * where none would be left. Fluid does so to data held in memory. */
void rg_feed_set_drop_zeros(rg_feed *feed, bool drop);

/* Lines of "slot:value" words. Words of other slots are passed over, as is a second value
 * ("a:1:2"); a slot that a line has not gets `padding`, a dense one as often as it is wide. A line
 * with none of the slots is refused, a blank one is no instance. */
rg_status rg_feed_set_named(rg_feed *feed, double padding);

/* The used ones alone: column i of rows, value i of a batch. */
size_t rg_feed_used(const rg_feed *feed);
const rg_feed_slot *rg_feed_used_at(const rg_feed *feed, size_t i);
/* Values in a line of a used dense slot; 0 for a sequence. */
size_t rg_feed_width(const rg_feed *feed, size_t used);

/* Parse the line [text, end) and append it to `rows`, which rg_rows_open() made for this
 * feed. `*end` must be a newline, the only one, and RG_PARSE_PAD bytes from `end` on must be
 * readable. On failure `rows` is as before, as it is after a blank line of words; RG_EVALUE: the
 * line does not fit. */
rg_status rg_feed_parse(const rg_feed *feed, const char *text, const char *end, rg_rows *rows);

#endif
