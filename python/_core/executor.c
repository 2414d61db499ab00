/* executor.c - Executor: plans made when first asked for, kept, and run.
 *
 * A plan is found by the program and its version, the scope, the names fed and the
 * things fetched. Names are compared by identity first: a loop passes the same
 * objects every time, and then a step costs no look-up at all. An executor may be used from
 * several Python threads: a plan that one of them runs lives until it has run. */
#include "_core/core.h"

#include "sys/flags.h"

#include <string.h>

enum { MAX_PLANS = 64 };

typedef struct entry {
    int refs; /* the executor's, and one of each thread that runs it; under the GIL */
    uint64_t program_id, version, used;
    rg_scope *scope;   /* kept by the plan */
    PyObject *feeds;   /* tuple of names */
    PyObject *fetches; /* tuple of variables or names */
    rg_plan *plan;
    PyThread_type_lock lock; /* held while it runs: a plan is one thread's */
} entry;

typedef struct core_executor {
    PyObject_HEAD
    entry *entries[MAX_PLANS];
    int n;
    uint64_t clock;
} core_executor;

static PyTypeObject *executor_type;

static void drop_entry(entry *e)
{
    rg_plan_close(e->plan);
    Py_XDECREF(e->feeds);
    Py_XDECREF(e->fetches);
    if (e->lock != NULL)
        PyThread_free_lock(e->lock);
    *e = (entry){0};
}

static void release_entry(entry *e)
{
    if (--e->refs > 0)
        return;
    drop_entry(e);
    PyMem_Free(e);
}

/* ---- finding a plan ---- */

static bool same_name(PyObject *a, PyObject *b)
{
    if (a == b)
        return true;
    if (PyUnicode_Check(a) && PyUnicode_Check(b))
        return PyUnicode_Compare(a, b) == 0;
    return false;
}

static bool feeds_match(const entry *e, PyObject *feed)
{
    PyObject *key, *value;
    Py_ssize_t at = 0, i = 0, n = PyTuple_Size(e->feeds);
    if ((feed == Py_None ? 0 : PyDict_Size(feed)) != n)
        return false;
    while (n > 0 && PyDict_Next(feed, &at, &key, &value))
        if (!same_name(PyTuple_GetItem(e->feeds, i++), key))
            return false;
    return true;
}

static bool fetches_match(const entry *e, PyObject *fetch)
{
    Py_ssize_t n = PyTuple_Size(e->fetches);
    if (PyList_Size(fetch) != n)
        return false;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!same_name(PyTuple_GetItem(e->fetches, i), PyList_GetItem(fetch, i)))
            return false;
    return true;
}

static entry *find_entry(core_executor *self, const rg_program *program, rg_scope *scope,
                         PyObject *feed, PyObject *fetch)
{
    for (int i = 0; i < self->n; i++) {
        entry *e = self->entries[i];
        if (e->program_id == program->id && e->version == program->version && e->scope == scope &&
            feeds_match(e, feed) && fetches_match(e, fetch))
            return e;
    }
    return NULL;
}

/* Keep the entry, in the place of a plan of an older version or, where all places are taken, of
 * the one used least recently. */
static void keep_entry(core_executor *self, entry *fresh)
{
    int oldest = 0, at = -1;
    for (int i = 0; i < self->n; i++) {
        const entry *e = self->entries[i];
        if (e->program_id == fresh->program_id && e->version != fresh->version)
            at = i;
        if (e->used < self->entries[oldest]->used)
            oldest = i;
    }
    if (at < 0 && self->n < MAX_PLANS)
        at = self->n++;
    else
        release_entry(self->entries[at = at < 0 ? oldest : at]);
    self->entries[at] = fresh;
}

static PyObject *dict_keys_tuple(PyObject *dict)
{
    if (dict == Py_None)
        return PyTuple_New(0);
    PyObject *keys = PyDict_Keys(dict);
    PyObject *tuple = keys ? PyList_AsTuple(keys) : NULL;
    Py_XDECREF(keys);
    return tuple;
}

static int open_entry(entry *e, const rg_program *program, rg_scope *scope, PyObject *feed,
                      PyObject *fetch)
{
    const char **feeds = NULL, **fetches = NULL;
    int n_feeds, n_fetches;
    e->feeds = dict_keys_tuple(feed);
    e->fetches = PyList_AsTuple(fetch);
    e->lock = PyThread_allocate_lock();
    if (e->feeds == NULL || e->fetches == NULL || e->lock == NULL ||
        core_names(e->feeds, &feeds, &n_feeds) < 0)
        return -1;
    if (core_names(e->fetches, &fetches, &n_fetches) < 0) {
        PyMem_Free(feeds);
        return -1;
    }
    rg_plan_config config = {
        .feeds = feeds,
        .n_feeds = n_feeds,
        .fetches = fetches,
        .n_fetches = n_fetches,
        .no_fuse = !rg_flag_bool("fuse"),
    };
    rg_status code = rg_plan_open(&e->plan, program, scope, &config);
    PyMem_Free(feeds);
    PyMem_Free(fetches);
    if (code != RG_OK) {
        (void)core_raise(code);
        return -1;
    }
    e->program_id = program->id;
    e->version = program->version;
    e->scope = scope;
    return 0;
}

/* A feed that the program does not know is said, as Paddle says it: it may be misspelt. */
static int warn_unknown(const rg_program *program, PyObject *feeds)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(feeds); i++) {
        PyObject *name = PyTuple_GetItem(feeds, i);
        PyObject *bytes = PyUnicode_AsUTF8String(name);
        const char *text = bytes ? PyBytes_AsString(bytes) : NULL;
        int failed = text == NULL ? -1 : 0;
        if (text != NULL && rg_block_var(program->blocks[0], text) == NULL)
            failed = PyErr_WarnFormat(PyExc_UserWarning, 2,
                                      "The variable %s is not found in program. It is not "
                                      "declared or is pruned.",
                                      text);
        Py_XDECREF(bytes);
        if (failed < 0)
            return -1;
    }
    return 0;
}

static entry *new_entry(const rg_program *program, rg_scope *scope, PyObject *feed, PyObject *fetch)
{
    entry *e = PyMem_Malloc(sizeof *e);
    if (e == NULL)
        return (entry *)PyErr_NoMemory();
    *e = (entry){.refs = 1};
    if (open_entry(e, program, scope, feed, fetch) < 0 || warn_unknown(program, e->feeds) < 0) {
        release_entry(e);
        return NULL;
    }
    return e;
}

/* ---- feeding ---- */

/* What went wrong while a feed was taken, with the feed's name before it. */
static int name_feed(const rg_vardesc *desc)
{
    PyObject *type, *message, *trace;
    PyErr_Fetch(&type, &message, &trace);
    PyErr_Format(type, "feed '%s': %S", desc->name, message ? message : Py_None);
    Py_XDECREF(type);
    Py_XDECREF(message);
    Py_XDECREF(trace);
    return -1;
}

static int wrong_feed(const rg_vardesc *desc, const char *what, const char *got, const char *wanted)
{
    PyErr_Format(PyExc_ValueError, "feed '%s' has the %s %s, and %s is wanted", desc->name, what,
                 got, wanted);
    return -1;
}

static int check_feed(const rg_vardesc *desc, rg_dtype dtype, const rg_shape *shape)
{
    if (desc == NULL)
        return 0;
    /* Labels and ids of layers.data() are often declared without their type: the ops that read
     * them take or refuse what comes. */
    bool whole = dtype == RG_I64 || dtype == RG_I32;
    if (dtype != desc->meta.dtype && (desc->need_check_feed || !whole))
        return wrong_feed(desc, "data type", rg_dtype_name(dtype), rg_dtype_name(desc->meta.dtype));
    if (desc->need_check_feed && !rg_shape_fits(shape, &desc->meta.shape)) {
        char got[RG_SHAPE_TEXT], wanted[RG_SHAPE_TEXT];
        return wrong_feed(desc, "shape", rg_shape_text(shape, got),
                          rg_shape_text(&desc->meta.shape, wanted));
    }
    return 0;
}

/* What is fed, as memory to copy from: of a LoDTensor, an array, a list, a number. */
typedef struct fed {
    PyObject *holder; /* released when the memory is no longer read; may be NULL */
    const void *data;
    rg_dtype dtype;
    rg_shape shape;
    rg_lod *lod; /* borrowed */
} fed;

static int feed_plan(rg_plan *plan, int i, const fed *f)
{
    rg_value *value = rg_plan_feed(plan, i);
    if (check_feed(rg_plan_feed_desc(plan, i), f->dtype, &f->shape) < 0)
        return -1;
    if (value == NULL)
        return 0; /* the program has no use for it */
    if (value->data == NULL || value->meta.dtype != f->dtype ||
        !rg_shape_equal(&value->meta.shape, &f->shape) || !rg_lod_equal(value->meta.lod, f->lod)) {
        rg_plan_feed_changed(plan, i);
        rg_value_set_lod(value, f->lod);
        rg_status code = rg_value_resize(value, f->dtype, &f->shape);
        if (code != RG_OK) {
            (void)core_raise(code);
            return -1;
        }
    }
    size_t bytes = rg_value_bytes(value);
    if (bytes > 0)
        memcpy(value->data, f->data, bytes);
    return 0;
}

/* Lists and numbers are taken in the variable's own type, as Paddle takes them; what is no
 * number stays as it is, and is refused. */
static PyObject *list_to_array(PyObject *object, const rg_vardesc *desc)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *array = numpy ? PyObject_CallMethod(numpy, "array", "(O)", object) : NULL;
    PyObject *dtype = array ? PyObject_GetAttrString(array, "dtype") : NULL;
    PyObject *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
    PyObject *kinds = kind ? PyUnicode_FromString("biuf") : NULL;
    int number = kinds ? PyUnicode_Contains(kinds, kind) : -1;
    if (number != 0) {
        PyObject *cast = number > 0 ? PyObject_CallMethod(array, "astype", "s",
                                                          rg_dtype_name(desc->meta.dtype))
                                    : NULL;
        Py_XDECREF(array);
        array = cast;
    }
    Py_XDECREF(numpy);
    Py_XDECREF(dtype);
    Py_XDECREF(kind);
    Py_XDECREF(kinds);
    return array;
}

/* A number of Python's or of numpy's; -1 and an exception where numpy cannot be asked. */
static int is_number(PyObject *object)
{
    static PyObject *generic; /* numpy.generic, made when first asked for */
    if (PyFloat_Check(object) || PyLong_Check(object))
        return 1;
    if (generic == NULL) {
        PyObject *numpy = PyImport_ImportModule("numpy");
        generic = numpy ? PyObject_GetAttrString(numpy, "generic") : NULL;
        Py_XDECREF(numpy);
    }
    return generic ? PyObject_IsInstance(object, generic) : -1;
}

static int open_fed(PyObject *object, const rg_vardesc *desc, fed *out)
{
    if (PyObject_TypeCheck(object, core_tensor_type)) {
        const rg_value *from = ((core_tensor *)object)->value;
        if (from->data == NULL) {
            PyErr_Format(PyExc_ValueError, "feed '%s' is a LoDTensor without a value",
                         desc ? desc->name : "?");
            return -1;
        }
        *out = (fed){NULL, from->data, from->meta.dtype, from->meta.shape, from->meta.lod};
        return 0;
    }
    PyObject *made = NULL;
    int number = desc != NULL ? is_number(object) : 0;
    if (number < 0)
        return -1;
    if (desc != NULL && (PyList_Check(object) || PyTuple_Check(object) || number)) {
        made = list_to_array(object, desc);
        if (made == NULL)
            return name_feed(desc);
        object = made;
    }
    core_array array;
    int code = core_from_numpy(object, &array);
    Py_XDECREF(made); /* kept by array.holder */
    if (code < 0)
        return desc ? name_feed(desc) : -1;
    *out = (fed){array.holder, array.data, array.dtype, number ? RG_SHAPE(1) : array.shape, NULL};
    return 0;
}

int core_feed(PyObject *object, const rg_vardesc *desc, rg_value *value)
{
    fed f;
    if (open_fed(object, desc, &f) < 0)
        return -1;
    int failed = check_feed(desc, f.dtype, &f.shape);
    if (failed == 0) {
        rg_status code = rg_value_resize(value, f.dtype, &f.shape);
        if (code == RG_OK) {
            size_t bytes = rg_value_bytes(value);
            if (bytes > 0)
                memcpy(value->data, f.data, bytes);
            rg_value_set_lod(value, f.lod);
        } else {
            (void)core_raise(code);
            failed = -1;
        }
    }
    Py_XDECREF(f.holder);
    return failed;
}

static int feed_value(rg_plan *plan, int i, PyObject *object)
{
    fed f;
    if (open_fed(object, rg_plan_feed_desc(plan, i), &f) < 0)
        return -1;
    int code = feed_plan(plan, i, &f);
    Py_XDECREF(f.holder);
    return code;
}

static int feed_all(rg_plan *plan, PyObject *feed)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int i = 0;
    if (feed == Py_None)
        return 0;
    while (PyDict_Next(feed, &at, &key, &value))
        if (feed_value(plan, i++, value) < 0)
            return -1;
    return 0;
}

/* ---- fetching ---- */

static PyObject *fetch_copy(PyTypeObject *type, const rg_value *value)
{
    rg_value *copy;
    CORE_TRY(rg_value_new(&copy));
    rg_status code = rg_value_copy(copy, value);
    PyObject *out = code == RG_OK ? core_wrap_tensor(type, copy, NULL) : core_raise(code);
    rg_value_release(copy);
    return out;
}

static PyObject *fetch_items(const rg_value *array)
{
    PyObject *list = PyList_New((Py_ssize_t)array->n_items);
    for (size_t i = 0; list != NULL && i < array->n_items; i++) {
        PyObject *item = core_fetch(array->items[i], true);
        if (item == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, (Py_ssize_t)i, item);
    }
    return list;
}

PyObject *core_fetch(const rg_value *value, bool numpy)
{
    if (value->meta.kind == RG_ROWS)
        return fetch_copy(core_rows_type, value);
    if (value->meta.kind == RG_ARRAY)
        return numpy ? fetch_items(value) : fetch_copy(core_array_type, value);
    if (!numpy)
        return fetch_copy(core_tensor_type, value);
    if (value->meta.lod != NULL) {
        PyErr_SetString(PyExc_RuntimeError,
                        "Some of your fetched tensors hold LoD information. They can not be "
                        "completely cast to Python ndarray. Please set the parameter "
                        "'return_numpy' as 'False' to return LoDTensor itself directly.");
        return NULL;
    }
    return core_to_numpy(value);
}

static PyObject *fetch_all(rg_plan *plan, Py_ssize_t n, bool numpy)
{
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list != NULL && i < n; i++) {
        PyObject *item = core_fetch(rg_plan_fetch(plan, (int)i), numpy);
        if (item == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, i, item);
    }
    return list;
}

/* ---- running ---- */

static void lock_entry(entry *e)
{
    if (PyThread_acquire_lock(e->lock, NOWAIT_LOCK))
        return;
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(e->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS
}

static PyObject *run_entry(entry *e, PyObject *feed, bool numpy)
{
    rg_status code;
    if (feed_all(e->plan, feed) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_plan_run(e->plan);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    return fetch_all(e->plan, PyTuple_Size(e->fetches), numpy);
}

static PyObject *executor_run(PyObject *object, PyObject *args)
{
    core_executor *self = (core_executor *)object;
    PyObject *program, *feed, *fetch, *scope;
    int numpy;
    if (!PyArg_ParseTuple(args, "O!OO!O!p:run", core_program_type, &program, &feed, &PyList_Type,
                          &fetch, core_scope_type, &scope, &numpy))
        return NULL;
    if (feed != Py_None && !PyDict_Check(feed)) {
        PyErr_Format(PyExc_TypeError, "feed requires dict as its Parameter. But you passed in %S",
                     (PyObject *)Py_TYPE(feed));
        return NULL;
    }
    const rg_program *desc = ((core_program *)program)->program;
    rg_scope *in = ((core_scope *)scope)->scope;
    entry *e = find_entry(self, desc, in, feed, fetch);
    if (e == NULL) {
        e = new_entry(desc, in, feed, fetch);
        if (e == NULL)
            return NULL;
        keep_entry(self, e);
    }
    e->used = ++self->clock;
    e->refs++;
    lock_entry(e);
    PyObject *result = run_entry(e, feed, numpy != 0);
    PyThread_release_lock(e->lock);
    release_entry(e);
    return result;
}

/* plan_text(program, feed, fetch, scope): the ops that run() would run. */
static PyObject *executor_plan_text(PyObject *object, PyObject *args)
{
    PyObject *program, *feed, *fetch, *scope;
    if (!PyArg_ParseTuple(args, "O!OO!O!:plan_text", core_program_type, &program, &feed,
                          &PyList_Type, &fetch, core_scope_type, &scope))
        return NULL;
    (void)object;
    entry e = {0};
    PyObject *out = NULL;
    if (open_entry(&e, ((core_program *)program)->program, ((core_scope *)scope)->scope, feed,
                   fetch) == 0) {
        rg_buf text;
        rg_buf_init(&text, 0);
        rg_plan_text(e.plan, &text);
        out = PyUnicode_FromString(rg_buf_cstr(&text));
        rg_buf_fini(&text);
    }
    drop_entry(&e);
    return out;
}

static PyObject *executor_close(PyObject *object, PyObject *unused)
{
    core_executor *self = (core_executor *)object;
    (void)unused;
    while (self->n > 0)
        release_entry(self->entries[--self->n]);
    Py_RETURN_NONE;
}

static PyObject *executor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    return core_new(type);
}

static void executor_dealloc(PyObject *object)
{
    PyObject *none = executor_close(object, NULL);
    Py_XDECREF(none);
    core_free(object);
}

static PyMethodDef executor_methods[] = {
    {"run", executor_run, METH_VARARGS, "run(program, feed, fetch, scope, return_numpy)"},
    {"plan_text", executor_plan_text, METH_VARARGS, "plan_text(program, feed, fetch, scope)"},
    {"close", executor_close, METH_NOARGS, "Drop all plans."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot executor_slots[] = {
    {Py_tp_doc, "Runs programs; keeps the plans it has made of them."},
    {Py_tp_new, executor_new},
    {Py_tp_dealloc, executor_dealloc},
    {Py_tp_methods, executor_methods},
    {0, NULL},
};

static PyType_Spec executor_spec = {
    .name = "paddle._core.Executor",
    .basicsize = sizeof(core_executor),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = executor_slots,
};

int core_add_executor(PyObject *module)
{
    executor_type = core_make_type(module, &executor_spec);
    return executor_type ? 0 : -1;
}
