/* core.h - the Python extension paddle._core: the library's objects as Python types.
 *
 * It holds no arithmetic and no rules of its own: it turns Python arguments into calls of
 * the library, and failures into exceptions. Written for the limited API of Python 3.8,
 * so that one binary serves 3.8 to 3.13; arrays are reached through numpy's
 * __array_struct__, not through numpy's headers. */
#ifndef RG_PYTHON_CORE_H
#define RG_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/status.h"
#include "data/dataset.h"
#include "exec/executor.h"
#include "exec/scope.h"
#include "ir/program.h"
#include "tensor/value.h"

/* In the stable ABI since 3.10, exported by every CPython 3 before that. */
PyAPI_FUNC(const char *) PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size);

static inline const char *core_text(PyObject *text)
{
    return PyUnicode_AsUTF8AndSize(text, NULL);
}

/* ---- errors (errors.c) ---- */

/* Raise the exception that fits `code`, with the library's message; returns NULL. */
PyObject *core_raise(rg_status code);
#define CORE_TRY(call)                                                                             \
    do {                                                                                           \
        rg_status core_code_ = (call);                                                             \
        if (core_code_ != RG_OK)                                                                   \
            return core_raise(core_code_);                                                         \
    } while (0)
/* None, or the exception of a call that let others run: one that Python has raised meanwhile
 * (Ctrl+C) comes first. */
PyObject *core_finish(rg_status code);
int core_add_errors(PyObject *module);

/* ---- programs (program.c, op.c) ---- */

typedef struct core_program {
    PyObject_HEAD
    rg_program *program;
} core_program;

typedef struct core_var {
    PyObject_HEAD
    PyObject *owner; /* the core_program whose arena it lives in */
    rg_vardesc *var;
} core_var;

typedef struct core_op {
    PyObject_HEAD
    PyObject *owner;
    rg_opdesc *op;
} core_op;

extern PyTypeObject *core_program_type, *core_var_type, *core_op_type;
/* The Python classes that results are made as: subclasses of the types above. */
extern PyTypeObject *core_var_class, *core_op_class;
int core_add_program(PyObject *module);
int core_add_op(PyObject *module);
/* A Program of that class that owns `program`, which is closed on failure. */
PyObject *core_wrap_program(PyObject *type, rg_program *program);
PyObject *core_wrap_var(PyTypeObject *type, PyObject *owner, rg_vardesc *var);
PyObject *core_wrap_op(PyObject *owner, rg_opdesc *op);
/* The name of a Variable, or a str, borrowed from the object. NULL and an exception where it is
 * neither. */
const char *core_name(PyObject *value);
/* The names of a Variable, a str, or a list of them; a block of the caller's (PyMem_Free) with the
 * texts in it: what they were made of may go, a generator's strings at once. -1 and an exception
 * where it is neither. */
int core_names(PyObject *value, const char ***names, int *n);
/* An attribute's value as Python object. */
PyObject *core_attr_value(const rg_attr *attr);
/* program.append_op, .insert_op */
PyObject *core_append_op(PyObject *self, PyObject *args);

/* ---- tensors and scopes (tensor.c, scope.c) ---- */

typedef struct core_tensor {
    PyObject_HEAD
    rg_value *value;
    rg_scope *scope; /* told when the tensor changes shape; NULL: of no scope */
} core_tensor;

typedef struct core_scope {
    PyObject_HEAD
    rg_scope *scope;
} core_scope;

extern PyTypeObject *core_tensor_type, *core_scope_type, *core_rows_type, *core_array_type;
int core_add_tensor(PyObject *module);
int core_add_scope(PyObject *module);
/* The device of a place: a GPU's has its number as _gpu; None, or NULL: the CPU. -1 and an
 * exception where it is not to be had. */
int core_device(PyObject *place, const rg_device **device);
PyObject *core_wrap_tensor(PyTypeObject *type, rg_value *value, rg_scope *scope);

/* Tell the scope of a tensor, if it has one, that it has another shape or memory. */
void core_tensor_changed(core_tensor *self);
/* What Fluid's tensors can besides (elements.c). */
PyObject *core_tensor_text(PyObject *self);
PyObject *core_tensor_set_dims(PyObject *self, PyObject *dims);
PyObject *core_tensor_alloc_float(PyObject *self, PyObject *place);
PyObject *core_tensor_alloc_double(PyObject *self, PyObject *place);
PyObject *core_tensor_alloc_int(PyObject *self, PyObject *place);
PyObject *core_tensor_to_dlpack(PyObject *self, PyObject *unused);
PyObject *core_tensor_place(PyObject *self, PyObject *unused);
PyObject *core_tensor_get_float(PyObject *self, PyObject *index);
PyObject *core_tensor_get_double(PyObject *self, PyObject *index);
PyObject *core_tensor_set_float(PyObject *self, PyObject *args);
PyObject *core_tensor_set_double(PyObject *self, PyObject *args);

/* The numpy array of a tensor's value, a copy. NULL and an exception on failure. */
PyObject *core_to_numpy(const rg_value *value);
/* An array as seen through __array_struct__: C-contiguous memory of a known dtype.
 * `holder` is to be released when the memory is no longer read. */
typedef struct core_array {
    PyObject *holder;
    const void *data;
    rg_dtype dtype;
    rg_shape shape;
} core_array;
/* From an array, or anything numpy can make one of. -1 and an exception on failure. */
int core_from_numpy(PyObject *object, core_array *array);

/* ---- running (executor.c) and files (files.c) ---- */

typedef struct core_executor {
    PyObject_HEAD
    rg_executor *executor;
    PyObject *job; /* the core_job that its runs take part in */
} core_executor;

extern PyTypeObject *core_executor_type;
int core_add_executor(PyObject *module);
int core_add_files(PyObject *module);
int core_add_parallel(PyObject *module);
int core_add_py_func(PyObject *module);
int core_add_transpile(PyObject *module);
int core_add_launch(PyObject *module);
/* A fed object as a tensor in `value`, checked against its description (executor.c). */
int core_feed(PyObject *object, const rg_vardesc *desc, rg_value *value);
/* A copy of a value as numpy array, LoDTensor, SelectedRows or LoDTensorArray. */
PyObject *core_fetch(const rg_value *value, bool numpy);

/* ---- datasets (dataset.c) and the text of slots (slots.c) ---- */

typedef struct core_dataset {
    PyObject_HEAD
    rg_dataset *dataset;
} core_dataset;

extern PyTypeObject *core_dataset_type;
int core_add_dataset(PyObject *module);
int core_add_slots(PyObject *module);

/* ---- jobs (job.c) ---- */

typedef struct core_job {
    PyObject_HEAD
    struct rg_job *job;
} core_job;

extern PyTypeObject *core_job_type;
extern PyObject *core_own_job; /* the process's */
int core_add_job(PyObject *module);
int core_add_group(PyObject *module);

/* ---- training (train.c) ---- */

PyObject *core_train(PyObject *module, PyObject *args);

/* ---- small things every file needs (errors.c) ---- */

PyTypeObject *core_make_type(PyObject *module, PyType_Spec *spec);
/* A new instance without calling __init__; zeroed. */
void *core_new(PyTypeObject *type);
void core_free(PyObject *self);
/* tp_traverse of a core_var or core_op: a Program and what its class keeps of it are a circle,
 * which Python's collector sees through this alone. */
int core_traverse_owned(PyObject *self, visitproc visit, void *arg);
/* (1, 2, 3) of a shape, and back. */
PyObject *core_shape_tuple(const rg_shape *shape);
int core_parse_shape(PyObject *sequence, rg_shape *shape);
PyObject *core_text_list(const char *const *texts, int n);

#endif
