/* window.c - the geometry of sliding windows. */
#include "ops/window.h"

#include <string.h>

rg_status rg_window_format(const char *format, int axes, bool *channels_last)
{
    static const char *const first[] = {"NCHW", "NCDHW"}, *const last[] = {"NHWC", "NDHWC"};
    /* conv3d_transpose and pool3d say NCHW by default and mean NCDHW. */
    for (int i = 0; i < 2; i++)
        if (strcmp(format, first[i]) == 0 || strcmp(format, last[i]) == 0) {
            *channels_last = strcmp(format, last[i]) == 0;
            return RG_OK;
        }
    *channels_last = false;
    if (strcmp(format, "AnyLayout") == 0 || format[0] == '\0')
        return RG_OK;
    return rg_fail(RG_EINVAL, "the data format %s: %s or %s", format, first[axes - 2],
                   last[axes - 2]);
}

rg_status rg_window_numbers(const rg_attr *list, int axes, int64_t least, int64_t *out)
{
    if (list->n != axes)
        return rg_fail(RG_EINVAL, "%s has %d numbers, and there are %d axes", list->name, list->n,
                       axes);
    for (int i = 0; i < axes; i++) {
        out[i] = list->ints[i];
        if (out[i] < least)
            return rg_fail(RG_EINVAL, "%s has a %lld, and must be at least %lld", list->name,
                           (long long)out[i], (long long)least);
    }
    return RG_OK;
}

static rg_status explicit_padding(rg_window *w, const rg_attr *list)
{
    size_t each = (size_t)(list->n / w->axes);
    if (list->n != w->axes && list->n != 2 * w->axes)
        return rg_fail(RG_EINVAL, "%s has %d numbers, and must have %d or %d", list->name, list->n,
                       w->axes, 2 * w->axes);
    for (size_t i = 0; i < (size_t)w->axes; i++) {
        w->before[i] = list->ints[i * each];
        w->after[i] = list->ints[i * each + each - 1];
        if (w->before[i] < 0 || w->after[i] < 0)
            return rg_fail(RG_EINVAL, "%s has a negative number", list->name);
    }
    return RG_OK;
}

rg_status rg_window_padding(rg_window *w, const rg_attr *paddings, const char *algorithm,
                            const int64_t *in)
{
    RG_TRY(explicit_padding(w, paddings));
    if (strcmp(algorithm, "EXPLICIT") == 0)
        return RG_OK;
    bool same = strcmp(algorithm, "SAME") == 0;
    if (!same && strcmp(algorithm, "VALID") != 0)
        return rg_fail(RG_EINVAL, "padding_algorithm %s: EXPLICIT, SAME or VALID", algorithm);
    for (int i = 0; i < w->axes; i++) {
        w->before[i] = w->after[i] = 0;
        if (!same)
            continue;
        int64_t s = w->stride[i];
        int64_t total = in[i] < 0 ? 0 : ((in[i] + s - 1) / s - 1) * s + w->kernel[i] - in[i];
        if (total > 0) {
            w->before[i] = total / 2;
            w->after[i] = total - total / 2;
        }
        w->dilation[i] = 1;
    }
    return RG_OK;
}

int64_t rg_window_count(const rg_window *w, int axis, int64_t in, bool up)
{
    if (in < 0)
        return -1;
    int64_t reach = (w->kernel[axis] - 1) * w->dilation[axis] + 1;
    int64_t room = in + w->before[axis] + w->after[axis] - reach;
    if (room < 0)
        return 0;
    return (room + (up ? w->stride[axis] - 1 : 0)) / w->stride[axis] + 1;
}
