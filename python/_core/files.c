/* files.c - saving variables of a scope to folders, and loading them. */
#include "_core/core.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "save/save.h"
#include "tensor/tensor_io.h"

#include <string.h>

/* The values of a list of names; freed by the caller with rg_free. NULL and an exception
 * where one is missing. */
static const rg_value **values_of(rg_scope *scope, const char *const *names, int n)
{
    const rg_value **values = rg_alloc(((size_t)n + 1) * sizeof *values);
    if (values == NULL)
        return (const rg_value **)PyErr_NoMemory();
    for (int i = 0; i < n; i++) {
        values[i] = rg_scope_find(scope, names[i]);
        if (values[i] == NULL) {
            PyErr_Format(PyExc_ValueError,
                         "variable %s is not in the scope: run the startup program first",
                         names[i]);
            rg_free(values);
            return NULL;
        }
    }
    return values;
}

/* (file, [names]) or (file, bytes) */
static int save_item(rg_save *save, rg_scope *scope, PyObject *item)
{
    const char *file;
    PyObject *what;
    rg_status code;
    if (!PyArg_ParseTuple(item, "sO:save", &file, &what))
        return -1;
    if (PyBytes_Check(what)) {
        char *bytes;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(what, &bytes, &size) < 0)
            return -1;
        code = rg_save_bytes(save, file, bytes, (size_t)size);
    } else {
        const char **names;
        int n;
        if (core_names(what, &names, &n) < 0)
            return -1;
        const rg_value **values = values_of(scope, names, n);
        if (values == NULL) {
            PyMem_Free(names);
            return -1;
        }
        Py_BEGIN_ALLOW_THREADS
        code = rg_save_tensors(save, file, values, names, (size_t)n);
        Py_END_ALLOW_THREADS
        rg_free(values);
        PyMem_Free(names);
    }
    if (code != RG_OK)
        (void)core_raise(code);
    return code == RG_OK ? 0 : -1;
}

/* save_files(scope, folder, [(file, names or bytes)]) */
static PyObject *save_files(PyObject *module, PyObject *args)
{
    PyObject *scope, *items;
    const char *folder;
    rg_save *save;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!sO!:save_files", core_scope_type, &scope, &folder, &PyList_Type,
                          &items))
        return NULL;
    CORE_TRY(rg_save_open(&save, folder));
    int failed = 0;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(items); i++)
        failed = save_item(save, ((core_scope *)scope)->scope, PyList_GetItem(items, i));
    rg_status code = RG_OK;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        code = rg_save_commit(save);
        Py_END_ALLOW_THREADS
    }
    rg_save_close(save);
    if (failed)
        return NULL;
    CORE_TRY(code);
    Py_RETURN_NONE;
}

/* What each of the variables must be; freed by the caller with rg_free. */
static rg_expected *expected_of(rg_scope *scope, PyObject *vars, size_t *n)
{
    Py_ssize_t size = PyList_Size(vars);
    if (size < 0)
        return NULL;
    rg_expected *expected = rg_alloc_zero((size_t)size + 1, sizeof *expected);
    if (expected == NULL)
        return (rg_expected *)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *var = PyList_GetItem(vars, i);
        rg_expected *e = &expected[i];
        rg_status code = RG_OK;
        if (PyObject_TypeCheck(var, core_var_type)) {
            const rg_vardesc *desc = ((core_var *)var)->var;
            e->name = desc->name;
            e->wanted = desc->has_tensor || desc->meta.shape.rank > 0 ? &desc->meta : NULL;
        } else {
            e->name = core_text(var);
        }
        if (e->name == NULL ||
            (code = rg_scope_var(rg_scope_root(scope), e->name, &e->value)) != RG_OK) {
            if (code != RG_OK)
                (void)core_raise(code);
            rg_free(expected);
            return NULL;
        }
    }
    *n = (size_t)size;
    return expected;
}

/* load_files(scope, folder, [(file, [Variable or name])]) */
static PyObject *load_files(PyObject *module, PyObject *args)
{
    PyObject *scope, *items;
    const char *folder;
    rg_load *load;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!sO!:load_files", core_scope_type, &scope, &folder, &PyList_Type,
                          &items))
        return NULL;
    rg_scope *in = ((core_scope *)scope)->scope;
    CORE_TRY(rg_load_open(&load, folder));
    rg_status code = RG_OK;
    bool failed = false;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(items); i++) {
        const char *file;
        PyObject *vars;
        size_t n;
        if (!PyArg_ParseTuple(PyList_GetItem(items, i), "sO!:load", &file, &PyList_Type, &vars)) {
            failed = true;
            break;
        }
        rg_expected *expected = expected_of(in, vars, &n);
        if (expected == NULL) {
            failed = true;
            break;
        }
        Py_BEGIN_ALLOW_THREADS
        code = rg_load_tensors(load, file, expected, n);
        Py_END_ALLOW_THREADS
        rg_free(expected);
        failed = code != RG_OK;
    }
    rg_load_close(load);
    rg_scope_touch(in);
    if (code != RG_OK)
        return core_raise(code);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

/* load_bytes(folder, file) -> bytes */
static PyObject *load_bytes(PyObject *module, PyObject *args)
{
    const char *folder, *file;
    rg_load *load;
    rg_buf bytes;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss:load_bytes", &folder, &file))
        return NULL;
    CORE_TRY(rg_load_open(&load, folder));
    rg_buf_init(&bytes, 0);
    rg_status code = rg_load_bytes(load, file, (size_t)1 << 40, &bytes);
    rg_load_close(load);
    PyObject *out = code == RG_OK
                        ? PyBytes_FromStringAndSize(rg_buf_cstr(&bytes), (Py_ssize_t)bytes.len)
                        : core_raise(code);
    rg_buf_fini(&bytes);
    return out;
}

/* tensors_to_bytes(scope, names) -> bytes, as a combined file has them */
static PyObject *tensors_to_bytes(PyObject *module, PyObject *args)
{
    PyObject *scope, *list;
    const char **names;
    int n;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O:tensors_to_bytes", core_scope_type, &scope, &list) ||
        core_names(list, &names, &n) < 0)
        return NULL;
    const rg_value **values = values_of(((core_scope *)scope)->scope, names, n);
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    rg_sink sink = rg_sink_buf(&bytes);
    rg_status code = RG_OK;
    for (int i = 0; values != NULL && code == RG_OK && i < n; i++)
        code = rg_tensor_write(&sink, values[i]);
    PyObject *out = NULL;
    if (code != RG_OK)
        (void)core_raise(code);
    else if (values != NULL)
        out = PyBytes_FromStringAndSize(rg_buf_cstr(&bytes), (Py_ssize_t)bytes.len);
    rg_buf_fini(&bytes);
    rg_free(values);
    PyMem_Free(names);
    return out;
}

/* tensors_from_bytes(scope, [Variable or name], bytes) */
static PyObject *tensors_from_bytes(PyObject *module, PyObject *args)
{
    PyObject *scope, *vars;
    const char *data;
    Py_ssize_t size;
    size_t n;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!y#:tensors_from_bytes", core_scope_type, &scope, &PyList_Type,
                          &vars, &data, &size))
        return NULL;
    rg_scope *in = ((core_scope *)scope)->scope;
    rg_expected *expected = expected_of(in, vars, &n);
    if (expected == NULL)
        return NULL;
    rg_cursor cursor = {(const uint8_t *)data, (size_t)size};
    rg_source source = rg_source_memory(&cursor);
    rg_status code = RG_OK;
    for (size_t i = 0; code == RG_OK && i < n; i++)
        if ((code = rg_tensor_read(&source, expected[i].value)) != RG_OK)
            code = rg_context(code, "variable %s", expected[i].name);
    if (code == RG_OK && source.left > 0)
        code = rg_fail(RG_ECORRUPT, "%llu bytes follow the last of %zu variables",
                       (unsigned long long)source.left, n);
    rg_free(expected);
    rg_scope_touch(in);
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"save_files", save_files, METH_VARARGS, "save_files(scope, folder, [(file, names|bytes)])"},
    {"load_files", load_files, METH_VARARGS, "load_files(scope, folder, [(file, [variables])])"},
    {"load_bytes", load_bytes, METH_VARARGS, "load_bytes(folder, file) -> bytes"},
    {"tensors_to_bytes", tensors_to_bytes, METH_VARARGS, "tensors_to_bytes(scope, names)"},
    {"tensors_from_bytes", tensors_from_bytes, METH_VARARGS,
     "tensors_from_bytes(scope, variables, bytes)"},
    {NULL, NULL, 0, NULL},
};

int core_add_files(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
