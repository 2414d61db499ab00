/* group.c - the ranks of collective training, for what no op does: barriers, numbers and bytes over
 * all of them, and the end of the process. */
#include "_core/core.h"

#include "base/mem.h"
#include "coll/rings.h"

#include <string.h>

/* group_open(rank, [endpoint]): waits for all ranks. */
static PyObject *open_group(PyObject *module, PyObject *args)
{
    PyObject *list;
    int rank, n;
    const char **endpoints;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "iO:group_open", &rank, &list) ||
        core_names(list, &endpoints, &n) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_ring_open(0, rank, n, endpoints);
    Py_END_ALLOW_THREADS
    PyMem_Free(endpoints);
    return core_finish(code);
}

/* group_who() -> (rank, size, how bytes travel). As the environment says where none is open. */
static PyObject *who(PyObject *module, PyObject *unused)
{
    rg_group *group;
    rg_status code;
    (void)module, (void)unused;
    Py_BEGIN_ALLOW_THREADS
    code = rg_ring_group(0, &group);
    Py_END_ALLOW_THREADS
    if (PyErr_Occurred())
        return NULL;
    CORE_TRY(code);
    return Py_BuildValue("iis", rg_group_rank(group), rg_group_size(group),
                         rg_group_backend_name(group));
}

static PyObject *barrier(PyObject *module, PyObject *unused)
{
    rg_group *group;
    rg_status code;
    (void)module, (void)unused;
    Py_BEGIN_ALLOW_THREADS
    code = rg_ring_group(0, &group);
    if (code == RG_OK)
        code = rg_group_barrier(group);
    Py_END_ALLOW_THREADS
    return core_finish(code);
}

/* group_reduce(op, bytes, whole) -> bytes: of doubles, or of int64 where they are whole. */
static PyObject *reduce(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *given;
    int whole;
    rg_group *group;
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!p:group_reduce", &name, &PyBytes_Type, &given, &whole))
        return NULL;
    rg_group_op op = strcmp(name, "max") == 0   ? RG_GROUP_MAX
                     : strcmp(name, "min") == 0 ? RG_GROUP_MIN
                                                : RG_GROUP_SUM;
    /* A bytes object of our own may be written to until somebody else sees it. */
    PyObject *out = PyBytes_FromStringAndSize(PyBytes_AsString(given), PyBytes_Size(given));
    if (out == NULL)
        return NULL;
    void *numbers = PyBytes_AsString(out);
    size_t n = (size_t)PyBytes_Size(out) / sizeof(double);
    Py_BEGIN_ALLOW_THREADS
    code = rg_ring_group(0, &group);
    if (code == RG_OK)
        code = rg_group_all_reduce(group, numbers, n, whole ? RG_I64 : RG_F64, op);
    Py_END_ALLOW_THREADS
    if (code == RG_OK && !PyErr_Occurred())
        return out;
    Py_DECREF(out);
    return core_finish(code);
}

static void *make_room(void *user, int column, size_t bytes)
{
    uint8_t **all = user;
    (void)column;
    return *all = rg_alloc(bytes);
}

/* group_gather(bytes) -> [bytes], of all ranks in their order */
static PyObject *gather(PyObject *module, PyObject *given)
{
    rg_group *group;
    rg_group_work *work = NULL;
    rg_status code;
    (void)module;
    if (!PyBytes_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "group_gather() takes bytes");
        return NULL;
    }
    uint8_t *all = NULL;
    const uint8_t *at;
    rg_group_list bytes_of = {.n = (size_t)PyBytes_Size(given),
                              .columns = 1,
                              .mine = {PyBytes_AsString(given)},
                              .item_bytes = {1},
                              .room = make_room,
                              .user = &all};
    Py_BEGIN_ALLOW_THREADS
    code = rg_ring_group(0, &group);
    if (code == RG_OK)
        code = rg_group_start_gather(&work, group, &bytes_of);
    if (code == RG_OK)
        code = rg_group_wait(work);
    Py_END_ALLOW_THREADS
    PyObject *list = code == RG_OK && !PyErr_Occurred() ? PyList_New(0) : core_finish(code);
    at = all;
    for (int i = 0; list != NULL && i < rg_group_size(group); i++) {
        size_t bytes = rg_group_gathered(work, i);
        PyObject *item = PyBytes_FromStringAndSize((const char *)at, (Py_ssize_t)bytes);
        at += bytes;
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    rg_group_work_close(work);
    rg_free(all);
    return list;
}

/* group_fail(why): the process ends; the others hear the reason. */
static PyObject *fail(PyObject *module, PyObject *text)
{
    const char *why = core_text(text);
    (void)module;
    if (why == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    rg_rings_fail(why);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

int core_add_group(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"group_open", open_group, METH_VARARGS, "group_open(rank, endpoints): meet all ranks"},
        {"group_who", who, METH_NOARGS, "group_who() -> (rank, size, back end)"},
        {"group_barrier", barrier, METH_NOARGS, "Wait for all ranks."},
        {"group_reduce", reduce, METH_VARARGS,
         "group_reduce('sum' | 'max' | 'min', bytes of f64, or of i64, whole) -> bytes"},
        {"group_gather", gather, METH_O, "group_gather(bytes) -> [bytes]"},
        {"group_fail", fail, METH_O, "group_fail(why): tell the others that this rank ends"},
        {NULL, NULL, 0, NULL},
    };
    return PyModule_AddFunctions(module, methods);
}
