/* auc.h - the area under a curve that is given by counts in bins. */
#ifndef RG_OPS_AUC_H
#define RG_OPS_AUC_H

#include <stdint.h>

/* By trapezoids from the highest bin down; 0 where positives or negatives are missing. Bins may
 * be counted into meanwhile. */
double rg_auc_area(const int64_t *pos, const int64_t *neg, int64_t bins);

#endif
