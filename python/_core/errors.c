/* errors.c - the library's failures as Python exceptions, and helpers of all files. */
#include "_core/core.h"

static PyObject *enforce_not_met; /* as Paddle calls what its checks raise */
static PyObject *eof_exception;

PyObject *core_raise(rg_status code)
{
    PyObject *type = enforce_not_met;
    switch (code) {
    case RG_EINVAL:
        type = PyExc_ValueError;
        break;
    case RG_ENOMEM:
        type = PyExc_MemoryError;
        break;
    case RG_EUNIMPL:
        type = PyExc_NotImplementedError;
        break;
    case RG_EIO:
        type = PyExc_OSError;
        break;
    case RG_EOF:
        type = eof_exception;
        break;
    case RG_OK:
    case RG_ESHAPE:
    case RG_ECORRUPT:
    case RG_ETOOBIG:
    case RG_ETIMEOUT:
    case RG_ECLOSED:
    case RG_EDENIED:
    case RG_ESTALE:
    case RG_ENOENT:
    case RG_EVALUE:
        break;
    }
    if (!PyErr_Occurred()) /* a Python function called from an op has raised already */
        PyErr_SetString(type, rg_error_message());
    return NULL;
}

PyObject *core_finish(rg_status code)
{
    if (PyErr_Occurred())
        return NULL;
    CORE_TRY(code);
    Py_RETURN_NONE;
}

int core_add_errors(PyObject *module)
{
    enforce_not_met = PyErr_NewExceptionWithDoc(
        "paddle.fluid.core.EnforceNotMet",
        "What an op, a program or a file asks for is not met; the message says which.",
        PyExc_RuntimeError, NULL);
    eof_exception = PyErr_NewExceptionWithDoc("paddle.fluid.core.EOFException",
                                              "The reader has no further batch.", PyExc_Exception,
                                              NULL);
    if (enforce_not_met == NULL || eof_exception == NULL)
        return -1;
    Py_INCREF(enforce_not_met);
    Py_INCREF(eof_exception);
    return PyModule_AddObject(module, "EnforceNotMet", enforce_not_met) < 0 ||
                   PyModule_AddObject(module, "EOFException", eof_exception) < 0
               ? -1
               : 0;
}

PyTypeObject *core_make_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type == NULL)
        return NULL;
    const char *dot = spec->name, *name = spec->name;
    for (; *dot != '\0'; dot++)
        if (*dot == '.')
            name = dot + 1;
    Py_INCREF(type);
    if (PyModule_AddObject(module, name, type) < 0) {
        Py_DECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type;
}

void *core_new(PyTypeObject *type)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return alloc(type, 0);
}

void core_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc free_self = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_self(self);
    Py_DECREF(type);
}

int core_traverse_owned(PyObject *self, visitproc visit, void *arg)
{
    static_assert(offsetof(core_var, owner) == offsetof(core_op, owner), "one layout");
    Py_VISIT(((core_var *)self)->owner);
    return 0;
}

PyObject *core_shape_tuple(const rg_shape *shape)
{
    PyObject *tuple = PyTuple_New(shape->rank);
    for (int i = 0; tuple != NULL && i < shape->rank; i++) {
        PyObject *dim = PyLong_FromLongLong(shape->dim[i]);
        if (dim == NULL) {
            Py_DECREF(tuple);
            return NULL;
        }
        (void)PyTuple_SetItem(tuple, i, dim);
    }
    return tuple;
}

int core_parse_shape(PyObject *sequence, rg_shape *shape)
{
    Py_ssize_t n = PySequence_Size(sequence);
    if (n < 0)
        return -1;
    if (n > RG_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "a shape of %zd dimensions, and at most %d are possible", n,
                     (int)RG_MAX_DIMS);
        return -1;
    }
    shape->rank = (int)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        if (item == NULL)
            return -1;
        /* None stands for a dimension that the batch decides, as in fluid.data. */
        PyObject *number = item == Py_None ? PyLong_FromLong(-1) : PyNumber_Long(item);
        Py_DECREF(item);
        if (number == NULL)
            return -1;
        shape->dim[i] = PyLong_AsLongLong(number);
        Py_DECREF(number);
        if (PyErr_Occurred())
            return -1;
    }
    return 0;
}

PyObject *core_text_list(const char *const *texts, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list != NULL && i < n; i++) {
        PyObject *text = PyUnicode_FromString(texts[i]);
        if (text == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, i, text);
    }
    return list;
}
