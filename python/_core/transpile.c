/* transpile.c - Transpiler: a training program made into those of trainers and servers. */
#include "_core/core.h"

#include "dist/mode.h"

typedef struct core_transpiler {
    PyObject_HEAD
    rg_transpiler *t;
} core_transpiler;

static rg_transpiler *transpiler_of(PyObject *self)
{
    return ((core_transpiler *)self)->t;
}

/* Transpiler(main, startup, endpoints, trainer_id, trainers, mode, runtime_split,
 *            local_barrier, slice, by_hash, dc_asgd, min_block, geo_push_nums, n_sparse,
 *            sum_gradients) */
static PyObject *transpiler_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *main, *startup, *endpoints;
    rg_transpile_config config = {0};
    int mode, split, barrier, slice, by_hash, dc_asgd, sums;
    long long min_block;
    const char **names;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!O!OiiipppppLiip:Transpiler", core_program_type, &main,
                          core_program_type, &startup, &endpoints, &config.trainer_id,
                          &config.trainers, &mode, &split, &barrier, &slice, &by_hash, &dc_asgd,
                          &min_block, &config.geo_push_nums, &config.n_sparse, &sums))
        return NULL;
    if (core_names(endpoints, &names, &config.n_endpoints) < 0)
        return NULL;
    config.endpoints = names;
    config.runtime_split = split != 0;
    config.local_barrier = barrier != 0;
    config.slice = slice != 0;
    config.by_hash = by_hash != 0;
    config.dc_asgd = dc_asgd != 0;
    config.sum_gradients = sums != 0;
    config.min_block = min_block;
    const rg_mode *how = NULL;
    core_transpiler *self = core_new(type);
    rg_status code = rg_mode_find(mode, &how);
    config.mode = how ? &how->programs : NULL;
    if (self != NULL && code == RG_OK)
        code = rg_transpiler_open(&self->t, ((core_program *)main)->program,
                                  ((core_program *)startup)->program, &config);
    PyMem_Free(names);
    if (code != RG_OK) {
        Py_DECREF(self);
        return core_raise(code);
    }
    return (PyObject *)self;
}

static void transpiler_dealloc(PyObject *object)
{
    rg_transpiler_close(transpiler_of(object));
    core_free(object);
}

static PyObject *transpiler_trainer(PyObject *self, PyObject *args)
{
    PyObject *main, *startup;
    if (!PyArg_ParseTuple(args, "O!O!:trainer", core_program_type, &main, core_program_type,
                          &startup))
        return NULL;
    CORE_TRY(rg_transpile_trainer(transpiler_of(self), ((core_program *)main)->program,
                                  ((core_program *)startup)->program));
    Py_RETURN_NONE;
}

static PyObject *transpiler_server(PyObject *self, PyObject *args)
{
    const char *endpoint;
    PyObject *type;
    rg_program *program;
    if (!PyArg_ParseTuple(args, "sO:server", &endpoint, &type))
        return NULL;
    CORE_TRY(rg_transpile_server(transpiler_of(self), endpoint, &program));
    return core_wrap_program(type, program);
}

static PyObject *transpiler_server_startup(PyObject *self, PyObject *args)
{
    const char *endpoint;
    PyObject *type, *startup;
    rg_program *program;
    if (!PyArg_ParseTuple(args, "sOO:server_startup", &endpoint, &type, &startup))
        return NULL;
    if (startup != Py_None && !PyObject_TypeCheck(startup, core_program_type)) {
        PyErr_SetString(PyExc_TypeError, "startup_program must be a Program");
        return NULL;
    }
    CORE_TRY(rg_transpile_server_startup(
        transpiler_of(self), endpoint,
        startup == Py_None ? NULL : ((core_program *)startup)->program, &program));
    return core_wrap_program(type, program);
}

static PyObject *state_list(const rg_transpiler *t, const char *param)
{
    PyObject *list = PyList_New(0);
    const char *name;
    for (int i = 0; list != NULL && (name = rg_transpiler_state(t, param, i)) != NULL; i++) {
        PyObject *text = PyUnicode_FromString(name);
        if (text == NULL || PyList_Append(list, text) < 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

/* slices() -> [(param, slice, gradient, endpoint, begin, rows, height, is table, states)] */
static PyObject *transpiler_slices(PyObject *self, PyObject *unused)
{
    const rg_transpiler *t = transpiler_of(self);
    PyObject *list = PyList_New(0);
    (void)unused;
    for (int i = 0; list != NULL && i < rg_transpiler_n_slices(t); i++) {
        rg_param_slice s = rg_transpiler_slice(t, i);
        PyObject *states = state_list(t, s.param);
        PyObject *item = states
                             ? Py_BuildValue("(ssssLLLNN)", s.param, s.name, s.grad, s.endpoint,
                                             (long long)s.begin, (long long)s.rows,
                                             (long long)s.height, PyBool_FromLong(s.table), states)
                             : NULL;
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyMethodDef transpiler_methods[] = {
    {"trainer", transpiler_trainer, METH_VARARGS, "trainer(main, startup): changed in place."},
    {"server", transpiler_server, METH_VARARGS, "server(endpoint, class) -> program"},
    {"server_startup", transpiler_server_startup, METH_VARARGS,
     "server_startup(endpoint, class, startup or None) -> program"},
    {"slices", transpiler_slices, METH_NOARGS,
     "[(param, slice, gradient, endpoint, begin, rows, height, is table, states)]"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot transpiler_slots[] = {
    {Py_tp_doc, "Makes a training program into those of trainers and servers."},
    {Py_tp_new, transpiler_new},
    {Py_tp_dealloc, transpiler_dealloc},
    {Py_tp_methods, transpiler_methods},
    {0, NULL},
};

static PyType_Spec transpiler_spec = {
    .name = "paddle._core.Transpiler",
    .basicsize = sizeof(core_transpiler),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = transpiler_slots,
};

/* hash_name(text) -> int: by which HashName deals slices, the same on every machine. */
static PyObject *hash_name(PyObject *module, PyObject *text)
{
    const char *name = core_text(text);
    (void)module;
    return name ? PyLong_FromUnsignedLongLong(rg_hash_text(name)) : NULL;
}

static PyMethodDef functions[] = {
    {"hash_name", hash_name, METH_O, "hash_name(text) -> int"},
    {NULL, NULL, 0, NULL},
};

int core_add_transpile(PyObject *module)
{
    return core_make_type(module, &transpiler_spec) ? PyModule_AddFunctions(module, functions) : -1;
}
