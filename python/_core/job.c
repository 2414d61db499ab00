/* job.c - a trainer's job: joining, leaving, meeting the others, reading what servers keep. */
#include "_core/core.h"

#include "dist/job.h"
#include "dist/shuffle.h"
#include "sys/interrupt.h"

#include <string.h>

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

static rg_job *need_job(void)
{
    rg_job *job = rg_job_now();
    if (job == NULL)
        PyErr_SetString(PyExc_RuntimeError,
                        "this needs a running job: run the startup program of a trainer first");
    return job;
}

static PyObject *finish(rg_status code)
{
    if (PyErr_Occurred())
        return NULL;
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *join(PyObject *module, PyObject *args)
{
    PyObject *list;
    int trainer, trainers, n;
    const char **endpoints;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oii:job_join", &list, &trainer, &trainers) ||
        core_names(list, &endpoints, &n) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_join(endpoints, n, trainer, trainers);
    Py_END_ALLOW_THREADS
    PyMem_Free(endpoints);
    return finish(code);
}

static PyObject *ends_with_process(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    rg_job_ends_with_process();
    Py_RETURN_NONE;
}

/* job_load([(endpoint, startup, main)], trainer, trainers) */
static PyObject *load(PyObject *module, PyObject *args)
{
    PyObject *list;
    int trainer, trainers;
    rg_status code = RG_OK;
    bool right = true;
    (void)module;
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
        code = rg_job_join_with(loads, (int)n, trainer, trainers);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(loads);
    return right ? finish(code) : NULL;
}

static PyObject *leave(PyObject *module, PyObject *unused)
{
    rg_status code;
    (void)module, (void)unused;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_leave();
    Py_END_ALLOW_THREADS
    return finish(code);
}

static PyObject *fail(PyObject *module, PyObject *args)
{
    const char *why;
    (void)module;
    if (!PyArg_ParseTuple(args, "s:job_fail", &why))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    rg_job_fail(why);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

/* (number, trainers, mode) or None */
static PyObject *who(PyObject *module, PyObject *unused)
{
    const rg_job *job = rg_job_now();
    (void)module, (void)unused;
    if (job == NULL)
        Py_RETURN_NONE;
    return Py_BuildValue("iIs", job->trainer, job->trainers, job->mode->programs.name);
}

static PyObject *barrier(PyObject *module, PyObject *args)
{
    const char *name;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "s:job_barrier", &name))
        return NULL;
    rg_job *job = need_job();
    if (job == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_barrier(job, name);
    Py_END_ALLOW_THREADS
    return finish(code);
}

static PyObject *flush(PyObject *module, PyObject *unused)
{
    rg_status code;
    (void)module, (void)unused;
    rg_job *job = need_job();
    if (job == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_exchange_flush(job);
    Py_END_ALLOW_THREADS
    return finish(code);
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
static PyObject *reduce(PyObject *module, PyObject *args)
{
    const char *name, *op_name;
    PyObject *given;
    int whole;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "ssO!p:job_reduce", &name, &op_name, &PyBytes_Type, &given, &whole))
        return NULL;
    int op = parse_op(op_name);
    rg_job *job = op < 0 ? NULL : need_job();
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
    return finish(code);
}

/* get(endpoint, name) -> LoDTensor */
static PyObject *get(PyObject *module, PyObject *args)
{
    const char *endpoint, *name;
    rg_value *value;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss:job_get", &endpoint, &name))
        return NULL;
    rg_job *job = need_job();
    if (job == NULL)
        return NULL;
    CORE_TRY(rg_value_new(&value));
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_get(job, endpoint, name, value);
    Py_END_ALLOW_THREADS
    PyObject *tensor = code == RG_OK && !PyErr_Occurred()
                           ? core_wrap_tensor(core_tensor_type, value, NULL)
                           : finish(code);
    rg_value_release(value);
    return tensor;
}

/* set(endpoint, name, LoDTensor) */
static PyObject *set(PyObject *module, PyObject *args)
{
    const char *endpoint, *name;
    PyObject *tensor;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "ssO!:job_set", &endpoint, &name, core_tensor_type, &tensor))
        return NULL;
    rg_job *job = need_job();
    if (job == NULL)
        return NULL;
    rg_value *value = ((core_tensor *)tensor)->value;
    if (value->data == NULL) {
        PyErr_SetString(PyExc_ValueError, "the tensor has no value yet");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_set(job, endpoint, name, value);
    Py_END_ALLOW_THREADS
    return finish(code);
}

/* shrink(endpoint, table[, calls]) -> rows that went; without calls, all of them */
static PyObject *shrink(PyObject *module, PyObject *args)
{
    const char *endpoint, *name;
    uint64_t rows = 0;
    int unseen = -1;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss|i:job_shrink", &endpoint, &name, &unseen))
        return NULL;
    rg_job *job = need_job();
    if (job == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_shrink(job, endpoint, name, unseen, &rows);
    Py_END_ALLOW_THREADS
    PyObject *nothing = finish(code);
    Py_XDECREF(nothing);
    return nothing ? PyLong_FromUnsignedLongLong(rows) : NULL;
}

/* shuffle(Dataset, seed, rows of a message, seconds between messages) */
static PyObject *shuffle(PyObject *module, PyObject *args)
{
    PyObject *dataset;
    unsigned long long seed;
    Py_ssize_t rows;
    double pause;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!Knd:job_shuffle", core_dataset_type, &dataset, &seed, &rows,
                          &pause))
        return NULL;
    rg_job *job = need_job();
    if (job == NULL)
        return NULL;
    rg_shuffle_config config = {.seed = seed,
                                .rows_each = rows > 0 ? (size_t)rows : 0,
                                .pause_ns = pause > 0 && pause < 3600 ? (uint64_t)(pause * 1e9)
                                                                      : 0};
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_shuffle(job, ((core_dataset *)dataset)->dataset, &config);
    Py_END_ALLOW_THREADS
    return finish(code);
}

/* Bytes to and from all servers so far: (sent, received). */
static PyObject *traffic(PyObject *module, PyObject *unused)
{
    unsigned long long sent = 0, received = 0;
    const rg_job *job = rg_job_now();
    (void)module, (void)unused;
    for (int i = 0; job != NULL && i < job->n_servers; i++) {
        rg_rpc_counters c = rg_rpc_client_counters(job->servers[i].client);
        sent += c.sent_bytes;
        received += c.received_bytes;
    }
    return Py_BuildValue("KK", sent, received);
}

static PyMethodDef functions[] = {
    {"job_load", load, METH_VARARGS,
     "job_load([(endpoint, startup, main)], trainer_id, trainers): join, and hand each server its "
     "programs"},
    {"job_ends_with_process", ends_with_process, METH_NOARGS,
     "The trainer leaves when its process exits, without a warning."},
    {"job_join", join, METH_VARARGS, "job_join(endpoints, trainer_id or -1, trainers or 0)"},
    {"job_fail", fail, METH_VARARGS, "Tell all servers that this trainer has failed, and why."},
    {"job_leave", leave, METH_NOARGS, "Tell all servers that this trainer is done."},
    {"job_who", who, METH_NOARGS, "job_who() -> (number, trainers, mode), None outside a job"},
    {"job_barrier", barrier, METH_VARARGS, "job_barrier(name): wait for all trainers"},
    {"job_flush", flush, METH_NOARGS, "Wait until all that was pushed has been taken."},
    {"job_reduce", reduce, METH_VARARGS,
     "job_reduce(name, 'sum' | 'max' | 'min', bytes of f64, or of i64, whole) -> bytes"},
    {"job_get", get, METH_VARARGS, "job_get(endpoint, name) -> LoDTensor"},
    {"job_set", set, METH_VARARGS, "job_set(endpoint, name, LoDTensor)"},
    {"job_shuffle", shuffle, METH_VARARGS, "job_shuffle(dataset, seed, rows, seconds)"},
    {"job_shrink", shrink, METH_VARARGS, "job_shrink(endpoint, table, calls) -> rows dropped"},
    {"job_clear", shrink, METH_VARARGS, "job_clear(endpoint, table) -> rows it had"},
    {"job_traffic", traffic, METH_NOARGS, "job_traffic() -> (bytes sent, bytes received)"},
    {NULL, NULL, 0, NULL},
};

int core_add_job(PyObject *module)
{
    rg_set_interrupted(look_for_signals);
    return PyModule_AddFunctions(module, functions);
}
