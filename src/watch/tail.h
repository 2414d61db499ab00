/* tail.h - a file that grows, line by line. */
#ifndef RG_WATCH_TAIL_H
#define RG_WATCH_TAIL_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rg_tail rg_tail;

rg_status rg_tail_open(rg_tail **tail, const char *path);
void rg_tail_close(rg_tail *tail); /* NULL is allowed */
/* The next whole line, without its end; borrowed until rg_tail_drop(), and the same until then.
 * False: there is none yet. Lines over a megabyte are passed over. A file that became shorter is
 * read from its beginning. */
bool rg_tail_line(rg_tail *tail, const char **line, size_t *n);
void rg_tail_drop(rg_tail *tail);

/* The last lines of a file, `lines` of them and `max_bytes` at most. */
rg_status rg_tail_last(const char *path, size_t lines, size_t max_bytes, rg_buf *out);

#endif
