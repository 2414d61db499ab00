/* job.c - Job: a trainer's place in a job: joining, leaving, meeting the others, reading what
 * servers keep. The process has one, `_core.job`, in which executors take part that are given no
 * other; job_join(), job_leave() and so on are its methods. */
#include "_core/core.h"

#include "base/mem.h"
#include "coll/rings.h"
#include "dist/exchange.h"
#include "dist/fan_out.h"
#include "dist/shuffle.h"
#include "sys/interrupt.h"
#include "watch/sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject *core_job_type;
PyObject *core_own_job;

/* For C code that waits: whether Ctrl+C was pressed. */
static rg_status look_for_signals(void)
{
    if (!Py_IsInitialized())
        return RG_OK; /* the process is ending */
    PyGILState_STATE state = PyGILState_Ensure();
    bool raised = PyErr_CheckSignals() < 0;
    PyGILState_Release(state);
    return raised ? rg_fail(RG_ECLOSED, "interrupted") : RG_OK;
}

static rg_job *job_of(PyObject *self)
{
    return ((core_job *)self)->job;
}

static rg_job *need_job(PyObject *self)
{
    rg_job *job = job_of(self);
    if (rg_job_is_joined(job))
        return job;
    PyErr_SetString(PyExc_RuntimeError,
                    "this needs a running job: run the startup program of a trainer first");
    return NULL;
}

static PyObject *join(PyObject *self, PyObject *args)
{
    PyObject *list;
    int trainer, trainers, n;
    const char **endpoints;
    rg_status code;
    if (!PyArg_ParseTuple(args, "Oii:job_join", &list, &trainer, &trainers) ||
        core_names(list, &endpoints, &n) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_join(job_of(self), endpoints, n, trainer, trainers);
    Py_END_ALLOW_THREADS
    PyMem_Free(endpoints);
    return core_finish(code);
}

static PyObject *ends_with_process(PyObject *self, PyObject *unused)
{
    (void)unused;
    rg_job_ends_with_process(job_of(self));
    Py_RETURN_NONE;
}

/* job_load([(endpoint, startup, main)], trainer, trainers) */
static PyObject *load(PyObject *self, PyObject *args)
{
    PyObject *list;
    int trainer, trainers;
    rg_status code = RG_OK;
    bool right = true;
    if (!PyArg_ParseTuple(args, "O!ii:job_load", &PyList_Type, &list, &trainer, &trainers))
        return NULL;
    Py_ssize_t n = PyList_Size(list);
    /* PyMem_Calloc is not in the limited API of 3.8's headers. */
    size_t bytes = ((size_t)n + 1) * sizeof(rg_job_load);
    rg_job_load *loads = PyMem_Malloc(bytes);
    if (loads == NULL)
        return PyErr_NoMemory();
    memset(loads, 0, bytes);
    for (Py_ssize_t i = 0; right && i < n; i++) {
        PyObject *startup, *main;
        right = PyArg_ParseTuple(PyList_GetItem(list, i), "sO!O!:job_load", &loads[i].endpoint,
                                 core_program_type, &startup, core_program_type, &main);
        if (right) {
            loads[i].startup = ((core_program *)startup)->program;
            loads[i].main = ((core_program *)main)->program;
        }
    }
    if (right) {
        Py_BEGIN_ALLOW_THREADS
        code = rg_job_join_with(job_of(self), loads, (int)n, trainer, trainers);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(loads);
    return right ? core_finish(code) : NULL;
}

static PyObject *leave(PyObject *self, PyObject *unused)
{
    rg_status code;
    (void)unused;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_leave(job_of(self));
    Py_END_ALLOW_THREADS
    return core_finish(code);
}

static PyObject *replays(PyObject *self, PyObject *unused)
{
    rg_job *job = job_of(self);
    (void)unused;
    return PyBool_FromLong(rg_job_is_joined(job) && rg_exchange_replays(job, 0));
}

static PyObject *fail(PyObject *self, PyObject *args)
{
    const char *why;
    if (!PyArg_ParseTuple(args, "s:job_fail", &why))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    rg_watch_failed(why);
    rg_job_fail(job_of(self), why);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

/* (number, trainers, mode) or None */
static PyObject *who(PyObject *self, PyObject *unused)
{
    rg_job *job = job_of(self);
    (void)unused;
    if (!rg_job_is_joined(job))
        Py_RETURN_NONE;
    return Py_BuildValue("iIs", job->trainer, job->trainers, job->mode->programs.name);
}

static PyObject *barrier(PyObject *self, PyObject *args)
{
    const char *name;
    rg_status code;
    if (!PyArg_ParseTuple(args, "s:job_barrier", &name))
        return NULL;
    rg_job *job = need_job(self);
    if (job == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_barrier(job, name);
    Py_END_ALLOW_THREADS
    return core_finish(code);
}

static PyObject *flush(PyObject *self, PyObject *unused)
{
    rg_status code;
    (void)unused;
    rg_job *job = need_job(self);
    if (job == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_exchange_flush(job);
    Py_END_ALLOW_THREADS
    return core_finish(code);
}

static int parse_op(const char *text)
{
    static const char *const ops[] = {"sum", "max", "min"};
    for (int i = 0; i < 3; i++)
        if (strcmp(ops[i], text) == 0)
            return i;
    PyErr_Format(PyExc_ValueError, "a reduction is sum, max or min, and not %s", text);
    return -1;
}

/* reduce(name, op, bytes, whole) -> bytes: doubles or, where `whole`, int64 over all trainers. */
static PyObject *reduce(PyObject *self, PyObject *args)
{
    const char *name, *op_name;
    PyObject *given;
    int whole;
    rg_status code;
    if (!PyArg_ParseTuple(args, "ssO!p:job_reduce", &name, &op_name, &PyBytes_Type, &given, &whole))
        return NULL;
    int op = parse_op(op_name);
    rg_job *job = op < 0 ? NULL : need_job(self);
    if (job == NULL)
        return NULL;
    /* A bytes object of our own may be written to until somebody else sees it. */
    PyObject *out = PyBytes_FromStringAndSize(PyBytes_AsString(given), PyBytes_Size(given));
    if (out == NULL)
        return NULL;
    void *numbers = PyBytes_AsString(out);
    size_t n = (size_t)PyBytes_Size(out) / sizeof(double);
    Py_BEGIN_ALLOW_THREADS
    code = whole ? rg_job_reduce_whole(job, name, op, numbers, n)
                 : rg_job_reduce(job, name, op, numbers, n);
    Py_END_ALLOW_THREADS
    if (code == RG_OK)
        return out;
    Py_DECREF(out);
    return core_finish(code);
}

/* get(endpoint, name) -> LoDTensor */
static PyObject *get(PyObject *self, PyObject *args)
{
    const char *endpoint, *name;
    rg_value *value;
    rg_status code;
    if (!PyArg_ParseTuple(args, "ss:job_get", &endpoint, &name))
        return NULL;
    rg_job *job = need_job(self);
    if (job == NULL)
        return NULL;
    CORE_TRY(rg_value_new(&value));
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_get(job, endpoint, name, value);
    Py_END_ALLOW_THREADS
    PyObject *tensor = code == RG_OK && !PyErr_Occurred()
                           ? core_wrap_tensor(core_tensor_type, value, NULL)
                           : core_finish(code);
    rg_value_release(value);
    return tensor;
}

/* change(requests) -> what set() and shrink() want of each request of one call of the script */
static PyObject *change(PyObject *self, PyObject *args)
{
    Py_ssize_t requests;
    if (!PyArg_ParseTuple(args, "n:job_change", &requests))
        return NULL;
    rg_job *job = need_job(self);
    if (job == NULL)
        return NULL;
    rg_ps_change of = rg_job_change(job, (size_t)requests);
    return Py_BuildValue("(II)", of.call, of.requests);
}

/* set(change, endpoint, name, LoDTensor) */
static PyObject *set(PyObject *self, PyObject *args)
{
    const char *endpoint, *name;
    PyObject *tensor;
    rg_ps_change of;
    rg_status code;
    if (!PyArg_ParseTuple(args, "(II)ssO!:job_set", &of.call, &of.requests, &endpoint, &name,
                          core_tensor_type, &tensor))
        return NULL;
    rg_job *job = need_job(self);
    if (job == NULL)
        return NULL;
    rg_value *value = ((core_tensor *)tensor)->value;
    if (value->data == NULL) {
        PyErr_SetString(PyExc_ValueError, "the tensor has no value yet");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_set(job, &of, endpoint, name, value);
    Py_END_ALLOW_THREADS
    return core_finish(code);
}

/* shrink(change, endpoint, table[, calls]) -> rows that went; without calls, all of them */
static PyObject *shrink(PyObject *self, PyObject *args)
{
    const char *endpoint, *name;
    uint64_t rows = 0;
    int unseen = -1;
    rg_ps_change of;
    rg_status code;
    if (!PyArg_ParseTuple(args, "(II)ss|i:job_shrink", &of.call, &of.requests, &endpoint, &name,
                          &unseen))
        return NULL;
    rg_job *job = need_job(self);
    if (job == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_shrink(job, &of, endpoint, name, unseen, &rows);
    Py_END_ALLOW_THREADS
    PyObject *nothing = core_finish(code);
    Py_XDECREF(nothing);
    return nothing ? PyLong_FromUnsignedLongLong(rows) : NULL;
}

/* shuffle(Dataset, seed, rows of a message, seconds between messages) */
static PyObject *shuffle(PyObject *self, PyObject *args)
{
    PyObject *dataset;
    unsigned long long seed;
    Py_ssize_t rows;
    double pause;
    rg_status code;
    if (!PyArg_ParseTuple(args, "O!Knd:job_shuffle", core_dataset_type, &dataset, &seed, &rows,
                          &pause))
        return NULL;
    rg_job *job = need_job(self);
    if (job == NULL)
        return NULL;
    rg_shuffle_config config = {.seed = seed,
                                .rows_each = rows > 0 ? (size_t)rows : 0,
                                .pause_ns = pause > 0 && pause < 3600 ? (uint64_t)(pause * 1e9)
                                                                      : 0};
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_shuffle(job, ((core_dataset *)dataset)->dataset, &config);
    Py_END_ALLOW_THREADS
    return core_finish(code);
}

/* Bytes to and from all servers so far: (sent, received). */
static PyObject *traffic(PyObject *self, PyObject *unused)
{
    unsigned long long sent = 0, received = 0;
    rg_job *job = job_of(self);
    (void)unused;
    for (int i = 0; rg_job_is_joined(job) && i < job->n_servers; i++) {
        rg_rpc_counters c = rg_rpc_client_counters(job->servers[i].client);
        sent += c.sent_bytes;
        received += c.received_bytes;
    }
    return Py_BuildValue("KK", sent, received);
}

static PyMethodDef methods[] = {
    {"load", load, METH_VARARGS,
     "load([(endpoint, startup, main)], trainer_id, trainers): join, and hand each server its "
     "programs"},
    {"ends_with_process", ends_with_process, METH_NOARGS,
     "The trainer leaves when its process exits, without a warning."},
    {"join", join, METH_VARARGS, "join(endpoints, trainer_id or -1, trainers or 0)"},
    {"fail", fail, METH_VARARGS, "Tell all servers that this trainer has failed, and why."},
    {"leave", leave, METH_NOARGS, "Tell all servers that this trainer is done."},
    {"replays", replays, METH_NOARGS,
     "Whether this trainer was started again and comes by what it had done before."},
    {"who", who, METH_NOARGS, "who() -> (number, trainers, mode), None outside a job"},
    {"barrier", barrier, METH_VARARGS, "barrier(name): wait for all trainers"},
    {"flush", flush, METH_NOARGS, "Wait until all that was pushed has been taken."},
    {"reduce", reduce, METH_VARARGS,
     "reduce(name, 'sum' | 'max' | 'min', bytes of f64, or of i64, whole) -> bytes"},
    {"get", get, METH_VARARGS, "get(endpoint, name) -> LoDTensor"},
    {"change", change, METH_VARARGS,
     "change(requests): a call that changes what servers have begins, in so many set(), shrink() "
     "or clear()"},
    {"set", set, METH_VARARGS, "set(change, endpoint, name, LoDTensor)"},
    {"shuffle", shuffle, METH_VARARGS, "shuffle(dataset, seed, rows, seconds)"},
    {"shrink", shrink, METH_VARARGS, "shrink(change, endpoint, table, calls) -> rows dropped"},
    {"clear", shrink, METH_VARARGS, "clear(change, endpoint, table) -> rows it had"},
    {"traffic", traffic, METH_NOARGS, "traffic() -> (bytes sent, bytes received)"},
    {NULL, NULL, 0, NULL},
};

/* ---- the process ends ---- */

/* The jobs that may still be joined when the process exits: whoever has one to itself may forget
 * to leave it. Under the GIL, and after that by the thread that exits. */
static rg_job **open_jobs;
static size_t n_jobs, room;

/* Python's own atexit does not know the status that the process exits with, and a trainer that has
 * failed (sys.exit(3)) must not be taken for one that has finished. Nor do wrappers of sys.exit()
 * and sys.excepthook: `raise SystemExit(3)` passes by both, and no hook of Python's is
 * shown its code. on_exit() is glibc's, and the one call that is told the status. */
static void process_exits(int status, void *unused)
{
    (void)unused;
    for (size_t i = 0; i < n_jobs; i++)
        rg_job_exits(open_jobs[i], status);
    rg_rings_exit(status);
    rg_job_process_ends();
}

static rg_status remember(rg_job *job)
{
    RG_TRY(rg_grow((void **)&open_jobs, n_jobs, &room, sizeof *open_jobs));
    open_jobs[n_jobs++] = job;
    return RG_OK;
}

static void forget(const rg_job *job)
{
    for (size_t i = 0; i < n_jobs; i++)
        if (open_jobs[i] == job) {
            open_jobs[i] = open_jobs[--n_jobs];
            return;
        }
}

static PyObject *job_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    core_job *self = core_new(type);
    rg_status code = self ? rg_job_open(&self->job) : RG_OK;
    if (self != NULL && code == RG_OK)
        code = remember(self->job);
    if (code != RG_OK) {
        Py_CLEAR(self);
        (void)core_raise(code);
    }
    return (PyObject *)self;
}

/* One that is still joined is kept until the process ends, which says how it went. */
static void job_dealloc(PyObject *object)
{
    rg_job *job = job_of(object);
    if (!rg_job_is_joined(job)) {
        forget(job);
        rg_job_close(job);
    }
    core_free(object);
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "A trainer's place in a job: Executor(job) runs programs for it."},
    {Py_tp_new, job_new},
    {Py_tp_dealloc, job_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "paddle._core.Job",
    .basicsize = sizeof(core_job),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int core_add_job(PyObject *module)
{
    rg_set_interrupted(look_for_signals);
    core_job_type = core_make_type(module, &spec);
    core_own_job = core_job_type ? job_new(core_job_type, NULL, NULL) : NULL;
    if (core_own_job == NULL || on_exit(process_exits, NULL) != 0)
        return -1;
    Py_INCREF(core_own_job);
    if (PyModule_AddObject(module, "job", core_own_job) < 0)
        return -1;
    for (const PyMethodDef *m = methods; m->ml_name != NULL; m++) {
        char name[64];
        (void)snprintf(name, sizeof name, "job_%s", m->ml_name);
        PyObject *method = PyObject_GetAttrString(core_own_job, m->ml_name);
        if (method == NULL || PyModule_AddObject(module, name, method) < 0)
            return -1;
    }
    return 0;
}
