/* elementwise_rows.h - the loops of elementwise.c for one element type, T, with the
 * suffix S. Included once for each type; an op is a constant to the inlined loops, so
 * that each becomes a loop of its own. */
#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define N(name)      PASTE(name, S)

RG_INLINE T N(value)(op_kind op, T a, T b)
{
    switch (op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return a / b;
    case MAX:
        return a > b ? a : b;
    case MIN:
        return a < b ? a : b;
    case POW:
        return (T)pow((double)a, (double)b);
    case MOD:
        return (T)REST(a, b);
    case FLOORDIV:
        return (T)(a / b);
    }
    return 0;
}

RG_INLINE void N(rows)(op_kind op, const rg_broadcast *b, const T *x, const T *y, T *out)
{
    const int64_t n = b->n[b->rank - 1], sx = b->sx[b->rank - 1], sy = b->sy[b->rank - 1];
    rg_row row = {.x = 0};
    for (int64_t r = 0; r < b->rows; r++, rg_row_next(b, &row)) {
        const T *px = x + row.x, *py = y + row.y;
        T *po = out + r * n;
        if (sx != 0 && sy != 0) {
            for (int64_t j = 0; j < n; j++)
                po[j] = N(value)(op, px[j], py[j]);
        } else if (sx != 0) {
            const T y0 = py[0];
            for (int64_t j = 0; j < n; j++)
                po[j] = N(value)(op, px[j], y0);
        } else {
            const T x0 = px[0];
            for (int64_t j = 0; j < n; j++)
                po[j] = N(value)(op, x0, py[j]);
        }
    }
}

RG_HOT static void N(forward)(op_kind op, const rg_broadcast *b, const T *x, const T *y, T *out)
{
    switch (op) {
    case ADD:
        N(rows)(ADD, b, x, y, out);
        break;
    case SUB:
        N(rows)(SUB, b, x, y, out);
        break;
    case MUL:
        N(rows)(MUL, b, x, y, out);
        break;
    case DIV:
        N(rows)(DIV, b, x, y, out);
        break;
    case MAX:
        N(rows)(MAX, b, x, y, out);
        break;
    case MIN:
        N(rows)(MIN, b, x, y, out);
        break;
    case POW:
    case MOD:
    case FLOORDIV:
        N(rows)(op, b, x, y, out);
        break;
    }
}

#ifdef WITH_GRADIENT
/* The derivative by x (or by y) times the gradient g of the output. */
RG_INLINE T N(slope)(op_kind op, bool by_x, T a, T b, T g)
{
    switch (op) {
    case ADD:
        return g;
    case SUB:
        return by_x ? g : -g;
    case MUL:
        return by_x ? g * b : g * a;
    case DIV:
        return by_x ? g / b : -g * (a / b) / b;
    case MAX:
        return (by_x ? a > b : a <= b) ? g : 0;
    case MIN:
        return (by_x ? a < b : a >= b) ? g : 0;
    case POW:
        return (T)((double)g * (by_x ? (double)b * pow((double)a, (double)b - 1)
                                     : log((double)a) * pow((double)a, (double)b)));
    case MOD:
    case FLOORDIV:
        break;
    }
    return 0;
}

/* One row: t = or += the slopes, element by element; a target that the row repeats
 * (step 0) takes their sum, formed in eight parts so that it can be a vector. */
RG_INLINE void N(slope_row)(op_kind op, bool by_x, const T *px, int64_t sx, const T *py, int64_t sy,
                            const T *g, T *t, int64_t step, bool assign, int64_t n)
{
    if (assign) {
        for (int64_t j = 0; j < n; j++)
            t[j] = N(slope)(op, by_x, px[j * sx], py[j * sy], g[j]);
    } else if (step != 0) {
        for (int64_t j = 0; j < n; j++)
            t[j] += N(slope)(op, by_x, px[j * sx], py[j * sy], g[j]);
    } else {
        T part[8] = {0};
        for (int64_t j = 0; j < n; j++)
            part[j & 7] += N(slope)(op, by_x, px[j * sx], py[j * sy], g[j]);
        *t += ((part[0] + part[4]) + (part[1] + part[5])) +
              ((part[2] + part[6]) + (part[3] + part[7]));
    }
}

RG_INLINE void N(slopes)(op_kind op, bool by_x, const rg_broadcast *b, const T *x, const T *y,
                         const T *g, T *target, bool assign)
{
    const int64_t n = b->n[b->rank - 1], sx = b->sx[b->rank - 1], sy = b->sy[b->rank - 1];
    rg_row row = {.x = 0};
    for (int64_t r = 0; r < b->rows; r++, rg_row_next(b, &row)) {
        const T *px = x + row.x, *py = y + row.y, *pg = g + r * n;
        T *t = target + (by_x ? row.x : row.y);
        int64_t step = by_x ? sx : sy;
        if (sx != 0 && sy != 0)
            N(slope_row)(op, by_x, px, 1, py, 1, pg, t, step, assign, n);
        else if (sx != 0)
            N(slope_row)(op, by_x, px, 1, py, 0, pg, t, step, assign, n);
        else
            N(slope_row)(op, by_x, px, 0, py, 1, pg, t, step, assign, n);
    }
}

RG_HOT static void N(backward)(op_kind op, bool by_x, const rg_broadcast *b, const T *x, const T *y,
                               const T *g, T *target, bool assign)
{
#define BOTH(OP)                                              \
    case OP:                                                  \
        if (by_x)                                             \
            N(slopes)(OP, true, b, x, y, g, target, assign);  \
        else                                                  \
            N(slopes)(OP, false, b, x, y, g, target, assign); \
        break;
    switch (op) {
        BOTH(ADD)
        BOTH(SUB)
        BOTH(MUL)
        BOTH(DIV)
        BOTH(MAX)
        BOTH(MIN)
        BOTH(POW)
    case MOD:
    case FLOORDIV:
        break;
    }
#undef BOTH
}
#endif

#undef N
#undef PASTE
#undef PASTE_
#undef T
#undef S
#undef REST
