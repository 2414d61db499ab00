/* module.c - the module itself: schemas of ops, flags, the profiler. */
#include "_core/core.h"

#include "ir/backward.h"
#include "ir/gpu_module.h"
#include "ir/refused.h"

#include "sys/command.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/profile.h"

#include <limits.h>
#include <string.h>

/* ---- op schemas ---- */

static PyObject *slot_list(const rg_slot *slots)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && slots != NULL && slots[i].name != NULL; i++) {
        PyObject *slot = Py_BuildValue(
            "{s:s,s:s,s:N,s:N,s:N}", "name", slots[i].name, "doc", slots[i].doc ? slots[i].doc : "",
            "repeated", PyBool_FromLong((slots[i].flags & RG_REPEATED) != 0), "optional",
            PyBool_FromLong((slots[i].flags & RG_OPTIONAL) != 0), "intermediate",
            PyBool_FromLong((slots[i].flags & RG_INTERMEDIATE) != 0));
        if (slot == NULL || PyList_Append(list, slot) < 0)
            Py_CLEAR(list);
        Py_XDECREF(slot);
    }
    return list;
}

static PyObject *attr_list(const rg_attr_spec *specs)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && specs != NULL && specs[i].value.name != NULL; i++) {
        PyObject *value;
        if (specs[i].required) {
            value = Py_None;
            Py_INCREF(value);
        } else {
            value = core_attr_value(&specs[i].value);
        }
        PyObject *attr = value ? Py_BuildValue("{s:s,s:s,s:i,s:N,s:N}", "name", specs[i].value.name,
                                               "doc", specs[i].doc, "type",
                                               (int)specs[i].value.type, "default", value,
                                               "required", PyBool_FromLong(specs[i].required))
                               : NULL;
        if (attr == NULL || PyList_Append(list, attr) < 0)
            Py_CLEAR(list);
        Py_XDECREF(attr);
    }
    return list;
}

static PyObject *core_op_schema(PyObject *module, PyObject *type)
{
    const char *name = core_text(type);
    (void)module;
    if (name == NULL)
        return NULL;
    const rg_op *op = rg_op_find(name);
    if (op == NULL)
        return core_raise(rg_op_missing(name));
    PyObject *in = slot_list(op->in), *out = slot_list(op->out), *attrs = attr_list(op->attr);
    return Py_BuildValue("{s:s,s:s,s:N,s:N,s:N,s:N}", "type", op->type, "doc", op->doc, "inputs",
                         in, "outputs", out, "attrs", attrs, "gradient",
                         PyBool_FromLong(rg_op_has_gradient(op)));
}

static PyObject *core_op_refusal(PyObject *module, PyObject *type)
{
    const char *name = core_text(type);
    (void)module;
    if (name == NULL)
        return NULL;
    const char *why = rg_op_refusal(name);
    if (why == NULL)
        Py_RETURN_NONE;
    return PyUnicode_FromString(why);
}

static PyObject *core_op_types(PyObject *module, PyObject *unused)
{
    size_t n;
    const rg_op *const *ops = rg_op_all(&n);
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        if (ops[i]->flags & RG_OP_INTERNAL)
            continue;
        PyObject *name = PyUnicode_FromString(ops[i]->type);
        if (name == NULL || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* ---- flags ---- */

static PyObject *core_set_flag(PyObject *module, PyObject *args)
{
    const char *name, *value;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss:set_flag", &name, &value))
        return NULL;
    rg_status code = rg_flag_set(name, value);
    if (code != RG_OK) {
        PyErr_SetString(PyExc_ValueError, rg_error_message());
        return NULL;
    }
    Py_RETURN_NONE;
}

/* get_flag(name) -> (type number, text, why it has no effect or None) */
static PyObject *core_get_flag(PyObject *module, PyObject *name)
{
    const char *text = core_text(name), *value;
    (void)module;
    if (text == NULL)
        return NULL;
    rg_status code = rg_flag_text(text, &value);
    if (code != RG_OK) {
        PyErr_SetString(PyExc_ValueError, rg_error_message());
        return NULL;
    }
    const char *plain = strncmp(text, "FLAGS_", 6) == 0 ? text + 6 : text;
    for (const rg_flag *flag = rg_flag_table(); flag->name != NULL; flag++)
        if (strcmp(flag->name, plain) == 0)
            return Py_BuildValue("(isz)", (int)flag->type, value, flag->moot);
    Py_RETURN_NONE;
}

/* ---- profiler ---- */

static PyObject *core_profile_start(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    rg_profile_start();
    Py_RETURN_NONE;
}

static PyObject *core_profile_stop(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    rg_profile_stop();
    Py_RETURN_NONE;
}

static PyObject *core_profile_reset(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    rg_profile_reset();
    Py_RETURN_NONE;
}

static PyObject *core_profile_table(PyObject *module, PyObject *args)
{
    const char *by = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "|z:profile_table", &by))
        return NULL;
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_status code = rg_profile_table(by, &text);
    PyObject *out = code == RG_OK ? PyUnicode_FromString(rg_buf_cstr(&text)) : core_raise(code);
    rg_buf_fini(&text);
    return out;
}

static PyObject *core_profile_trace(PyObject *module, PyObject *path)
{
    const char *text = core_text(path);
    (void)module;
    if (text == NULL)
        return NULL;
    CORE_TRY(rg_profile_write(text));
    Py_RETURN_NONE;
}

static PyObject *core_profile_merge(PyObject *module, PyObject *folder)
{
    const char *text = core_text(folder);
    (void)module;
    if (text == NULL)
        return NULL;
    rg_buf names;
    rg_buf_init(&names, 0);
    rg_status code = rg_profile_merge(text, &names);
    PyObject *out = code == RG_OK ? PyUnicode_FromString(rg_buf_cstr(&names)) : core_raise(code);
    rg_buf_fini(&names);
    return out;
}

static PyObject *core_profile_steps(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_status code = rg_profile_steps(&text);
    PyObject *out = code == RG_OK ? PyUnicode_FromString(rg_buf_cstr(&text)) : core_raise(code);
    rg_buf_fini(&text);
    return out;
}

/* ---- the module ---- */

/* set_classes(Variable, Operator): the classes that results are made as. */
static PyObject *core_set_classes(PyObject *module, PyObject *args)
{
    PyObject *var, *op;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:set_classes", &var, &op))
        return NULL;
    Py_INCREF(var);
    Py_INCREF(op);
    core_var_class = (PyTypeObject *)var;
    core_op_class = (PyTypeObject *)op;
    Py_RETURN_NONE;
}

static PyObject *core_seed_process(PyObject *module, PyObject *seed)
{
    (void)module;
    unsigned long long number = PyLong_AsUnsignedLongLong(seed);
    if (PyErr_Occurred())
        return NULL;
    rg_set_process_seed(number);
    Py_RETURN_NONE;
}

static PyObject *core_gpu_count(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(rg_gpu_count());
}

static PyObject *core_gpu_check(PyObject *module, PyObject *number)
{
    const rg_device *device;
    long gpu = PyLong_AsLong(number);
    (void)module;
    if (gpu == -1 && PyErr_Occurred())
        return NULL;
    CORE_TRY(rg_gpu_open(gpu < 0 || gpu > INT_MAX ? -1 : (int)gpu, &device));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"op_schema", core_op_schema, METH_O, "op_schema(type) -> dict"},
    {"op_refusal", core_op_refusal, METH_O, "op_refusal(type): why it is not here, or None."},
    {"op_types", core_op_types, METH_NOARGS, "The types of all ops."},
    {"set_flag", core_set_flag, METH_VARARGS, "set_flag(name, text)"},
    {"get_flag", core_get_flag, METH_O, "get_flag(name) -> (type, text, moot)"},
    {"profile_start", core_profile_start, METH_NOARGS, "Begin to time ops."},
    {"profile_stop", core_profile_stop, METH_NOARGS, "Stop timing ops."},
    {"profile_reset", core_profile_reset, METH_NOARGS, "Forget the times so far."},
    {"profile_merge", core_profile_merge, METH_O, "profile_merge(folder) -> names of processes"},
    {"profile_steps", core_profile_steps, METH_NOARGS, "profile_steps() -> text"},
    {"profile_table", core_profile_table, METH_VARARGS, "profile_table(sorted_by)"},
    {"profile_trace", core_profile_trace, METH_O, "profile_trace(path): Chrome's format."},
    {"gpu_count", core_gpu_count, METH_NOARGS, "GPUs that can be used."},
    {"gpu_check", core_gpu_check, METH_O, "gpu_check(number): an error where it is not to be had."},
    {"set_classes", core_set_classes, METH_VARARGS, "set_classes(Variable, Operator)"},
    {"train", core_train, METH_VARARGS, "train(program, scope, dataset, ...): all its batches"},
    {"seed_process", core_seed_process, METH_O, "seed_process(number)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "paddle._core", .m_doc = "The C core of Regatta.",
    .m_size = -1,          .m_methods = functions,
};

/* Python 3.8 does not say itself that it must be seen from outside. */
__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit__core(void);

/* Pipe commands find what is installed beside this Python. */
static rg_status find_programs(void)
{
    PyObject *python = PySys_GetObject("executable"); /* borrowed */
    PyObject *path = python && PyUnicode_Check(python) ? PyUnicode_EncodeFSDefault(python) : NULL;
    const char *text = path ? PyBytes_AsString(path) : NULL;
    rg_status code = text && text[0] != '\0' ? rg_command_beside(text) : RG_OK;
    Py_XDECREF(path);
    PyErr_Clear();
    return code;
}

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    rg_status code = rg_flags_from_environment();
    code = code == RG_OK ? find_programs() : code;
    if (rg_profile_by_flag()) /* Ctrl+C ends Python by a signal, after this and without exit() */
        (void)Py_AtExit(rg_profile_end);
    if (core_add_errors(module) < 0 || (code != RG_OK && core_raise(code) == NULL) ||
        core_add_program(module) < 0 || core_add_op(module) < 0 || core_add_tensor(module) < 0 ||
        core_add_scope(module) < 0 || core_add_executor(module) < 0 || core_add_files(module) < 0 ||
        core_add_parallel(module) < 0 || core_add_dataset(module) < 0 ||
        core_add_slots(module) < 0 || core_add_py_func(module) < 0 ||
        core_add_transpile(module) < 0 || core_add_launch(module) < 0 || core_add_job(module) < 0 ||
        core_add_group(module) < 0 ||
        PyModule_AddStringConstant(module, "version", RG_VERSION) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
