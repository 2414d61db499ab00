/* series.c - numbers over time in a bounded space. */
#include "watch/series.h"

#include "base/json.h"

#include <math.h>

static rg_point join(const rg_series *s, rg_point a, rg_point b)
{
    if (s->is_count)
        return b;
    return (rg_point){(a.t + b.t) / 2, (a.v + b.v) / 2};
}

static void halve(rg_series *s)
{
    for (int i = 0; i < s->n / 2; i++)
        s->points[i] = join(s, s->points[2 * i], s->points[2 * i + 1]);
    s->n /= 2;
    s->stride *= 2;
}

static rg_point unfinished(const rg_series *s)
{
    return s->is_count ? s->sum : (rg_point){s->sum.t / s->n_sum, s->sum.v / s->n_sum};
}

void rg_series_add(rg_series *s, double t, double v)
{
    if (s->stride == 0)
        s->stride = 1;
    if (s->is_count)
        s->sum = (rg_point){t, v};
    else
        s->sum = (rg_point){s->sum.t + t, s->sum.v + v};
    if (++s->n_sum < s->stride)
        return;
    if (s->n == RG_SERIES_POINTS) {
        halve(s);
        if (s->n_sum < s->stride)
            return;
    }
    s->points[s->n++] = unfinished(s);
    s->sum = (rg_point){0, 0};
    s->n_sum = 0;
}

bool rg_series_last(const rg_series *s, rg_point *last)
{
    if (s->n_sum > 0)
        *last = unfinished(s);
    else if (s->n > 0)
        *last = s->points[s->n - 1];
    return s->n_sum > 0 || s->n > 0;
}

double rg_series_slope(const rg_series *s, double seconds)
{
    rg_point last;
    int first = s->n - 1;
    if (!rg_series_last(s, &last) || s->n < 1)
        return 0;
    while (first > 0 && last.t - s->points[first].t < seconds)
        first--;
    double over = last.t - s->points[first].t;
    return over > 0 ? (last.v - s->points[first].v) / over : 0;
}

void rg_series_json(const rg_series *s, rg_buf *out)
{
    rg_point last;
    rg_buf_char(out, '[');
    for (int i = 0; i < s->n; i++) {
        rg_buf_printf(out, "%s[%.2f,", i > 0 ? "," : "", s->points[i].t);
        rg_json_number(out, s->points[i].v);
        rg_buf_char(out, ']');
    }
    if (s->n_sum > 0 && rg_series_last(s, &last)) {
        rg_buf_printf(out, "%s[%.2f,", s->n > 0 ? "," : "", last.t);
        rg_json_number(out, last.v);
        rg_buf_char(out, ']');
    }
    rg_buf_char(out, ']');
}
