/* bytes.h - numbers of bytes as people write and read them. */
#ifndef RG_BASE_BYTES_H
#define RG_BASE_BYTES_H

#include "base/status.h"

#include <stddef.h>

/* "8G", "512M", "64k", "1000000": bytes, in powers of 1024. RG_EINVAL names `what` and says what
 * is possible. */
rg_status rg_parse_bytes(const char *what, const char *text, size_t *bytes);
/* "61.2 MiB"; returns `text`. */
enum { RG_BYTES_TEXT = 32 };
const char *rg_show_bytes(size_t bytes, char text[RG_BYTES_TEXT]);

#endif
