/* criteo.h - the Criteo click logs: raw lines to multi-slot text, and made-up logs to learn on.
 *
 * A raw line is label, 13 counts and 26 categories, with tabs between them; counts and
 * categories may be missing. It becomes the line that demo/ctr/criteo_reader.py makes,
 * byte for byte:
 *
 *     13 D1 .. D13 1 C1 .. 1 C26 1 LABEL
 *
 * A count v of field i, of at most 12 digits, is scaled: (v - low[i]) / span[i], rounded to a
 * millionth, and written as Python writes a float; a missing one is 0.0. A category is hashed:
 * CRC-32 (zlib's) of the field's number (14 to 39) and the text, modulo the number of buckets. */
#ifndef RG_DATA_CRITEO_H
#define RG_DATA_CRITEO_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { RG_CRITEO_LINE_BYTES = 1024 };

/* Gets whole lines. */
typedef rg_status (*rg_criteo_write)(void *arg, const void *bytes, size_t n);

/* One line [text, end), without its newline; *n bytes, a newline among them, go to `out`.
 * RG_EVALUE says what was found and what was wanted. buckets: 1 to 2^32. */
rg_status rg_criteo_line(const char *text, const char *end, uint64_t buckets,
                         char out[RG_CRITEO_LINE_BYTES], size_t *n);
/* All lines of a file, unpacked where it ends in .gz. */
rg_status rg_criteo_convert(const char *file, uint64_t buckets, rg_criteo_write write, void *arg);

/* Raw lines whose label a logistic model over all fields has drawn; categories follow
 * power laws. *auc is what the model itself reaches on them: nothing that learns can do
 * better but by chance. The same for the same seed. */
rg_status rg_criteo_generate(uint64_t rows, uint64_t seed, rg_criteo_write write, void *arg,
                             double *auc);

#endif
