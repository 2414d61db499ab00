/* py_func.c - how the op py_func calls Python. */
#include "_core/core.h"

#include "ir/op.h"

#include <string.h>

/* Set by paddle.fluid.layers.py_func: function(id, inputs, n) -> list of n outputs, and
 * function(exception) -> its words. */
static PyObject *caller, *teller;

static PyObject *inputs_of(rg_ctx *ctx)
{
    int n = rg_n_in(ctx, 0);
    PyObject *list = PyList_New(n);
    for (int i = 0; list != NULL && i < n; i++) {
        const rg_value *value = rg_in_n(ctx, 0, i);
        PyObject *item = value ? core_fetch(value, false) : Py_None;
        if (item == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        if (value == NULL)
            Py_INCREF(item);
        (void)PyList_SetItem(list, i, item);
    }
    return list;
}

static rg_status put(rg_ctx *ctx, int i, const rg_value *value)
{
    const char *name = rg_out_name(ctx, 0, i);
    const rg_vardesc *var = rg_block_find(ctx->desc->block, name);
    if (var != NULL && var->meta.dtype != value->meta.dtype)
        return rg_fail(RG_EVALUE,
                       "the Python function gave %s for %s, which is %s: return it with "
                       ".astype('%s'), or make the variable with dtype='%s'",
                       rg_dtype_name(value->meta.dtype), name, rg_dtype_name(var->meta.dtype),
                       rg_dtype_name(var->meta.dtype), rg_dtype_name(value->meta.dtype));
    RG_TRY(rg_out_resize(ctx, 0, i, value->meta.dtype, &value->meta.shape));
    rg_value *out = rg_out_n(ctx, 0, i);
    rg_value_set_lod(out, value->meta.lod);
    size_t bytes = rg_value_bytes(value);
    if (bytes > 0)
        memcpy(out->data, value->data, bytes);
    return RG_OK;
}

/* Output i, of what the function gave for it. */
static rg_status take(rg_ctx *ctx, int i, PyObject *item)
{
    rg_value *value;
    if (rg_out_n(ctx, 0, i) == NULL)
        return RG_OK; /* nobody asked for it */
    if (item == Py_None)
        return rg_fail(RG_EVALUE, "the Python function gave None for %s", rg_out_name(ctx, 0, i));
    RG_TRY(rg_value_new(&value));
    rg_status code = core_feed(item, NULL, value) < 0
                         ? rg_fail(RG_EVALUE, "the Python function gave no array for %s",
                                   rg_out_name(ctx, 0, i))
                         : put(ctx, i, value);
    rg_value_release(value);
    return code;
}

/* Of a trainer thread these words are all that its caller sees: they say what was raised, where. */
static rg_status raised(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value != NULL && trace != NULL)
        (void)PyException_SetTraceback(value, trace);
    PyObject *text = value ? PyObject_CallFunction(teller, "O", value) : NULL;
    const char *said = text ? core_text(text) : NULL;
    rg_status code = rg_fail(RG_EVALUE, "the Python function raised %s",
                             said ? said : "an exception");
    Py_XDECREF(text);
    PyErr_Restore(type, value, trace);
    return code;
}

static rg_status call_held(rg_ctx *ctx, int id)
{
    if (caller == NULL)
        return rg_fail(RG_EUNIMPL, "no Python function is registered in this process");
    PyObject *inputs = inputs_of(ctx);
    PyObject *outputs = inputs ? PyObject_CallFunction(caller, "iOi", id, inputs, rg_n_out(ctx, 0))
                               : NULL;
    Py_XDECREF(inputs);
    if (outputs == NULL)
        return raised();
    rg_status code = RG_OK;
    for (int i = 0; code == RG_OK && i < rg_n_out(ctx, 0); i++) {
        PyObject *item = PySequence_GetItem(outputs, i);
        code = item ? take(ctx, i, item) : raised();
        Py_XDECREF(item);
    }
    Py_DECREF(outputs);
    return code;
}

static rg_status call(rg_ctx *ctx, int id)
{
    /* A thread that Python does not know loses its exception when it leaves: the message
     * alone goes on. */
    bool known = PyGILState_GetThisThreadState() != NULL;
    PyGILState_STATE held = PyGILState_Ensure();
    rg_status code = call_held(ctx, id);
    if (!known)
        PyErr_Clear();
    PyGILState_Release(held);
    return code;
}

static PyObject *set_caller(PyObject *module, PyObject *args)
{
    PyObject *call_it, *tell_it;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:set_python_caller", &call_it, &tell_it))
        return NULL;
    Py_INCREF(call_it);
    Py_INCREF(tell_it);
    Py_XDECREF(caller);
    Py_XDECREF(teller);
    caller = call_it;
    teller = tell_it;
    rg_set_python_call(call);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"set_python_caller", set_caller, METH_VARARGS,
     "set_python_caller(function(id, inputs, n), function(exception))"},
    {NULL, NULL, 0, NULL},
};

int core_add_py_func(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
