/* text_priv.h - the text of one file, wherever it comes from: read directly, unpacked,
 * fetched by a command, put through the user's pipe command. */
#ifndef RG_DATA_TEXT_PRIV_H
#define RG_DATA_TEXT_PRIV_H

#include "base/status.h"
#include "sys/command.h"

typedef struct rg_text_config {
    const char *pipe;          /* "cat", or NULL: none */
    const char *fs_name, *ugi; /* of `hadoop fs` */
    const char *fetch;         /* command that prints a remote file, NULL: hadoop fs -text */
    const rg_wake *wake;
    bool stream; /* the file may be a pipe, as of a command whose user has named it */
} rg_text_config;

typedef struct rg_text rg_text;

rg_status rg_text_open(rg_text **text, const rg_text_config *config, const char *file);
void rg_text_close(rg_text *text);
/* Up to n bytes; 0 at the end of a file that was read whole. Messages name the file. */
rg_status rg_text_read(rg_text *text, void *bytes, size_t n, size_t *got);

/* Before the first read, of a file that is read as it is (rg_text_can_cut). */
rg_status rg_text_seek(rg_text *text, uint64_t offset);
/* Whether it is: neither packed, nor put through a command. */
rg_status rg_text_can_cut(const rg_text_config *config, const char *file, bool *can);

/* How many bytes of the file itself have been read: packed, or by the pipe command. 0: not known.
 */
uint64_t rg_text_consumed(const rg_text *text);
/* Whether the file is fetched by a command. */
bool rg_text_is_remote(const char *file);

#endif
