/* serve_tell.h - what a server says of itself: whom it waits for, news, figures for who watches. */
#ifndef RG_DIST_SERVE_TELL_H
#define RG_DIST_SERVE_TELL_H

#include "dist/serve_priv.h"

/* ---- waits (serve_wait.c) ---- */

/* Whom this server waits for, in words; nothing where it does not. */
void rg_serve_whom(rg_engine *s, rg_buf *out);
/* A few times a second: says whom it waits for, and gives up those that never come. */
void rg_serve_look(rg_engine *s);

/* ---- news (serve_log.c) ---- */

/* A line every FLAGS_ps_log_seconds, where that time has passed. */
void rg_serve_tell(rg_engine *s);
/* In the end: what has come and gone. */
void rg_serve_sum_up(rg_engine *s);

/* ---- being watched (serve_watch.c) ---- */
/* From when it listens. */
void rg_serve_watch_open(rg_engine *s, const char *endpoint);
/* Now and then. */
void rg_serve_watch_look(rg_engine *s);
/* While the loops still run, for the last numbers; then no one asks any more. */
void rg_serve_watch_end(rg_engine *s);
void rg_serve_watch_close(rg_engine *s);

#endif
