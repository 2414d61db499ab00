/* top.h - a job as a picture of text, for a terminal. */
#ifndef RG_WATCH_TOP_H
#define RG_WATCH_TOP_H

#include "base/buf.h"
#include "watch/state.h"

#include <stdbool.h>

typedef enum rg_top_order { RG_TOP_NAME, RG_TOP_CPU, RG_TOP_MEMORY, RG_TOP_WAIT } rg_top_order;

typedef struct rg_top_view {
    int columns, rows; /* rows 0: as many as there are */
    rg_top_order order;
    bool colours;
} rg_top_view;

/* Lines of at most view->columns characters, each with its end. */
void rg_top_draw(const rg_watch_state *state, const rg_top_view *view, rg_buf *out);

#endif
