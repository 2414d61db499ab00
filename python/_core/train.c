/* train.c - train(): a program over a dataset, on several threads. */
#include "_core/core.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "train/train.h"

/* What the watching thread hands to Python. */
typedef struct watcher {
    PyObject *handler; /* None: none; called with a list of tensors */
    uint64_t every_ns, last;
    int n;
    rg_value **values;
    bool raised; /* an exception is set, and waits for the end */
} watcher;

static PyObject *wrap_values(const watcher *w)
{
    PyObject *list = PyList_New(w->n);
    for (int i = 0; list != NULL && i < w->n; i++) {
        PyObject *tensor = core_wrap_tensor(core_tensor_type, w->values[i], NULL);
        if (tensor == NULL || PyList_SetItem(list, i, tensor) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static void call_handler(watcher *w, rg_train *train)
{
    uint64_t now = rg_clock_ns();
    if (w->handler == Py_None || now - w->last < w->every_ns ||
        rg_train_values(train, w->values) != RG_OK)
        return;
    w->last = now;
    PyObject *list = wrap_values(w);
    PyObject *result = list ? PyObject_CallFunctionObjArgs(w->handler, list, NULL) : NULL;
    w->raised = result == NULL;
    Py_XDECREF(list);
    Py_XDECREF(result);
}

static rg_status poll(void *arg, rg_train *train)
{
    watcher *w = arg;
    PyGILState_STATE state = PyGILState_Ensure();
    /* Ctrl+C may have been seen while the servers were asked how far all are. */
    w->raised = PyErr_Occurred() != NULL || PyErr_CheckSignals() < 0;
    if (!w->raised)
        call_handler(w, train);
    PyGILState_Release(state);
    return w->raised ? rg_fail(RG_ECLOSED, "stopped") : RG_OK;
}

static PyObject *result_dict(const rg_train_result *r)
{
    return Py_BuildValue("{sKsKsdsdsd}", "rows", (unsigned long long)r->rows, "batches",
                         (unsigned long long)r->batches, "seconds", r->seconds, "loss", r->loss,
                         "auc", r->auc);
}

static PyObject *run(rg_train_config *config, watcher *w)
{
    rg_train_result result = {0};
    rg_status code = RG_OK;
    w->values = rg_alloc_zero((size_t)w->n + 1, sizeof *w->values);
    if (w->values == NULL)
        return PyErr_NoMemory();
    for (int i = 0; code == RG_OK && i < w->n; i++)
        code = rg_value_new(&w->values[i]);
    w->last = rg_clock_ns();
    if (code == RG_OK) {
        Py_BEGIN_ALLOW_THREADS
        code = rg_train_run(config, &result);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < w->n; i++)
        rg_value_release(w->values[i]);
    rg_free(w->values);
    if (w->raised)
        return NULL;
    return code == RG_OK ? result_dict(&result) : core_raise(code);
}

/* train(executor, program, scope, dataset, threads, infer, fetches, infos, period, watched,
 * seconds, handler) -> dict */
PyObject *core_train(PyObject *module, PyObject *args)
{
    PyObject *executor, *program, *scope, *dataset, *fetches, *infos, *watched;
    int infer, n_infos;
    double seconds;
    watcher w = {.raised = false};
    rg_train_config c = {.poll = poll, .arg = &w};
    const char **fetch_names = NULL, **info_names = NULL, **watched_names = NULL;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!O!ipOOiOdO:train", core_executor_type, &executor,
                          core_program_type, &program, core_scope_type, &scope, core_dataset_type,
                          &dataset, &c.threads, &infer, &fetches, &infos, &c.period, &watched,
                          &seconds, &w.handler))
        return NULL;
    if (core_names(fetches, &fetch_names, &c.n_fetches) == 0 &&
        core_names(infos, &info_names, &n_infos) == 0 &&
        core_names(watched, &watched_names, &w.n) == 0) {
        c.executor = ((core_executor *)executor)->executor;
        c.program = ((core_program *)program)->program;
        c.scope = ((core_scope *)scope)->scope;
        c.dataset = ((core_dataset *)dataset)->dataset;
        c.infer = infer != 0;
        c.fetches = fetch_names;
        c.infos = info_names;
        c.watched = watched_names;
        c.n_watched = w.n;
        w.every_ns = (uint64_t)(seconds * 1e9);
        result = run(&c, &w);
    }
    PyMem_Free(fetch_names);
    PyMem_Free(info_names);
    PyMem_Free(watched_names);
    return result;
}
