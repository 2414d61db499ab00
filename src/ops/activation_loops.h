/* activation_loops.h - the loops of activation.c for one element type, T, with the
 * suffix S and the functions EXP, LOG, TANH, SIGMOID, SOFTPLUS. Included once for each type;
 * the kind is a constant to the inlined functions, so that each becomes a loop of its own. */
#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define N(name)      PASTE(name, S)

/* log(1 + e^x), and beyond the bound what it comes to there. */
RG_INLINE T N(bounded_softplus)(T x, T bound)
{
    return x > bound ? x : x < -bound ? EXP_OF(x) : SOFTPLUS_OF(x);
}

RG_INLINE T N(value)(kind k, const float p[3], T x)
{
    switch (k) {
    case RELU: /* in this order a NaN stays, and it is one instruction still */
        return 0 > x ? 0 : x;
    case SIGMOID:
        return SIGMOID_OF(x);
    case TANH:
        return TANH_OF(x);
    case EXP:
        return EXP_OF(x);
    case LOG:
        return LOG_OF(x);
    case SQRT:
        return SQRT_OF(x);
    case RSQRT:
        return 1 / SQRT_OF(x);
    case SQUARE:
        return x * x;
    case ABS:
        return x < 0 ? -x : x;
    case CEIL:
        return CEIL_OF(x);
    case FLOOR:
        return FLOOR_OF(x);
    case ROUND:
        return ROUND_OF(x);
    case RECIPROCAL:
        return 1 / x;
    case SIN:
        return (T)sin((double)x);
    case COS:
        return (T)cos((double)x);
    case ASIN:
        return (T)asin((double)x);
    case ACOS:
        return (T)acos((double)x);
    case ATAN:
        return (T)atan((double)x);
    case ERF:
        return (T)erf((double)x);
    case SOFTPLUS:
        return SOFTPLUS_OF(x);
    case SOFTSIGN:
        return x / (1 + (x < 0 ? -x : x));
    case LOGSIGMOID:
        return -SOFTPLUS_OF(-x);
    case TANH_SHRINK:
        return x - TANH_OF(x);
    case SIGN:
        return (T)((x > 0) - (x < 0));
    case LEAKY_RELU:
        return x > 0 ? x : (T)p[0] * x;
    case RELU6:
        return x < 0 ? 0 : x > (T)p[0] ? (T)p[0] : x;
    case ELU:
        return x > 0 ? x : (T)p[0] * (EXP_OF(x) - 1);
    case SELU:
        return (T)p[0] * (x > 0 ? x : (T)p[1] * (EXP_OF(x) - 1));
    case BRELU:
        return x < (T)p[0] ? (T)p[0] : x > (T)p[1] ? (T)p[1] : x;
    case SOFT_RELU: {
        T c = x < -(T)p[0] ? -(T)p[0] : x > (T)p[0] ? (T)p[0] : x;
        return SOFTPLUS_OF(c);
    }
    case SWISH:
        return x * SIGMOID_OF((T)p[0] * x);
    case HARD_SIGMOID: {
        T y = (T)p[0] * x + (T)p[1];
        return y < 0 ? 0 : y > 1 ? 1 : y;
    }
    case HARD_SWISH: {
        T y = x + (T)p[2];
        y = y < 0 ? 0 : y > (T)p[0] ? (T)p[0] : y;
        return x * y / (T)p[1];
    }
    case STANH:
        return (T)p[1] * TANH_OF((T)p[0] * x);
    case HARD_SHRINK:
        return x >= -(T)p[0] && x <= (T)p[0] ? 0 : x;
    case SOFTSHRINK:
        return x >= -(T)p[0] && x <= (T)p[0] ? 0 : x > 0 ? x - (T)p[0] : x + (T)p[0];
    case THRESHOLDED_RELU:
        return x <= (T)p[0] ? 0 : x;
    case GELU:
        if (p[0] != 0) {
            T u = (T)0.7978845608028654 * (x + (T)0.044715 * x * x * x);
            return (T)0.5 * x * (1 + TANH_OF(u));
        }
        return (T)(0.5 * (double)x * (1 + erf((double)x * 0.7071067811865476)));
    case MISH:
        return x * TANH_OF(N(bounded_softplus)(x, (T)p[0]));
    case LOG1P:
        return (T)log1p((double)x);
    }
    return x;
}

/* The derivative, from the input x or the output y, whichever the gradient op reads. */
RG_INLINE T N(slope)(kind k, const float p[3], T x, T y)
{
    switch (k) {
    case RELU:
        return y > 0 ? 1 : 0;
    case SIGMOID:
        return y * (1 - y);
    case TANH:
        return 1 - y * y;
    case EXP:
        return y;
    case LOG:
        return 1 / x;
    case SQRT:
        return (T)0.5 / y;
    case RSQRT:
        return (T)-0.5 * y * y * y;
    case SQUARE:
        return 2 * x;
    case ABS:
        return (T)((x > 0) - (x < 0));
    case CEIL:
    case FLOOR:
    case ROUND:
    case SIGN:
        return 0;
    case RECIPROCAL:
        return -y * y;
    case SIN:
        return (T)cos((double)x);
    case COS:
        return (T)-sin((double)x);
    case ASIN:
        return 1 / SQRT_OF(1 - x * x);
    case ACOS:
        return -1 / SQRT_OF(1 - x * x);
    case ATAN:
        return 1 / (1 + x * x);
    case ERF:
        return (T)1.1283791670955126 * EXP_OF(-x * x);
    case SOFTPLUS:
        return SIGMOID_OF(x);
    case SOFTSIGN: {
        T d = 1 + (x < 0 ? -x : x);
        return 1 / (d * d);
    }
    case LOGSIGMOID:
        return SIGMOID_OF(-x);
    case TANH_SHRINK: {
        T t = TANH_OF(x);
        return t * t;
    }
    case LEAKY_RELU:
        return y > 0 ? 1 : y <= 0 ? (T)p[0] : 0;
    case RELU6:
        return y > 0 && y < (T)p[0] ? 1 : 0;
    case ELU:
        return x > 0 ? 1 : (T)p[0] * EXP_OF(x);
    case SELU:
        return y > 0 ? (T)p[0] : y + (T)p[0] * (T)p[1];
    case BRELU:
        return x > (T)p[0] && x < (T)p[1] ? 1 : 0;
    case SOFT_RELU:
        return y <= -(T)p[0] || y >= (T)p[0] ? 0 : 1 - EXP_OF(-y);
    case SWISH: {
        T s = SIGMOID_OF((T)p[0] * x);
        return s + (T)p[0] * (x * s) * (1 - s);
    }
    case HARD_SIGMOID:
        return y > 0 && y < 1 ? (T)p[0] : 0;
    case HARD_SWISH: {
        T at = x + (T)p[2];
        T inside = (2 * x + (T)p[2]) / (T)p[1];
        return at <= 0 ? 0 : at >= (T)p[0] ? 1 : inside;
    }
    case STANH: {
        T t = TANH_OF((T)p[0] * x);
        return (T)p[0] * (T)p[1] * (1 - t * t);
    }
    case HARD_SHRINK:
    case SOFTSHRINK:
        return x > (T)p[0] || x < -(T)p[0] ? 1 : 0;
    case THRESHOLDED_RELU:
        return x > (T)p[0] ? 1 : 0;
    case GELU:
        if (p[0] != 0) {
            T u = (T)0.7978845608028654 * (x + (T)0.044715 * x * x * x);
            T t = TANH_OF(u), du = (T)0.7978845608028654 * (1 + (T)(3 * 0.044715) * x * x);
            return (T)0.5 * (1 + t) + (T)0.5 * x * (1 - t * t) * du;
        }
        return (T)(0.5 * (1 + erf((double)x * 0.7071067811865476)) +
                   (double)x * 0.3989422804014327 * exp(-0.5 * (double)x * (double)x));
    case MISH: {
        T sp = N(bounded_softplus)(x, (T)p[0]), t = TANH_OF(sp);
        return t + x * (1 - t * t) * (1 - EXP_OF(-sp));
    }
    case LOG1P:
        return 1 / (1 + x);
    }
    return 1;
}

RG_INLINE void N(values)(kind k, const float p[3], const T *x, T *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = N(value)(k, p, x[i]);
}

RG_INLINE void N(slopes)(kind k, const float p[3], const T *from, const T *dy, T *dx, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] = dy[i] * N(slope)(k, p, from[i], from[i]);
}

RG_HOT static void N(forward)(kind k, const float p[3], const T *x, T *y, int64_t n)
{
#define CASE(K)                   \
    case K:                       \
        N(values)(K, p, x, y, n); \
        break;
    switch (k) {
        ALL_KINDS(CASE)
    }
#undef CASE
}

RG_HOT static void N(backward)(kind k, const float p[3], const T *from, const T *dy, T *dx,
                               int64_t n)
{
#define CASE(K)                           \
    case K:                               \
        N(slopes)(K, p, from, dy, dx, n); \
        break;
    switch (k) {
        ALL_KINDS(CASE)
    }
#undef CASE
}

#undef N
#undef PASTE
#undef PASTE_
#undef T
#undef S
#undef EXP_OF
#undef LOG_OF
#undef TANH_OF
#undef SIGMOID_OF
#undef SOFTPLUS_OF
#undef SQRT_OF
#undef CEIL_OF
#undef FLOOR_OF
#undef ROUND_OF
