/* escape.h - text of others, made fit to be shown.
 *
 * What a peer or a file says may hold line ends, which would pass for lines of ours, and codes that
 * terminals act on. */
#ifndef RG_BASE_ESCAPE_H
#define RG_BASE_ESCAPE_H

#include <stddef.h>

/* The n bytes as one line of UTF-8 with no control character in it: those, and bytes that are no
 * UTF-8, become \xNN, a line end \n, a tab \t. Cut so that it fits, with its NUL, into `size`
 * bytes (at least 1). Returns its length. */
size_t rg_escape(char *out, size_t size, const void *text, size_t n);

#endif
