/* activation_terms.h - the gradients of activation.c composed of ops that have gradients, for
 * gradients taken twice over: each says what N(slope) of activation_loops.h does. */

/* Straight lines: their slope has no gradient but at the corners. */
#define IS_PIECEWISE(K)                                                                            \
    ((K) == RELU || (K) == ABS || (K) == LEAKY_RELU || (K) == RELU6 || (K) == BRELU ||             \
     (K) == HARD_SIGMOID || (K) == HARD_SHRINK || (K) == SOFTSHRINK || (K) == THRESHOLDED_RELU)

static rg_term one_minus(rg_terms *t, rg_term x)
{
    return rg_term_scale(t, x, -1, 1);
}

static double number(rg_terms *t, const char *name)
{
    return (double)rg_term_attr(t, name)->f;
}

static rg_term squared(rg_terms *t, rg_term x)
{
    return rg_term_of(t, "square", x);
}

static rg_term sigmoid_of(rg_terms *t, rg_term x)
{
    return rg_term_of(t, "sigmoid", x);
}

/* y (1 - y) */
static rg_term sigmoid_slope(rg_terms *t, rg_term y)
{
    return rg_term_mul(t, y, one_minus(t, y));
}

/* 1 - y^2 */
static rg_term tanh_slope(rg_terms *t, rg_term y)
{
    return one_minus(t, squared(t, y));
}

/* min(x, 0) */
static rg_term negative_part(rg_terms *t, rg_term x)
{
    return rg_term_scale(t, rg_term_of(t, "relu", rg_term_scale(t, x, -1, 0)), -1, 0);
}

/* dy where x is above 0, else 0 */
static rg_term where_positive(rg_terms *t, rg_term x, rg_term dy)
{
    return rg_term_back(t, "relu_grad", "Out", rg_term_of(t, "relu", x), dy);
}

static rg_term gelu_slope(rg_terms *t, rg_term x)
{
    if (rg_term_attr(t, "approximate")->b) {
        rg_term x2 = squared(t, x);
        rg_term inner = rg_term_mul(t, x, rg_term_scale(t, x2, 0.044715, 1));
        rg_term y = rg_term_of(t, "tanh", rg_term_scale(t, inner, 0.7978845608028654, 0));
        rg_term du = rg_term_scale(t, x2, 0.7978845608028654 * 3 * 0.044715, 0.7978845608028654);
        rg_term bend = rg_term_mul(t, rg_term_mul(t, x, tanh_slope(t, y)), du);
        return rg_term_scale(t, rg_term_add(t, y, bend), 0.5, 0.5);
    }
    rg_term below = rg_term_of(t, "erf", rg_term_scale(t, x, 0.7071067811865476, 0));
    rg_term bell = rg_term_of(t, "exp", rg_term_scale(t, squared(t, x), -0.5, 0));
    return rg_term_add(t, rg_term_scale(t, below, 0.5, 0.5),
                       rg_term_scale(t, rg_term_mul(t, x, bell), 0.3989422804014327, 0));
}

static rg_term swish_slope(rg_terms *t, rg_term x)
{
    double beta = number(t, "beta");
    rg_term y = sigmoid_of(t, rg_term_scale(t, x, beta, 0));
    rg_term bend = rg_term_mul(t, x, sigmoid_slope(t, y));
    return rg_term_add(t, y, rg_term_scale(t, bend, beta, 0));
}

static rg_term mish_slope(rg_terms *t, rg_term x)
{
    rg_term y = rg_term_of(t, "tanh", rg_term_of(t, "softplus", x));
    rg_term bend = rg_term_mul(t, tanh_slope(t, y), sigmoid_of(t, x));
    return rg_term_add(t, y, rg_term_mul(t, x, bend));
}

/* The derivative where it is a formula of x, or of y, the output. */
static rg_term slope_of(rg_terms *t, kind k, rg_term x, rg_term y)
{
    switch ((int)k) {
    case SIGMOID:
        return sigmoid_slope(t, y);
    case TANH:
        return tanh_slope(t, y);
    case EXP:
        return y;
    case LOG:
        return rg_term_of(t, "reciprocal", x);
    case SQRT:
        return rg_term_scale(t, rg_term_of(t, "reciprocal", y), 0.5, 0);
    case RSQRT:
        return rg_term_scale(t, rg_term_mul(t, squared(t, y), y), -0.5, 0);
    case SQUARE:
        return rg_term_scale(t, x, 2, 0);
    case RECIPROCAL:
        return rg_term_scale(t, squared(t, y), -1, 0);
    case SIN:
        return rg_term_of(t, "cos", x);
    case COS:
        return rg_term_scale(t, rg_term_of(t, "sin", x), -1, 0);
    case ASIN:
        return rg_term_of(t, "rsqrt", one_minus(t, squared(t, x)));
    case ACOS:
        return rg_term_scale(t, rg_term_of(t, "rsqrt", one_minus(t, squared(t, x))), -1, 0);
    case ATAN:
        return rg_term_of(t, "reciprocal", rg_term_scale(t, squared(t, x), 1, 1));
    case ERF:
        return rg_term_scale(t, rg_term_of(t, "exp", rg_term_scale(t, squared(t, x), -1, 0)),
                             1.1283791670955126, 0);
    case SOFTPLUS:
        return sigmoid_of(t, x);
    case SOFTSIGN:
        return rg_term_of(t, "reciprocal",
                          squared(t, rg_term_scale(t, rg_term_of(t, "abs", x), 1, 1)));
    case LOGSIGMOID:
        return sigmoid_of(t, rg_term_scale(t, x, -1, 0));
    case TANH_SHRINK:
        return squared(t, rg_term_of(t, "tanh", x));
    case SWISH:
        return swish_slope(t, x);
    case STANH: {
        rg_term inner = rg_term_of(t, "tanh", rg_term_scale(t, x, number(t, "scale_a"), 0));
        return rg_term_scale(t, tanh_slope(t, inner), number(t, "scale_a") * number(t, "scale_b"),
                             0);
    }
    case GELU:
        return gelu_slope(t, x);
    case MISH:
        return mish_slope(t, x);
    case LOG1P:
        return rg_term_of(t, "reciprocal", rg_term_scale(t, x, 1, 1));
    default:
        rg_term_fail(t, "no terms for it");
        return NULL;
    }
}

/* Those that are one formula here and another there. */
static bool compose_parts(rg_terms *t, kind k, rg_term x, rg_term y, rg_term dy)
{
    rg_term below, above;
    switch ((int)k) {
    case ELU: /* 1, or alpha e^x below 0 */
        below = rg_term_mul(t, dy, rg_term_of(t, "exp", negative_part(t, x)));
        below = rg_term_scale(t, below, number(t, "alpha"), 0);
        above = rg_term_scale(t, where_positive(t, x, dy), 1 - number(t, "alpha"), 0);
        break;
    case SELU: { /* scale, or y + scale alpha below 0 */
        double scale = number(t, "scale"), low = scale * number(t, "alpha");
        below = rg_term_mul(t, dy, rg_term_scale(t, negative_part(t, y), 1, low));
        above = rg_term_scale(t, where_positive(t, y, dy), scale - low, 0);
        break;
    }
    case SOFT_RELU: { /* 1 - e^-y, or 0 beyond the threshold */
        rg_opdesc *clip = rg_term_begin(t, "brelu_grad");
        float bound = rg_term_attr(t, "threshold")->f;
        rg_term_put(t, clip, "X", y);
        rg_term_put(t, clip, "Out@GRAD", dy);
        rg_term_set(t, clip, &(rg_attr){.name = "t_min", .type = RG_ATTR_FLOAT, .f = -bound});
        rg_term_set(t, clip, &(rg_attr){.name = "t_max", .type = RG_ATTR_FLOAT, .f = bound});
        rg_term inside = rg_term_end(t, clip, "X@GRAD");
        rg_term slope = one_minus(t, rg_term_of(t, "exp", rg_term_scale(t, y, -1, 0)));
        rg_term_give(t, "X@GRAD", rg_term_mul(t, inside, slope));
        return true;
    }
    case HARD_SWISH: { /* (x u)' / scale, u = x + offset between 0 and the threshold */
        rg_term u = rg_term_scale(t, x, 1, number(t, "offset"));
        float bound = rg_term_attr(t, "threshold")->f;
        rg_attr top = {.name = "t_max", .type = RG_ATTR_FLOAT, .f = bound};
        rg_opdesc *clip = rg_term_begin(t, "brelu"), *back;
        rg_term_put(t, clip, "X", u);
        rg_term_set(t, clip, &top);
        below = rg_term_mul(t, dy, rg_term_end(t, clip, "Out"));
        back = rg_term_begin(t, "brelu_grad");
        rg_term_put(t, back, "X", u);
        rg_term_put(t, back, "Out@GRAD", dy);
        rg_term_set(t, back, &top);
        above = rg_term_mul(t, x, rg_term_end(t, back, "X@GRAD"));
        below = rg_term_scale(t, below, 1 / number(t, "scale"), 0);
        above = rg_term_scale(t, above, 1 / number(t, "scale"), 0);
        break;
    }
    default:
        return false;
    }
    rg_term_give(t, "X@GRAD", rg_term_add(t, below, above));
    return true;
}

static void compose_slope(rg_terms *t, kind k)
{
    rg_term x = rg_term_in(t, "X"), y = rg_term_in(t, "Out"), dy = rg_term_in(t, "Out@GRAD");
    if (!compose_parts(t, k, x, y, dy))
        rg_term_give(t, "X@GRAD", rg_term_mul(t, dy, slope_of(t, k, x, y)));
}
