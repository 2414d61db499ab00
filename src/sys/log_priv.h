/* log_priv.h - the file that log lines go to, where there is one. */
#ifndef RG_SYS_LOG_PRIV_H
#define RG_SYS_LOG_PRIV_H

#include <stdbool.h>
#include <stddef.h>

/* Lines of the log go there, and not to stderr. */
bool rg_log_file_takes_all(void);
/* Nothing, where there is no file. Any thread; a line stays whole. */
void rg_log_file_write(const char *text, size_t n);

#endif
