/* box.c - moving boxes of elements. */
#include "ops/box.h"

#include "base/hot.h"

#include <string.h>

enum { TILE = 32 }; /* a side: two tiles of doubles are half of a first-level cache */

void rg_shape_steps(const rg_shape *shape, int64_t steps[RG_MAX_DIMS])
{
    int64_t step = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        steps[i] = step;
        step *= shape->dim[i];
    }
}

int64_t rg_box_window(rg_box *box, const rg_shape *whole, const rg_shape *part,
                      const int64_t *first, bool out)
{
    int64_t steps[RG_MAX_DIMS] = {0}, part_steps[RG_MAX_DIMS] = {0}, start = 0;
    rg_shape_steps(whole, steps);
    rg_shape_steps(part, part_steps);
    *box = (rg_box){.rank = 0};
    for (int d = 0; d < whole->rank; d++) {
        start += first[d] * steps[d];
        rg_box_add_dim(box, part->dim[d], out ? part_steps[d] : steps[d],
                       out ? steps[d] : part_steps[d]);
    }
    return start;
}

/* Without dimensions of 1, and with those that continue each other taken as one: at least
 * one dimension. False where there is nothing to move. */
static bool simplify(rg_box *out, const rg_box *box)
{
    out->rank = 0;
    for (int i = 0; i < box->rank; i++) {
        int last = out->rank - 1;
        if (box->n[i] == 0)
            return false;
        if (box->n[i] == 1)
            continue;
        if (last >= 0 && out->to[last] == box->to[i] * box->n[i] &&
            out->from[last] == box->from[i] * box->n[i]) {
            out->n[last] *= box->n[i];
            out->to[last] = box->to[i];
            out->from[last] = box->from[i];
        } else {
            rg_box_add_dim(out, box->n[i], box->to[i], box->from[i]);
        }
    }
    if (out->rank == 0)
        rg_box_add_dim(out, 1, 1, 1);
    return true;
}

/* Where the next run of the innermost `inner` dimensions begins: false after the last. */
typedef struct place {
    int64_t at[RG_BOX_DIMS];
    int64_t to, from;
} place;

static inline bool next(const rg_box *box, place *p, int inner)
{
    for (int d = box->rank - 1 - inner; d >= 0; d--) {
        p->to += box->to[d];
        p->from += box->from[d];
        if (++p->at[d] < box->n[d])
            return true;
        p->to -= box->to[d] * box->n[d];
        p->from -= box->from[d] * box->n[d];
        p->at[d] = 0;
    }
    return false;
}

#define MOVE(T, S)                                                                        \
    RG_HOT static void run_##S(const rg_box *box, T *to, const T *from)                   \
    {                                                                                     \
        const int last = box->rank - 1;                                                   \
        const int64_t n = box->n[last], st = box->to[last], sf = box->from[last];         \
        place p = {.to = 0};                                                              \
        do {                                                                              \
            T *y = to + p.to;                                                             \
            const T *x = from + p.from;                                                   \
            if (st == 1 && sf == 0) {                                                     \
                const T one = *x;                                                         \
                for (int64_t j = 0; j < n; j++)                                           \
                    y[j] = one;                                                           \
            } else if (st == 1 && sf == -1) {                                             \
                for (int64_t j = 0; j < n; j++)                                           \
                    y[j] = x[-j];                                                         \
            } else {                                                                      \
                for (int64_t j = 0; j < n; j++)                                           \
                    y[j * st] = x[j * sf];                                                \
            }                                                                             \
        } while (next(box, &p, 1));                                                       \
    }                                                                                     \
    /* The last two dimensions: the outer has neighbours in `from`, the inner in `to`. */ \
    RG_HOT static void turn_##S(const rg_box *box, T *to, const T *from)                  \
    {                                                                                     \
        const int last = box->rank - 1;                                                   \
        const int64_t rows = box->n[last - 1], n = box->n[last];                          \
        const int64_t st = box->to[last - 1], sf = box->from[last];                       \
        place p = {.to = 0};                                                              \
        do {                                                                              \
            for (int64_t i0 = 0; i0 < rows; i0 += TILE) {                                 \
                const int64_t i1 = i0 + TILE < rows ? i0 + TILE : rows;                   \
                for (int64_t j0 = 0; j0 < n; j0 += TILE) {                                \
                    const int64_t j1 = j0 + TILE < n ? j0 + TILE : n;                     \
                    for (int64_t i = i0; i < i1; i++)                                     \
                        for (int64_t j = j0; j < j1; j++)                                 \
                            to[p.to + i * st + j] = from[p.from + i + j * sf];            \
                }                                                                         \
            }                                                                             \
        } while (next(box, &p, 2));                                                       \
    }
MOVE(uint8_t, 1)
MOVE(uint16_t, 2)
MOVE(uint32_t, 4)
MOVE(uint64_t, 8)

/* Bring the dimension with neighbours in `from` next to the last: false if there is none. */
static bool arrange_turn(rg_box *box)
{
    int last = box->rank - 1, d = last - 1;
    if (box->to[last] != 1 || box->from[last] == 1)
        return false;
    while (d >= 0 && box->from[d] != 1)
        d--;
    if (d < 0)
        return false;
    int64_t n = box->n[d], to = box->to[d];
    for (; d < last - 1; d++) {
        box->n[d] = box->n[d + 1];
        box->to[d] = box->to[d + 1];
        box->from[d] = box->from[d + 1];
    }
    box->n[d] = n;
    box->to[d] = to;
    box->from[d] = 1;
    return true;
}

static void copy_runs(const rg_box *box, char *to, const char *from, size_t size)
{
    const size_t bytes = (size_t)box->n[box->rank - 1] * size;
    place p = {.to = 0};
    do
        memcpy(to + p.to * (int64_t)size, from + p.from * (int64_t)size, bytes);
    while (next(box, &p, 1));
}

void rg_box_copy(const rg_box *given, void *to, const void *from, size_t size)
{
    rg_box box;
    if (!simplify(&box, given))
        return;
    int last = box.rank - 1;
    if (box.to[last] == 1 && box.from[last] == 1) {
        copy_runs(&box, to, from, size);
        return;
    }
    bool turned = arrange_turn(&box);
    switch (size) {
    case 1:
        (turned ? turn_1 : run_1)(&box, to, from);
        break;
    case 2:
        (turned ? turn_2 : run_2)(&box, to, from);
        break;
    case 4:
        (turned ? turn_4 : run_4)(&box, to, from);
        break;
    default:
        (turned ? turn_8 : run_8)(&box, to, from);
        break;
    }
}

#define ADD(T, S)                                                                 \
    RG_HOT static void add_##S(const rg_box *box, T *to, const T *from)           \
    {                                                                             \
        const int last = box->rank - 1;                                           \
        const int64_t n = box->n[last], st = box->to[last], sf = box->from[last]; \
        place p = {.to = 0};                                                      \
        do {                                                                      \
            T *y = to + p.to;                                                     \
            const T *x = from + p.from;                                           \
            if (st == 1 && sf == 1)                                               \
                for (int64_t j = 0; j < n; j++)                                   \
                    y[j] += x[j];                                                 \
            else                                                                  \
                for (int64_t j = 0; j < n; j++)                                   \
                    y[j * st] += x[j * sf];                                       \
        } while (next(box, &p, 1));                                               \
    }                                                                             \
    void rg_box_add_##S(const rg_box *given, T *to, const T *from)                \
    {                                                                             \
        rg_box box;                                                               \
        if (simplify(&box, given))                                                \
            add_##S(&box, to, from);                                              \
    }
ADD(float, f32)
ADD(double, f64)
