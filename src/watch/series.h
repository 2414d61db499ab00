/* series.h - numbers over time, of which any amount fits into a bounded space.
 *
 * When it is full each two neighbours become one and from then on twice as many values make a
 * point: so all of a job is there, a long one in less detail. */
#ifndef RG_WATCH_SERIES_H
#define RG_WATCH_SERIES_H

#include "base/buf.h"

#include <stdbool.h>

enum { RG_SERIES_POINTS = 480 };

typedef struct rg_point {
    double t, v;
} rg_point;

/* All zero is an empty series of values that are averaged. */
typedef struct rg_series {
    rg_point points[RG_SERIES_POINTS];
    int n;
    int stride;    /* values of a point; 0: 1 */
    bool is_count; /* it only grows: the last of some stands for them, not their mean */
    rg_point sum;  /* of those that do not make a point yet */
    int n_sum;
} rg_series;

void rg_series_add(rg_series *series, double t, double v);
/* The newest value, with those that are no point yet; false: there is none. */
bool rg_series_last(const rg_series *series, rg_point *last);
/* How much it grows in a second, over the last `seconds` of it; 0 where that is not known. */
double rg_series_slope(const rg_series *series, double seconds);
/* [[t, v], ...] */
void rg_series_json(const rg_series *series, rg_buf *out);

#endif
