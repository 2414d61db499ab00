/* tell_priv.h - how a run goes, as metrics that whoever watches the job sees. */
#ifndef RG_TRAIN_TELL_PRIV_H
#define RG_TRAIN_TELL_PRIV_H

#include "train/train.h"

/* A batch has been run, by any thread. */
void rg_tell_batch(bool infer, uint64_t rows);
/* Its loss, which may be no number. */
void rg_tell_loss(bool infer, double loss);
/* How far it is: `done` from 0 to 1, below 0 where that is not known; `all`: over all workers, or
 * `mine` itself. */
void rg_tell_run(bool infer, double done, const rg_train_result *mine, const rg_train_result *all);

#endif
