/* files.c - saving variables of a scope to folders, and loading them. */
#include "_core/core.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "save/save.h"
#include "tensor/tensor_io.h"

#include <string.h>

#define MAX_FILE_BYTES ((size_t)1 << 40)

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
        Py_BEGIN_ALLOW_THREADS
        code = rg_save_bytes(save, file, bytes, (size_t)size);
        Py_END_ALLOW_THREADS
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
        (void)core_finish(code); /* Ctrl+C has been raised */
    return code == RG_OK ? 0 : -1;
}

/* What the items take, without the few bytes that say what each is. */
static uint64_t bytes_of(rg_scope *scope, PyObject *items)
{
    uint64_t bytes = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(items); i++) {
        PyObject *item = PyList_GetItem(items, i);
        PyObject *names = PyTuple_Check(item) && PyTuple_Size(item) == 2 ? PyTuple_GetItem(item, 1)
                                                                         : NULL;
        for (Py_ssize_t k = 0; names != NULL && PyList_Check(names) && k < PyList_Size(names);
             k++) {
            const char *name = core_text(PyList_GetItem(names, k));
            const rg_value *value = name != NULL ? rg_scope_find(scope, name) : NULL;
            bytes += value != NULL ? rg_value_bytes(value) : 0;
            PyErr_Clear(); /* who saves it says what is wrong */
        }
    }
    return bytes;
}

static int save_items(rg_save *save, const char *folder, PyObject *make)
{
    PyObject *scope, *items, *made = PyObject_CallObject(make, NULL);
    int failed = made == NULL || !PyArg_ParseTuple(made, "O!O!:save_files", core_scope_type, &scope,
                                                   &PyList_Type, &items);
    if (!failed) {
        rg_status code = rg_save_check_room(folder, bytes_of(((core_scope *)scope)->scope, items));
        failed = code != RG_OK;
        if (failed)
            (void)core_raise(code);
    }
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(items); i++)
        failed = save_item(save, ((core_scope *)scope)->scope, PyList_GetItem(items, i));
    Py_XDECREF(made);
    return failed ? -1 : 0;
}

/* save_files(folder, make): make() gives (scope, [(file, names or bytes)]). It is called when no
 * other saver is in the folder, so that who writes last has the newest values. */
static PyObject *save_files(PyObject *module, PyObject *args)
{
    PyObject *make;
    const char *folder;
    rg_save *save;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO:save_files", &folder, &make))
        return NULL;
    rg_status code;
    Py_BEGIN_ALLOW_THREADS
    code = rg_save_open(&save, folder); /* may wait for another saver */
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    int failed = save_items(save, folder, make);
    Py_BEGIN_ALLOW_THREADS
    if (!failed)
        code = rg_save_commit(save);
    rg_save_close(save);
    Py_END_ALLOW_THREADS
    if (failed)
        return NULL;
    CORE_TRY(code);
    Py_RETURN_NONE;
}

/* save_check_room(folder, bytes): fails where its disk has not so much room. */
static PyObject *save_check_room(PyObject *module, PyObject *args)
{
    const char *folder;
    unsigned long long bytes;
    (void)module;
    if (!PyArg_ParseTuple(args, "sK:save_check_room", &folder, &bytes))
        return NULL;
    CORE_TRY(rg_save_check_room(folder, bytes));
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

/* What one file is read into, or what it must hold. */
typedef struct file_item {
    const char *file;
    rg_expected *expected;
    size_t n;
    const char *bytes; /* NULL: variables */
} file_item;

typedef struct load_list {
    file_item *items;
    Py_ssize_t n;
    bool changed; /* a file does not hold the bytes it must hold */
} load_list;

static rg_status compare(rg_load *load, load_list *list, const file_item *item)
{
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    rg_status code = rg_load_bytes(load, item->file, MAX_FILE_BYTES, &bytes);
    if (code == RG_OK &&
        (bytes.len != item->n || memcmp(rg_buf_cstr(&bytes), item->bytes, item->n)))
        list->changed = true;
    rg_buf_fini(&bytes);
    return code;
}

static rg_status load_list_of(void *arg, rg_load *load)
{
    load_list *list = arg;
    list->changed = false;
    for (Py_ssize_t i = 0; i < list->n && !list->changed; i++) {
        const file_item *item = &list->items[i];
        RG_TRY(item->bytes ? compare(load, list, item)
                           : rg_load_tensors(load, item->file, item->expected, item->n));
    }
    return RG_OK;
}

static int parse_item(rg_scope *scope, PyObject *from, file_item *item)
{
    PyObject *what;
    if (!PyArg_ParseTuple(from, "sO:load", &item->file, &what))
        return -1;
    if (PyBytes_Check(what)) {
        char *bytes;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(what, &bytes, &size) < 0)
            return -1;
        item->bytes = bytes;
        item->n = (size_t)size;
        return 0;
    }
    if (!PyList_Check(what)) {
        PyErr_SetString(PyExc_TypeError, "load: a list of variables is wanted");
        return -1;
    }
    item->expected = expected_of(scope, what, &item->n);
    return item->expected ? 0 : -1;
}

/* load_files(scope, folder, [(file, [Variable or name] or bytes)]) -> whether the files that come
 * with bytes hold them; nothing after the first that does not is read. All is of one save. */
static PyObject *load_files(PyObject *module, PyObject *args)
{
    PyObject *scope, *items;
    const char *folder;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!sO!:load_files", core_scope_type, &scope, &folder, &PyList_Type,
                          &items))
        return NULL;
    rg_scope *in = ((core_scope *)scope)->scope;
    load_list list = {.n = PyList_Size(items)};
    list.items = rg_alloc_zero((size_t)list.n + 1, sizeof *list.items);
    if (list.items == NULL)
        return PyErr_NoMemory();
    bool failed = false;
    for (Py_ssize_t i = 0; !failed && i < list.n; i++)
        failed = parse_item(in, PyList_GetItem(items, i), &list.items[i]) < 0;
    rg_status code = RG_OK;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        code = rg_load_whole(folder, load_list_of, &list);
        Py_END_ALLOW_THREADS
    }
    for (Py_ssize_t i = 0; i < list.n; i++)
        rg_free(list.items[i].expected);
    rg_free(list.items);
    rg_scope_touch(in);
    if (failed)
        return NULL;
    CORE_TRY(code);
    return PyBool_FromLong(!list.changed);
}

typedef struct byte_list {
    const char *const *names;
    rg_buf *bytes;
    int n;
} byte_list;

static rg_status load_byte_list(void *arg, rg_load *load)
{
    const byte_list *list = arg;
    for (int i = 0; i < list->n; i++) {
        rg_buf_clear(&list->bytes[i]);
        RG_TRY(rg_load_bytes(load, list->names[i], MAX_FILE_BYTES, &list->bytes[i]));
    }
    return RG_OK;
}

/* load_bytes(folder, [file]) -> [bytes], all of one save */
static PyObject *load_bytes(PyObject *module, PyObject *args)
{
    const char *folder, **names;
    PyObject *files;
    int n;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO:load_bytes", &folder, &files) ||
        core_names(files, &names, &n) < 0)
        return NULL;
    rg_buf *bytes = rg_alloc(((size_t)n + 1) * sizeof *bytes);
    for (int i = 0; bytes != NULL && i < n; i++)
        rg_buf_init(&bytes[i], 0);
    rg_status code = RG_ENOMEM;
    if (bytes != NULL) {
        Py_BEGIN_ALLOW_THREADS
        code = rg_load_whole(folder, load_byte_list, &(byte_list){names, bytes, n});
        Py_END_ALLOW_THREADS
    }
    PyObject *out = code == RG_OK ? PyList_New(n) : core_raise(code);
    for (int i = 0; bytes != NULL && i < n; i++) {
        PyObject *one = out == NULL ? NULL
                                    : PyBytes_FromStringAndSize(rg_buf_cstr(&bytes[i]),
                                                                (Py_ssize_t)bytes[i].len);
        rg_buf_fini(&bytes[i]);
        if (out != NULL && (one == NULL || PyList_SetItem(out, i, one) < 0))
            Py_CLEAR(out);
    }
    rg_free(bytes);
    PyMem_Free(names);
    return out;
}

static rg_status add_name(void *arg, const char *name)
{
    PyObject *text = PyUnicode_DecodeFSDefault(name);
    bool added = text != NULL && PyList_Append(arg, text) == 0;
    Py_XDECREF(text);
    return added ? RG_OK : rg_fail(RG_ENOMEM, "no memory for a name");
}

/* staged_files(folder) -> names of a save that counts and whose files may not be in their places */
static PyObject *staged_files(PyObject *module, PyObject *args)
{
    const char *folder;
    rg_load *load;
    (void)module;
    if (!PyArg_ParseTuple(args, "s:staged_files", &folder))
        return NULL;
    PyObject *out = PyList_New(0);
    if (out == NULL)
        return NULL;
    rg_status code = rg_load_open(&load, folder);
    if (code == RG_OK) {
        code = rg_load_staged(load, add_name, out);
        rg_load_close(load);
    }
    if (code == RG_OK)
        return out;
    Py_DECREF(out);
    return core_raise(code);
}

/* save_identity(folder) -> a text that is the same as long as nobody saves there */
static PyObject *save_identity(PyObject *module, PyObject *args)
{
    const char *folder;
    rg_load *load;
    (void)module;
    if (!PyArg_ParseTuple(args, "s:save_identity", &folder))
        return NULL;
    CORE_TRY(rg_load_open(&load, folder));
    PyObject *out = PyUnicode_FromString(rg_load_identity(load));
    rg_load_close(load);
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
    {"save_files", save_files, METH_VARARGS,
     "save_files(folder, make); make() -> (scope, [(file, names|bytes)])"},
    {"save_check_room", save_check_room, METH_VARARGS, "save_check_room(folder, bytes)"},
    {"load_files", load_files, METH_VARARGS,
     "load_files(scope, folder, [(file, [variables]|bytes)]) -> bool"},
    {"load_bytes", load_bytes, METH_VARARGS, "load_bytes(folder, [file]) -> [bytes]"},
    {"save_identity", save_identity, METH_VARARGS, "save_identity(folder) -> str"},
    {"staged_files", staged_files, METH_VARARGS, "staged_files(folder) -> [name]"},
    {"tensors_to_bytes", tensors_to_bytes, METH_VARARGS, "tensors_to_bytes(scope, names)"},
    {"tensors_from_bytes", tensors_from_bytes, METH_VARARGS,
     "tensors_from_bytes(scope, variables, bytes)"},
    {NULL, NULL, 0, NULL},
};

int core_add_files(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
