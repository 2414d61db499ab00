/* parallel.c - ParallelProgram: a program on several threads, each with a part of the batch. */
#include "_core/core.h"

#include "exec/marks.h"
#include "exec/parallel.h"
#include "watch/program_graph.h"

typedef struct core_parallel {
    PyObject_HEAD
    rg_parallel *parallel;
    PyObject *executor; /* keeps the job */
    PyObject *feeds;    /* tuple of names */
    Py_ssize_t n_fetches;
    PyThread_type_lock lock; /* held while it is fed, runs and is fetched from */
} core_parallel;

static PyTypeObject *parallel_type;

/* ParallelProgram(executor, program, scope, feeds, fetches, threads, sum) */
static PyObject *parallel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *executor, *program, *scope, *feeds, *fetches;
    int threads, sum, n_feeds, n_fetches;
    const char **feed_names, **fetch_names;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!ip:ParallelProgram", core_executor_type, &executor,
                          core_program_type, &program, core_scope_type, &scope, &PyTuple_Type,
                          &feeds, &PyList_Type, &fetches, &threads, &sum) ||
        core_names(feeds, &feed_names, &n_feeds) < 0)
        return NULL;
    if (core_names(fetches, &fetch_names, &n_fetches) < 0) {
        PyMem_Free(feed_names);
        return NULL;
    }
    core_parallel *self = core_new(type);
    rg_status code = RG_OK;
    if (self != NULL) {
        Py_INCREF(executor);
        self->executor = executor;
        Py_INCREF(feeds);
        self->feeds = feeds;
        self->n_fetches = n_fetches;
        self->lock = PyThread_allocate_lock();
        code = self->lock == NULL ? rg_fail(RG_ENOMEM, "no memory for a lock") : RG_OK;
    }
    if (self != NULL && code == RG_OK) {
        rg_parallel_config config = {
            .threads = threads,
            .feeds = feed_names,
            .n_feeds = n_feeds,
            .fetches = fetch_names,
            .n_fetches = n_fetches,
            .sum = sum != 0,
            .job = rg_executor_job(((core_executor *)executor)->executor),
        };
        code = rg_parallel_open(&self->parallel, ((core_program *)program)->program,
                                ((core_scope *)scope)->scope, &config);
    }
    if (code == RG_OK && rg_has_updates(((core_program *)program)->program))
        rg_watch_training(((core_program *)program)->program);
    PyMem_Free(feed_names);
    PyMem_Free(fetch_names);
    if (code != RG_OK) {
        Py_CLEAR(self);
        (void)core_raise(code);
    }
    return (PyObject *)self;
}

static void parallel_dealloc(PyObject *object)
{
    core_parallel *self = (core_parallel *)object;
    rg_parallel_close(self->parallel);
    Py_XDECREF(self->feeds);
    Py_XDECREF(self->executor);
    if (self->lock != NULL)
        PyThread_free_lock(self->lock);
    core_free(object);
}

/* Feed i from the dict; thread -1: to be cut into parts. */
static int feed_one(core_parallel *self, PyObject *feed, int i, int thread)
{
    PyObject *name = PyTuple_GetItem(self->feeds, i), *object = PyDict_GetItem(feed, name);
    rg_value value;
    if (object == NULL) {
        PyErr_Format(PyExc_ValueError, "the feed of thread %d lacks %S", thread, name);
        return -1;
    }
    rg_value_init(&value);
    int failed = core_feed(object, rg_parallel_feed_desc(self->parallel, i), &value);
    rg_status code = RG_OK;
    if (failed == 0)
        code = thread < 0 ? rg_parallel_feed(self->parallel, i, &value)
                          : rg_parallel_feed_part(self->parallel, thread, i, &value);
    rg_value_fini(&value);
    if (code != RG_OK) {
        (void)core_raise(code);
        PyObject *type, *message, *trace; /* say which feed */
        PyErr_Fetch(&type, &message, &trace);
        PyErr_Format(type, "feed '%S': %S", name, message);
        Py_XDECREF(type);
        Py_XDECREF(message);
        Py_XDECREF(trace);
        failed = -1;
    }
    return failed;
}

static int feed_all(core_parallel *self, PyObject *feed)
{
    int n = (int)PyTuple_Size(self->feeds), threads = rg_parallel_threads(self->parallel);
    bool parts = PyList_Check(feed);
    if (parts)
        threads = (int)PyList_Size(feed);
    rg_status code = rg_parallel_begin(self->parallel, threads);
    if (code != RG_OK) {
        (void)core_raise(code);
        return -1;
    }
    for (int t = parts ? 0 : -1; t < (parts ? threads : 0); t++)
        for (int i = 0; i < n; i++)
            if (feed_one(self, parts ? PyList_GetItem(feed, t) : feed, i, t) < 0)
                return -1;
    return 0;
}

static PyObject *fetch_merged(core_parallel *self, int i, bool numpy)
{
    rg_value *value;
    CORE_TRY(rg_value_new(&value));
    rg_status code = rg_parallel_fetch(self->parallel, i, value);
    PyObject *out = code == RG_OK ? core_fetch(value, numpy) : core_raise(code);
    rg_value_release(value);
    return out;
}

static PyObject *fetch_parts(core_parallel *self, int i, bool numpy)
{
    int threads = rg_parallel_active(self->parallel);
    PyObject *list = PyList_New(threads);
    for (int t = 0; list != NULL && t < threads; t++) {
        PyObject *part = core_fetch(rg_parallel_fetch_part(self->parallel, t, i), numpy);
        if (part == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, t, part);
    }
    return list;
}

static PyObject *fetch_all(core_parallel *self, bool numpy, bool merged)
{
    PyObject *list = PyList_New(self->n_fetches);
    for (int i = 0; list != NULL && i < (int)self->n_fetches; i++) {
        PyObject *item = merged ? fetch_merged(self, i, numpy) : fetch_parts(self, i, numpy);
        if (item == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, i, item);
    }
    return list;
}

static PyObject *run_once(core_parallel *self, PyObject *feed, bool numpy, bool merged)
{
    rg_status code;
    if (feed_all(self, feed) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_parallel_run(self->parallel);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    return fetch_all(self, numpy, merged);
}

/* run(feed, return_numpy, return_merged): feed is a dict, or a list of them, one a thread. */
static PyObject *parallel_run(PyObject *object, PyObject *args)
{
    core_parallel *self = (core_parallel *)object;
    PyObject *feed;
    int numpy, merged;
    if (!PyArg_ParseTuple(args, "Opp:run", &feed, &numpy, &merged))
        return NULL;
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    PyObject *result = run_once(self, feed, numpy != 0, merged != 0);
    PyThread_release_lock(self->lock);
    return result;
}

static PyMethodDef parallel_methods[] = {
    {"run", parallel_run, METH_VARARGS, "run(feed, return_numpy, return_merged)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot parallel_slots[] = {
    {Py_tp_doc, "ParallelProgram(executor, program, scope, feeds, fetches, threads, sum)"},
    {Py_tp_new, parallel_new},
    {Py_tp_dealloc, parallel_dealloc},
    {Py_tp_methods, parallel_methods},
    {0, NULL},
};

static PyType_Spec parallel_spec = {
    .name = "paddle._core.ParallelProgram",
    .basicsize = sizeof(core_parallel),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = parallel_slots,
};

int core_add_parallel(PyObject *module)
{
    parallel_type = core_make_type(module, &parallel_spec);
    return parallel_type ? 0 : -1;
}
