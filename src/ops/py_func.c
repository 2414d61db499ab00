/* py_func.c - a Python function as an op.
 *
 *   Out = function(X), where forward_callable_id names the function among those that this
 *         process has registered: a saved program does not hold it.
 *
 * The gradient is a py_func too, of the function backward_callable_id, which is given what
 * the forward op read and wrote (but for backward_skip_vars), and the gradients of Out. */
#include "base/mem.h"
#include "ir/op.h"
#include "ir/program.h"

#include <string.h>

enum { X };
enum { OUT };
enum { FORWARD, BACKWARD, SKIPPED };

/* What the function returns is known when it has been called: the variables keep the shapes
 * that the program gives them. */
static rg_status py_func_infer(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

static rg_status py_func_kernel(rg_ctx *ctx)
{
    return ctx->run->services->call_python(ctx, rg_attr_int(ctx, FORWARD));
}

static bool skipped(const rg_opdesc *forward, const char *name)
{
    const rg_attr *list = rg_opdesc_attr(forward, "backward_skip_vars");
    for (int i = 0; list != NULL && i < list->n; i++)
        if (strcmp(list->strings[i], name) == 0)
            return true;
    return false;
}

/* Add what slot X of the gradient reads now to `names`; from: the forward op's names for it. */
static void keep(const rg_opdesc *grad, const rg_opdesc *forward, const rg_args *from,
                 const char **names, int *n)
{
    const rg_args *read = rg_opdesc_in(grad, "X");
    for (int i = 0; from != NULL && read != NULL && i < from->n && i < read->n; i++)
        if (forward == NULL || !skipped(forward, from->names[i]))
            names[(*n)++] = read->names[i];
}

static rg_status read_all(rg_grad_ctx *ctx, rg_opdesc *grad, const char **names)
{
    const rg_opdesc *forward = rg_grad_forward(ctx);
    const rg_args *in = rg_opdesc_in(forward, "X"), *out = rg_opdesc_out(forward, "Out");
    int n = 0;
    RG_TRY(rg_grad_read_in(ctx, grad, "X", "X"));
    keep(grad, forward, in, names, &n);
    RG_TRY(rg_grad_read_out(ctx, grad, "X", "Out"));
    keep(grad, forward, out, names, &n);
    RG_TRY(rg_grad_read_grad(ctx, grad, "X", "Out"));
    keep(grad, NULL, out, names, &n);
    return rg_opdesc_set_in(grad, "X", n, names);
}

static rg_status py_func_grad(rg_grad_ctx *ctx)
{
    const rg_opdesc *forward = rg_grad_forward(ctx);
    const rg_attr *backward = rg_opdesc_attr(forward, "backward_callable_id");
    const rg_args *in = rg_opdesc_in(forward, "X"), *out = rg_opdesc_out(forward, "Out");
    rg_opdesc *grad;
    if (backward == NULL || backward->i < 0 || in == NULL || out == NULL || out->n == 0)
        return RG_OK; /* without a backward function, no gradient flows */
    size_t most = (size_t)in->n + 2 * (size_t)out->n;
    const char **names = rg_alloc(most * sizeof *names);
    if (names == NULL)
        return rg_no_memory(most * sizeof *names, "the gradient of py_func");
    rg_status code = rg_grad_add(ctx, "py_func", false, &grad);
    if (code == RG_OK)
        code = read_all(ctx, grad, names);
    rg_free(names);
    RG_TRY(code);
    rg_attr id = {.name = "forward_callable_id", .type = RG_ATTR_INT, .i = backward->i};
    RG_TRY(rg_opdesc_set_attr(grad, &id));
    return rg_grad_write(ctx, grad, "Out", "X", -1, NULL);
}

const rg_op rg_op_py_func = {
    .type = "py_func",
    .doc = "A Python function of this process.",
    .in = RG_SLOTS([X] = {"X", "its arguments", RG_REPEATED | RG_OPTIONAL}),
    .out = RG_SLOTS([OUT] = {"Out", "what it returns", RG_REPEATED | RG_OPTIONAL}),
    .attr = RG_ATTRS([FORWARD] = RG_INT("forward_callable_id", 0, "which function"),
                     [BACKWARD] = RG_INT("backward_callable_id", -1,
                                         "which one computes the gradient; -1: none"),
                     [SKIPPED] = RG_LIST("backward_skip_vars", RG_ATTR_STRINGS,
                                         "variables that the gradient's function is not given")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_DYNAMIC,
    .infer = py_func_infer,
    .kernel = py_func_kernel,
    .grad = py_func_grad,
};
