/* slots.c - SlotText: samples of a data generator as lines of multi-slot text.
 *
 * The first sample says which slots there are and in which order; a slot of whole numbers
 * becomes one of floats when the first float comes. */
#include "_core/core.h"

#include "base/buf.h"
#include "base/mem.h"

#include <string.h>

static PyTypeObject *slot_text_type;

typedef struct core_slot_text {
    PyObject_HEAD
    PyObject *names; /* list of str; NULL before the first sample */
    char *is_float;  /* for each name */
    rg_buf line;
} core_slot_text;

static PyObject *slot_text_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    core_slot_text *self = core_new(type);
    if (self != NULL)
        rg_buf_init(&self->line, 0);
    return (PyObject *)self;
}

static void slot_text_dealloc(PyObject *object)
{
    core_slot_text *self = (core_slot_text *)object;
    Py_XDECREF(self->names);
    rg_free(self->is_float);
    rg_buf_fini(&self->line);
    core_free(object);
}

static void put_whole(rg_buf *line, long long value)
{
    char text[24], *at = text + sizeof text;
    unsigned long long left = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value < 0)
        *--at = '-';
    rg_buf_add(line, at, (size_t)(text + sizeof text - at));
}

/* str(value) */
static int put_text(rg_buf *line, PyObject *value)
{
    PyObject *text = PyObject_Str(value);
    const char *bytes = text ? core_text(text) : NULL;
    if (bytes != NULL)
        rg_buf_text(line, bytes);
    Py_XDECREF(text);
    return bytes ? 0 : -1;
}

/* A float, a whole number, or an object that says it is one (numpy's). */
static int put_number(core_slot_text *self, PyObject *name, PyObject *value, bool *is_float)
{
    rg_buf_char(&self->line, ' ');
    if (PyBool_Check(value)) {
        PyErr_Format(PyExc_ValueError, "slot '%S': %R is neither int nor float", name, value);
        return -1;
    }
    if (PyLong_Check(value)) {
        int overflow;
        long long whole = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (overflow)
            return put_text(&self->line, value);
        put_whole(&self->line, whole);
        return 0;
    }
    if (PyFloat_Check(value)) {
        *is_float = true;
        char *text = PyOS_double_to_string(PyFloat_AsDouble(value), 'r', 0, Py_DTSF_ADD_DOT_0,
                                           NULL);
        if (text == NULL)
            return -1;
        rg_buf_text(&self->line, text);
        PyMem_Free(text);
        return 0;
    }
    if (PyIndex_Check(value))
        return put_text(&self->line, value);
    if (PyObject_HasAttrString(value, "dtype") && PyNumber_Check(value)) {
        *is_float = true;
        return put_text(&self->line, value);
    }
    PyErr_Format(PyExc_ValueError, "slot '%S': %R is of %S, and must be int or float", name, value,
                 (PyObject *)Py_TYPE(value));
    return -1;
}

/* The first sample: its names become those of all. */
static int take_names(core_slot_text *self, PyObject *sample, Py_ssize_t n)
{
    PyObject *names = PyList_New(0);
    for (Py_ssize_t i = 0; names != NULL && i < n; i++) {
        PyObject *item = PySequence_GetItem(sample, i);
        PyObject *name = item ? PySequence_GetItem(item, 0) : NULL;
        int failed = name == NULL || PyList_Append(names, name) < 0;
        Py_XDECREF(item);
        Py_XDECREF(name);
        if (failed)
            Py_CLEAR(names);
    }
    char *is_float = rg_alloc_zero((size_t)n + 1, 1);
    if (names == NULL || is_float == NULL) {
        Py_XDECREF(names);
        rg_free(is_float);
        if (!PyErr_Occurred())
            (void)PyErr_NoMemory();
        return -1;
    }
    self->names = names;
    self->is_float = is_float;
    return 0;
}

static int put_slot(core_slot_text *self, Py_ssize_t i, PyObject *name, PyObject *values)
{
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_ValueError, "name%S must be in str type", (PyObject *)Py_TYPE(name));
        return -1;
    }
    if (!PyList_Check(values)) {
        PyErr_Format(PyExc_ValueError, "elements%S must be in list type",
                     (PyObject *)Py_TYPE(values));
        return -1;
    }
    PyObject *wanted = PyList_GetItem(self->names, i);
    if (wanted != name && PyUnicode_Compare(wanted, name) != 0) {
        PyErr_Format(PyExc_ValueError,
                     "the field name of two given line are not match: require<%S>, get<%S>.",
                     wanted, name);
        return -1;
    }
    Py_ssize_t n = PyList_Size(values);
    if (n == 0) {
        PyErr_Format(PyExc_ValueError,
                     "slot '%S': the elements of each field can not be empty, you need padding it "
                     "in process().",
                     name);
        return -1;
    }
    if (i > 0)
        rg_buf_char(&self->line, ' ');
    put_whole(&self->line, n);
    bool is_float = self->is_float[i] != 0;
    for (Py_ssize_t k = 0; k < n; k++)
        if (put_number(self, name, PyList_GetItem(values, k), &is_float) < 0)
            return -1;
    self->is_float[i] = is_float;
    return 0;
}

/* line(sample) -> str */
static PyObject *slot_text_line(PyObject *object, PyObject *sample)
{
    core_slot_text *self = (core_slot_text *)object;
    if (!PyList_Check(sample) && !PyTuple_Check(sample)) {
        PyErr_Format(PyExc_ValueError,
                     "the output of process() must be in list or tuple type, such as [('words', "
                     "[1926, 8, 17]), ('label', [1])]; it is %R",
                     sample);
        return NULL;
    }
    Py_ssize_t n = PySequence_Size(sample);
    if (self->names == NULL && take_names(self, sample, n) < 0)
        return NULL;
    if (n != PyList_Size(self->names)) {
        PyErr_Format(PyExc_ValueError,
                     "the complete field set of two given line are inconsistent: the first sample "
                     "had %zd slots, this one has %zd",
                     PyList_Size(self->names), n);
        return NULL;
    }
    rg_buf_clear(&self->line);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(sample, i);
        PyObject *name = item ? PySequence_GetItem(item, 0) : NULL;
        PyObject *values = name ? PySequence_GetItem(item, 1) : NULL;
        int failed = values == NULL || put_slot(self, i, name, values) < 0;
        Py_XDECREF(item);
        Py_XDECREF(name);
        Py_XDECREF(values);
        if (failed)
            return NULL;
    }
    rg_buf_char(&self->line, '\n');
    CORE_TRY(rg_buf_status(&self->line));
    return PyUnicode_FromStringAndSize(rg_buf_cstr(&self->line), (Py_ssize_t)self->line.len);
}

/* proto() -> [(name, "uint64" or "float")], None before the first sample */
static PyObject *slot_text_proto(PyObject *object, PyObject *unused)
{
    core_slot_text *self = (core_slot_text *)object;
    (void)unused;
    if (self->names == NULL)
        Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    for (Py_ssize_t i = 0; list != NULL && i < PyList_Size(self->names); i++) {
        PyObject *pair = Py_BuildValue("(Os)", PyList_GetItem(self->names, i),
                                       self->is_float[i] ? "float" : "uint64");
        if (pair == NULL || PyList_Append(list, pair) < 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

static PyMethodDef slot_text_methods[] = {
    {"line", slot_text_line, METH_O, "line(sample) -> str"},
    {"proto", slot_text_proto, METH_NOARGS, "proto() -> [(name, type)]"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slot_text_slots[] = {
    {Py_tp_doc, "Samples as lines of multi-slot text."},
    {Py_tp_new, slot_text_new},
    {Py_tp_dealloc, slot_text_dealloc},
    {Py_tp_methods, slot_text_methods},
    {0, NULL},
};

static PyType_Spec slot_text_spec = {
    .name = "paddle._core.SlotText",
    .basicsize = sizeof(core_slot_text),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slot_text_slots,
};

int core_add_slots(PyObject *module)
{
    slot_text_type = core_make_type(module, &slot_text_spec);
    return slot_text_type ? 0 : -1;
}
