/* executor.c - Executor: Python's feeds and fetches, to and from the library's executor. */
#include "_core/core.h"

#include "ir/gpu_module.h"
#include "train/by_hand.h"
#include "watch/program_graph.h"

#include <string.h>

PyTypeObject *core_executor_type;

/* ---- names ---- */

enum { FEW = 32 };

/* The names fed, then those fetched. Borrowed from the dict and the list. */
typedef struct names {
    const char *few[FEW]; /* no memory need be had for a usual run */
    const char **list;
    int n_feeds, n_fetches;
} names;

static int list_names(names *n, PyObject *feed, PyObject *fetch)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int i = 0;
    n->n_feeds = feed == Py_None ? 0 : (int)PyDict_Size(feed);
    n->n_fetches = (int)PyList_Size(fetch);
    size_t all = (size_t)n->n_feeds + (size_t)n->n_fetches;
    n->list = all <= FEW ? n->few : PyMem_Malloc(all * sizeof *n->list);
    if (n->list == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    while (i < n->n_feeds && PyDict_Next(feed, &at, &key, &value))
        if ((n->list[i++] = core_name(key)) == NULL)
            return -1;
    for (Py_ssize_t k = 0; k < n->n_fetches; k++)
        if ((n->list[i++] = core_name(PyList_GetItem(fetch, k))) == NULL)
            return -1;
    return 0;
}

static void drop_names(names *n)
{
    if (n->list != n->few)
        PyMem_Free(n->list);
}

/* A feed that the program does not know is said, as Paddle says it: it may be misspelt. */
static int warn_unknown(const rg_plan *plan, const names *n)
{
    for (int i = 0; i < n->n_feeds; i++)
        if (rg_plan_feed_desc(plan, i) == NULL &&
            PyErr_WarnFormat(PyExc_UserWarning, 2,
                             "The variable %s is not found in program. It is not declared or is "
                             "pruned.",
                             n->list[i]) < 0)
            return -1;
    return 0;
}

static rg_plan_config config_of(const names *n)
{
    return (rg_plan_config){.feeds = n->list,
                            .n_feeds = n->n_feeds,
                            .fetches = n->list + n->n_feeds,
                            .n_fetches = n->n_fetches};
}

/* NULL and an exception where there is none. */
static rg_prepared *prepare(core_executor *self, PyObject *program, PyObject *scope, const names *n)
{
    const rg_plan_config config = config_of(n);
    rg_prepared *prepared;
    bool is_new;
    rg_status code = rg_executor_prepare(self->executor, ((core_program *)program)->program,
                                         ((core_scope *)scope)->scope, &config, &prepared, &is_new);
    if (code != RG_OK) {
        (void)core_raise(code);
        return NULL;
    }
    if (is_new && warn_unknown(rg_prepared_plan(prepared), n) < 0) {
        rg_executor_forget(self->executor, prepared); /* the next run warns again */
        return NULL;
    }
    if (is_new && rg_plan_trains(rg_prepared_plan(prepared)))
        rg_watch_training(((core_program *)program)->program);
    return prepared;
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

/* What is fed, as memory to copy from: of a LoDTensor, an array, a list, a number. *holder is to be
 * released when the memory is no longer read; it may be NULL. */
static int open_fed(PyObject *object, const rg_vardesc *desc, rg_fed *out, PyObject **holder)
{
    if (PyObject_TypeCheck(object, core_tensor_type)) {
        const rg_value *from = ((core_tensor *)object)->value;
        if (from->data == NULL) {
            PyErr_Format(PyExc_ValueError, "feed '%s' is a LoDTensor without a value",
                         desc ? desc->name : "?");
            return -1;
        }
        *out = (rg_fed){from->data, from->meta.dtype, from->meta.shape, from->meta.lod,
                        rg_device_of(from)->on_host ? NULL : from};
        *holder = NULL;
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
    *out = (rg_fed){array.data, array.dtype, number ? RG_SHAPE(1) : array.shape, NULL};
    *holder = array.holder;
    return 0;
}

int core_feed(PyObject *object, const rg_vardesc *desc, rg_value *value)
{
    PyObject *holder;
    rg_fed fed;
    if (open_fed(object, desc, &fed, &holder) < 0)
        return -1;
    rg_status code = rg_feed_value(desc, &fed, value);
    Py_XDECREF(holder);
    if (code != RG_OK)
        (void)core_raise(code);
    return code == RG_OK ? 0 : -1;
}

static int feed_one(rg_plan *plan, int i, PyObject *object)
{
    PyObject *holder;
    rg_fed fed;
    if (open_fed(object, rg_plan_feed_desc(plan, i), &fed, &holder) < 0)
        return -1;
    rg_status code = rg_feed_plan(plan, i, &fed);
    Py_XDECREF(holder);
    if (code != RG_OK)
        (void)core_raise(code);
    return code == RG_OK ? 0 : -1;
}

static int feed_all(rg_plan *plan, PyObject *feed, int n)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    for (int i = 0; i < n && PyDict_Next(feed, &at, &key, &value); i++)
        if (feed_one(plan, i, value) < 0)
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

/* Another Python thread may have the plan: it needs the GIL to be done with it. */
static void take(rg_prepared *prepared)
{
    if (rg_prepared_take(prepared, false))
        return;
    Py_BEGIN_ALLOW_THREADS(void)
    rg_prepared_take(prepared, true);
    Py_END_ALLOW_THREADS
}

static PyObject *run_plan(const rg_by_hand *run, PyObject *feed, const names *n, bool numpy)
{
    rg_plan *plan = rg_prepared_plan(run->prepared);
    rg_status code;
    if (feed_all(plan, feed, n->n_feeds) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_by_hand_run(run);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    return fetch_all(plan, n->n_fetches, numpy);
}

static bool are_right(PyObject *args)
{
    return PyTuple_Size(args) == 5 &&
           PyObject_TypeCheck(PyTuple_GetItem(args, 0), core_program_type) &&
           PyList_Check(PyTuple_GetItem(args, 2)) &&
           PyObject_TypeCheck(PyTuple_GetItem(args, 3), core_scope_type);
}

/* run(program, feed, fetch, scope, return_numpy). Python's own parser of arguments is asked for its
 * words where they are wrong, and not in each run: it takes a tenth of a small one's time. */
static PyObject *executor_run(PyObject *object, PyObject *args)
{
    core_executor *self = (core_executor *)object;
    PyObject *program, *feed, *fetch, *scope, *result = NULL;
    int numpy;
    names n;
    if (!are_right(args) &&
        !PyArg_ParseTuple(args, "O!OO!O!p:run", core_program_type, &program, &feed, &PyList_Type,
                          &fetch, core_scope_type, &scope, &numpy))
        return NULL;
    program = PyTuple_GetItem(args, 0);
    feed = PyTuple_GetItem(args, 1);
    fetch = PyTuple_GetItem(args, 2);
    scope = PyTuple_GetItem(args, 3);
    if ((numpy = PyObject_IsTrue(PyTuple_GetItem(args, 4))) < 0)
        return NULL;
    if (feed != Py_None && !PyDict_Check(feed)) {
        PyErr_Format(PyExc_TypeError, "feed requires dict as its Parameter. But you passed in %S",
                     (PyObject *)Py_TYPE(feed));
        return NULL;
    }
    rg_prepared *prepared = list_names(&n, feed, fetch) == 0 ? prepare(self, program, scope, &n)
                                                             : NULL;
    if (prepared != NULL) {
        const rg_plan_config config = config_of(&n);
        const rg_by_hand run = rg_by_hand_begin(self->executor, ((core_program *)program)->program,
                                                ((core_scope *)scope)->scope, &config, prepared);
        take(run.prepared);
        result = run_plan(&run, feed, &n, numpy != 0);
        rg_prepared_give_back(run.prepared);
        rg_prepared_release(run.prepared);
    }
    drop_names(&n);
    return result;
}

/* plan_text(program, feed, fetch, scope): the ops that run() would run the first time. */
static PyObject *executor_plan_text(PyObject *object, PyObject *args)
{
    PyObject *program, *feed, *fetch, *scope, *out = NULL;
    names n;
    if (!PyArg_ParseTuple(args, "O!OO!O!:plan_text", core_program_type, &program, &feed,
                          &PyList_Type, &fetch, core_scope_type, &scope))
        return NULL;
    if (list_names(&n, feed, fetch) == 0) {
        rg_plan_config config = config_of(&n);
        rg_plan *plan = NULL;
        config.device = rg_executor_device(((core_executor *)object)->executor);
        rg_buf text;
        rg_buf_init(&text, 0);
        rg_status code = rg_plan_open(&plan, ((core_program *)program)->program,
                                      ((core_scope *)scope)->scope, &config);
        if (code == RG_OK)
            rg_plan_text(plan, &text);
        out = code == RG_OK ? PyUnicode_FromString(rg_buf_cstr(&text)) : core_raise(code);
        rg_buf_fini(&text);
        rg_plan_close(plan);
    }
    drop_names(&n);
    return out;
}

static PyObject *executor_close(PyObject *object, PyObject *unused)
{
    (void)unused;
    rg_executor_clear(((core_executor *)object)->executor);
    Py_RETURN_NONE;
}

static PyObject *executor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *job = core_own_job;
    const rg_device *device = NULL;
    int gpu = -1;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "|O!i:Executor", core_job_type, &job, &gpu))
        return NULL;
    if (gpu >= 0)
        CORE_TRY(rg_gpu_open(gpu, &device));
    core_executor *self = core_new(type);
    rg_status code = RG_OK;
    if (self != NULL) {
        Py_INCREF(job);
        self->job = job;
        code = rg_executor_open(&self->executor, ((core_job *)job)->job);
        if (code == RG_OK)
            rg_executor_set_device(self->executor, device);
    }
    if (code != RG_OK) {
        Py_CLEAR(self);
        (void)core_raise(code);
    }
    return (PyObject *)self;
}

static void executor_dealloc(PyObject *object)
{
    core_executor *self = (core_executor *)object;
    rg_executor_close(self->executor);
    Py_XDECREF(self->job);
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
    core_executor_type = core_make_type(module, &executor_spec);
    return core_executor_type ? 0 : -1;
}
