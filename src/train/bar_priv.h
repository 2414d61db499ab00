/* bar_priv.h - how far a run is, on stderr: a bar where that is a terminal, else a line now
 * and then. FLAGS_progress: auto, bar, lines or off. */
#ifndef RG_TRAIN_BAR_PRIV_H
#define RG_TRAIN_BAR_PRIV_H

#include "data/dataset.h"
#include "train/train.h"

typedef struct rg_bar rg_bar;

/* rows: how many there are in all; 0: not known, the files' bytes count then. */
rg_status rg_bar_open(rg_bar **bar, const char *what, uint64_t rows);
void rg_bar_close(rg_bar *bar); /* NULL is allowed */

/* mine: of this process, by which the bar grows; all: what is told, over all workers of a job. */
void rg_bar_show(rg_bar *bar, const rg_progress *progress, const rg_train_result *mine,
                 const rg_train_result *all);
/* The last line. */
void rg_bar_end(rg_bar *bar, const rg_progress *progress, const rg_train_result *all);

/* What part of all is done, from 0 to 1. */
double rg_bar_done(const rg_bar *bar, const rg_progress *progress, uint64_t rows);

#endif
