/* curves.h - how training goes as curves: for TensorBoard, and as a table.
 *
 * FLAGS_tensorboard_dir/PROCESS/ gets an events.out.tfevents.* file for each time that the process
 * was started, and metrics.csv, to which each appends. A step is a batch of a worker; of a server,
 * a second. One thread at a time. */
#ifndef RG_WATCH_CURVES_H
#define RG_WATCH_CURVES_H

#include "base/status.h"
#include "sys/metrics.h"

typedef struct rg_curves rg_curves;

/* *out is NULL where FLAGS_tensorboard_dir is empty. Ended by rg_curves_close(). */
rg_status rg_curves_open(rg_curves **out, const char *process, rg_metric_whose role);
/* A point of each curve that has one since the last time. */
rg_status rg_curves_write(rg_curves *curves);
void rg_curves_close(rg_curves *curves);

#endif
