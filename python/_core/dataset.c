/* dataset.c - Dataset and its Reader. */
#include "_core/core.h"

#include "base/mem.h"

PyTypeObject *core_dataset_type;
static PyTypeObject *reader_type;

enum { LOOK_MS = 100 }; /* how often a wait looks for Ctrl-C */

static rg_dataset *dataset_of(PyObject *object)
{
    return ((core_dataset *)object)->dataset;
}

/* Dataset("queue" or "memory") */
static PyObject *dataset_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *kind;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "s:Dataset", &kind))
        return NULL;
    core_dataset *self = core_new(type);
    if (self == NULL)
        return NULL;
    rg_status code = rg_dataset_open(&self->dataset,
                                     kind[0] == 'm' ? RG_DATASET_MEMORY : RG_DATASET_QUEUE);
    if (code != RG_OK) {
        Py_DECREF(self);
        return core_raise(code);
    }
    return (PyObject *)self;
}

static void dataset_dealloc(PyObject *object)
{
    rg_dataset *dataset = dataset_of(object);
    Py_BEGIN_ALLOW_THREADS
    rg_dataset_close(dataset);
    Py_END_ALLOW_THREADS
    core_free(object);
}

/* ---- settings ---- */

/* (name, dtype, used, shape or None) */
static int parse_slot(PyObject *item, rg_feed_slot *slot)
{
    const char *dtype;
    int used;
    PyObject *shape;
    if (!PyArg_ParseTuple(item, "sspO:set_slots", &slot->name, &dtype, &used, &shape))
        return -1;
    if (!rg_dtype_parse(dtype, &slot->dtype)) {
        PyErr_Format(PyExc_ValueError, "slot '%s': %s is no dtype", slot->name, dtype);
        return -1;
    }
    slot->used = used != 0;
    slot->dense = shape != Py_None;
    return slot->dense ? core_parse_shape(shape, &slot->shape) : 0;
}

static PyObject *dataset_set_slots(PyObject *self, PyObject *list)
{
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "set_slots takes a list");
        return NULL;
    }
    Py_ssize_t n = PyList_Size(list);
    rg_feed_slot *slots = rg_alloc_zero((size_t)n + 1, sizeof *slots);
    if (slots == NULL)
        return PyErr_NoMemory();
    bool failed = false;
    for (Py_ssize_t i = 0; i < n && !failed; i++)
        failed = parse_slot(PyList_GetItem(list, i), &slots[i]) < 0;
    rg_status code = failed ? RG_OK : rg_dataset_set_slots(dataset_of(self), slots, (size_t)n);
    rg_free(slots);
    if (failed)
        return NULL;
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *dataset_set_files(PyObject *self, PyObject *list)
{
    const char **names;
    int n;
    if (core_names(list, &names, &n) < 0)
        return NULL;
    rg_status code = rg_dataset_set_files(dataset_of(self), names, (size_t)n);
    PyMem_Free(names);
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *dataset_set_leased(PyObject *self, PyObject *args)
{
    int leased;
    if (!PyArg_ParseTuple(args, "p:set_leased", &leased))
        return NULL;
    CORE_TRY(rg_dataset_set_leased(dataset_of(self), leased != 0));
    Py_RETURN_NONE;
}

static PyObject *dataset_set_pipe(PyObject *self, PyObject *text)
{
    const char *command = core_text(text);
    if (command == NULL)
        return NULL;
    CORE_TRY(rg_dataset_set_pipe(dataset_of(self), command));
    Py_RETURN_NONE;
}

/* set_remote(fs_name, fs_ugi, command), None for what stays */
static PyObject *dataset_set_remote(PyObject *self, PyObject *args)
{
    const char *fs_name, *fs_ugi, *command;
    if (!PyArg_ParseTuple(args, "zzz:set_remote", &fs_name, &fs_ugi, &command))
        return NULL;
    CORE_TRY(rg_dataset_set_remote(dataset_of(self), fs_name, fs_ugi, command));
    Py_RETURN_NONE;
}

static PyObject *dataset_set_batch_size(PyObject *self, PyObject *number)
{
    long long n = PyLong_AsLongLong(number);
    if (PyErr_Occurred())
        return NULL;
    CORE_TRY(rg_dataset_set_batch_size(dataset_of(self), n));
    Py_RETURN_NONE;
}

static PyObject *dataset_set_threads(PyObject *self, PyObject *args)
{
    int n;
    if (!PyArg_ParseTuple(args, "i:set_threads", &n))
        return NULL;
    CORE_TRY(rg_dataset_set_threads(dataset_of(self), n));
    Py_RETURN_NONE;
}

static PyObject *dataset_set_texts(PyObject *self, PyObject *args)
{
    int ins_id, content;
    if (!PyArg_ParseTuple(args, "pp:set_texts", &ins_id, &content))
        return NULL;
    CORE_TRY(rg_dataset_set_texts(dataset_of(self), ins_id != 0, content != 0));
    Py_RETURN_NONE;
}

static PyObject *dataset_set_slot_lines(PyObject *self, PyObject *args)
{
    double padding;
    if (!PyArg_ParseTuple(args, "d:set_slot_lines", &padding))
        return NULL;
    CORE_TRY(rg_dataset_set_named(dataset_of(self), padding));
    Py_RETURN_NONE;
}

/* ---- memory ---- */

static PyObject *dataset_preload(PyObject *self, PyObject *args)
{
    int threads;
    if (!PyArg_ParseTuple(args, "i:preload", &threads))
        return NULL;
    rg_status code;
    Py_BEGIN_ALLOW_THREADS
    code = rg_dataset_preload(dataset_of(self), threads);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    Py_RETURN_NONE;
}

/* Waits for the load; Ctrl-C cancels it. */
static PyObject *dataset_wait_preload(PyObject *self, PyObject *unused)
{
    (void)unused;
    bool done = false, broken = false;
    rg_status code;
    while (!done && !broken) {
        Py_BEGIN_ALLOW_THREADS
        rg_dataset_poll_preload(dataset_of(self), LOOK_MS, &done);
        Py_END_ALLOW_THREADS
        broken = PyErr_CheckSignals() < 0;
    }
    if (broken)
        rg_dataset_cancel_preload(dataset_of(self));
    Py_BEGIN_ALLOW_THREADS
    code = rg_dataset_wait_preload(dataset_of(self));
    Py_END_ALLOW_THREADS
    if (broken)
        return NULL;
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *dataset_release(PyObject *self, PyObject *unused)
{
    (void)unused;
    rg_dataset_release(dataset_of(self));
    Py_RETURN_NONE;
}

static PyObject *dataset_rows(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(rg_dataset_rows(dataset_of(self)));
}

static PyObject *dataset_bytes(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(rg_dataset_bytes(dataset_of(self)));
}

static PyObject *dataset_shuffle(PyObject *self, PyObject *number)
{
    unsigned long long seed = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred())
        return NULL;
    rg_status code;
    Py_BEGIN_ALLOW_THREADS
    code = rg_dataset_shuffle(dataset_of(self), seed);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *dataset_shuffle_slots(PyObject *self, PyObject *args)
{
    PyObject *list;
    unsigned long long seed;
    const char **names;
    int n;
    if (!PyArg_ParseTuple(args, "OK:shuffle_slots", &list, &seed) ||
        core_names(list, &names, &n) < 0)
        return NULL;
    rg_status code = rg_dataset_shuffle_slots(dataset_of(self), names, (size_t)n, seed);
    PyMem_Free(names);
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *dataset_merge(PyObject *self, PyObject *args)
{
    int size;
    if (!PyArg_ParseTuple(args, "i:merge", &size))
        return NULL;
    rg_status code;
    Py_BEGIN_ALLOW_THREADS
    code = rg_dataset_merge(dataset_of(self), size > 0 ? (size_t)size : 0);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyMethodDef dataset_methods[] = {
    {"set_slots", dataset_set_slots, METH_O, "set_slots([(name, dtype, used, shape or None)])"},
    {"set_files", dataset_set_files, METH_O, "set_files([path])"},
    {"set_leased", dataset_set_leased, METH_VARARGS,
     "set_leased(bool): servers deal ranges of the files to the trainers"},
    {"set_pipe", dataset_set_pipe, METH_O, "set_pipe(command)"},
    {"set_remote", dataset_set_remote, METH_VARARGS, "set_remote(fs_name, fs_ugi, command)"},
    {"set_batch_size", dataset_set_batch_size, METH_O, "set_batch_size(n)"},
    {"set_threads", dataset_set_threads, METH_VARARGS, "set_threads(n)"},
    {"set_texts", dataset_set_texts, METH_VARARGS, "set_texts(ins_id, content)"},
    {"set_slot_lines", dataset_set_slot_lines, METH_VARARGS,
     "set_slot_lines(padding): lines are words of the form slot:value"},
    {"preload", dataset_preload, METH_VARARGS, "preload(threads): begin to load"},
    {"wait_preload", dataset_wait_preload, METH_NOARGS, "Wait for the load."},
    {"release", dataset_release, METH_NOARGS, "Drop what is in memory."},
    {"rows", dataset_rows, METH_NOARGS, "Instances in memory."},
    {"bytes", dataset_bytes, METH_NOARGS, "Bytes that they take."},
    {"shuffle", dataset_shuffle, METH_O, "shuffle(seed)"},
    {"shuffle_slots", dataset_shuffle_slots, METH_VARARGS, "shuffle_slots(names, seed)"},
    {"merge", dataset_merge, METH_VARARGS, "merge(size)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot dataset_slots[] = {
    {Py_tp_doc, "Files of multi-slot text, in memory or while they are read."},
    {Py_tp_new, dataset_new},
    {Py_tp_dealloc, dataset_dealloc},
    {Py_tp_methods, dataset_methods},
    {0, NULL},
};

static PyType_Spec dataset_spec = {
    .name = "paddle._core.Dataset",
    .basicsize = sizeof(core_dataset),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = dataset_slots,
};

/* ---- Reader: one pass, for one Python thread ---- */

typedef struct core_reader {
    PyObject_HEAD
    PyObject *dataset; /* kept as long as it is read */
    rg_reader *reader;
} core_reader;

static void close_reader(core_reader *self)
{
    rg_reader *reader = self->reader;
    self->reader = NULL;
    Py_BEGIN_ALLOW_THREADS
    rg_reader_close(reader);
    Py_END_ALLOW_THREADS
    Py_CLEAR(self->dataset);
}

/* Reader(dataset) */
static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *dataset;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!:Reader", core_dataset_type, &dataset))
        return NULL;
    core_reader *self = core_new(type);
    if (self == NULL)
        return NULL;
    rg_status code = rg_reader_open(&self->reader, dataset_of(dataset), 1);
    if (code != RG_OK) {
        Py_DECREF(self);
        return core_raise(code);
    }
    Py_INCREF(dataset);
    self->dataset = dataset;
    return (PyObject *)self;
}

static void reader_dealloc(PyObject *object)
{
    close_reader((core_reader *)object);
    core_free(object);
}

/* Copies: the batch itself is filled again. */
static PyObject *batch_tensors(const rg_batch *batch)
{
    PyObject *list = PyList_New((Py_ssize_t)batch->n);
    for (size_t i = 0; list != NULL && i < batch->n; i++) {
        PyObject *tensor = core_fetch(batch->values[i], false);
        if (tensor == NULL)
            Py_CLEAR(list);
        else
            (void)PyList_SetItem(list, (Py_ssize_t)i, tensor);
    }
    return list;
}

/* next() -> (instances, [LoDTensor]), or None at the end */
static PyObject *reader_next(PyObject *object, PyObject *unused)
{
    core_reader *self = (core_reader *)object;
    (void)unused;
    if (self->reader == NULL)
        Py_RETURN_NONE;
    bool ready = false;
    while (!ready) {
        Py_BEGIN_ALLOW_THREADS
        ready = rg_reader_wait(self->reader, LOOK_MS);
        Py_END_ALLOW_THREADS
        if (PyErr_CheckSignals() < 0)
            return NULL;
    }
    rg_batch *batch;
    rg_status code;
    Py_BEGIN_ALLOW_THREADS
    code = rg_reader_next(self->reader, 0, &batch);
    Py_END_ALLOW_THREADS
    if (code == RG_EOF) {
        close_reader(self);
        Py_RETURN_NONE;
    }
    CORE_TRY(code);
    PyObject *tensors = batch_tensors(batch);
    return tensors ? Py_BuildValue("(nN)", (Py_ssize_t)batch->rows, tensors) : NULL;
}

static PyObject *reader_close(PyObject *object, PyObject *unused)
{
    (void)unused;
    close_reader((core_reader *)object);
    Py_RETURN_NONE;
}

static PyObject *reader_progress(PyObject *object, PyObject *unused)
{
    core_reader *self = (core_reader *)object;
    (void)unused;
    rg_progress p = self->reader ? rg_reader_progress(self->reader) : (rg_progress){0};
    return Py_BuildValue("{sKsKsKsKsK}", "files_done", p.files_done, "files", p.files, "rows",
                         p.rows, "bytes", p.bytes, "bad_lines", p.bad_lines);
}

static PyMethodDef reader_methods[] = {
    {"next", reader_next, METH_NOARGS, "next() -> (instances, [LoDTensor]), None at the end"},
    {"close", reader_close, METH_NOARGS, "Stop reading."},
    {"progress", reader_progress, METH_NOARGS, "progress() -> dict"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot reader_slots[] = {
    {Py_tp_doc, "One pass over a Dataset."},
    {Py_tp_new, reader_new},
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_methods, reader_methods},
    {0, NULL},
};

static PyType_Spec reader_spec = {
    .name = "paddle._core.Reader",
    .basicsize = sizeof(core_reader),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = reader_slots,
};

int core_add_dataset(PyObject *module)
{
    core_dataset_type = core_make_type(module, &dataset_spec);
    reader_type = core_make_type(module, &reader_spec);
    return core_dataset_type && reader_type ? 0 : -1;
}
