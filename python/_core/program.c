/* program.c - Program and Var: programs and their variables. */
#include "_core/core.h"

#include "ir/backward.h"
#include "sys/flags.h"

#include <string.h>

PyTypeObject *core_program_type, *core_var_type;
PyTypeObject *core_var_class;

static rg_program *program_of(PyObject *self)
{
    return ((core_program *)self)->program;
}

/* ---- variables ---- */

PyObject *core_wrap_var(PyTypeObject *type, PyObject *owner, rg_vardesc *var)
{
    core_var *self = core_new(type);
    if (self != NULL) {
        Py_INCREF(owner);
        self->owner = owner;
        self->var = var;
    }
    return (PyObject *)self;
}

static void var_dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    Py_XDECREF(((core_var *)object)->owner);
    core_free(object);
}

static PyObject *var_get_name(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(((core_var *)self)->var->name);
}

static PyObject *var_get_shape(PyObject *self, void *closure)
{
    (void)closure;
    return core_shape_tuple(&((core_var *)self)->var->meta.shape);
}

static int cannot_delete(void)
{
    PyErr_SetString(PyExc_TypeError, "it cannot be deleted");
    return -1;
}

static void touched(core_var *self)
{
    program_of(self->owner)->version++;
}

static int var_set_shape(PyObject *object, PyObject *value, void *closure)
{
    core_var *self = (core_var *)object;
    rg_shape shape;
    (void)closure;
    if (value == NULL)
        return cannot_delete();
    if (core_parse_shape(value, &shape) < 0)
        return -1;
    self->var->meta.shape = shape;
    self->var->has_tensor = true;
    touched(self);
    return 0;
}

static PyObject *var_get_number(PyObject *self, void *field)
{
    const rg_vardesc *var = ((core_var *)self)->var;
    const char *name = field;
    if (name[0] == 'd')
        return PyLong_FromLong((long)var->meta.dtype);
    if (name[0] == 'k')
        return PyLong_FromLong((long)var->meta.kind);
    if (name[0] == 'b')
        return PyLong_FromLong(var->block->idx);
    return PyLong_FromLong(var->meta.lod_level);
}

static int var_set_number(PyObject *object, PyObject *value, void *field)
{
    core_var *self = (core_var *)object;
    const char *name = field;
    if (value == NULL)
        return cannot_delete();
    long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred())
        return -1;
    bool dtype = name[0] == 'd', kind = name[0] == 'k';
    if ((dtype && !rg_dtype_valid((int)number)) || (kind && !rg_kind_valid((int)number)) ||
        (!dtype && !kind && (number < 0 || number > RG_MAX_LOD))) {
        PyErr_Format(PyExc_ValueError, "%ld is no %s of a variable", number, name);
        return -1;
    }
    if (dtype)
        self->var->meta.dtype = (rg_dtype)number;
    else if (kind)
        self->var->meta.kind = (rg_kind)number;
    else
        self->var->meta.lod_level = (int)number;
    touched(self);
    return 0;
}

/* The bools of a variable, by the offset that the getter is given. */
static PyObject *var_get_bool(PyObject *self, void *offset)
{
    const char *base = (const char *)((core_var *)self)->var;
    return PyBool_FromLong(*(const bool *)(base + (size_t)offset));
}

static int var_set_bool(PyObject *object, PyObject *value, void *offset)
{
    core_var *self = (core_var *)object;
    if (value == NULL)
        return cannot_delete();
    int truth = PyObject_IsTrue(value);
    if (truth < 0)
        return -1;
    bool *field = (bool *)((char *)self->var + (size_t)offset);
    if (*field != (truth != 0)) {
        *field = truth != 0;
        touched(self);
    }
    return 0;
}

static PyObject *var_get_owner(PyObject *self, void *closure)
{
    PyObject *owner = ((core_var *)self)->owner;
    (void)closure;
    Py_INCREF(owner);
    return owner;
}

/* The op that its block shows, so that it is right after a clone and a pruning, too. */
static PyObject *var_get_op(PyObject *object, void *closure)
{
    core_var *self = (core_var *)object;
    (void)closure;
    rg_opdesc *op = rg_block_last_writer(self->var->block, self->var->name);
    if (op == NULL)
        Py_RETURN_NONE;
    return core_wrap_op(self->owner, op);
}

/* Initializers of scripts set it to the op that they have just appended: nothing to do. */
static int var_set_op(PyObject *object, PyObject *value, void *closure)
{
    (void)object, (void)closure;
    return value == NULL ? cannot_delete() : 0;
}

#define BOOL_FIELD(NAME, FIELD)                                                     \
    {                                                                               \
        NAME, var_get_bool, var_set_bool, NULL, (void *)offsetof(rg_vardesc, FIELD) \
    }

static PyGetSetDef var_fields[] = {
    {"name", var_get_name, NULL, "Its name.", NULL},
    {"_shape", var_get_shape, var_set_shape, "Its shape; -1 where the batch decides.", NULL},
    {"_dtype", var_get_number, var_set_number, "The number of its data type.", (void *)"dtype"},
    {"_kind", var_get_number, var_set_number, "The number of its kind.", (void *)"kind"},
    {"lod_level", var_get_number, var_set_number, "How deep its sequences nest.",
     (void *)"lod_level"},
    {"_block_idx", var_get_number, NULL, "The block it belongs to.", (void *)"block"},
    {"_program", var_get_owner, NULL, "The program it belongs to.", NULL},
    {"op", var_get_op, var_set_op, "The op of its block that writes it last, or None.", NULL},
    BOOL_FIELD("persistable", persistable),
    BOOL_FIELD("stop_gradient", stop_gradient),
    BOOL_FIELD("need_check_feed", need_check_feed),
    BOOL_FIELD("is_data", is_data),
    BOOL_FIELD("_is_parameter", is_parameter),
    BOOL_FIELD("_trainable", trainable),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *var_text(PyObject *self, PyObject *unused)
{
    (void)unused;
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_vardesc_text(((core_var *)self)->var, &text, 0);
    PyObject *out = PyUnicode_FromString(rg_buf_cstr(&text));
    rg_buf_fini(&text);
    return out;
}

static PyMethodDef var_methods[] = {
    {"_text", var_text, METH_NOARGS, "As a printed program shows it."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot var_slots[] = {
    {Py_tp_doc, "A variable of a program."},
    {Py_tp_dealloc, var_dealloc},
    {Py_tp_traverse, core_traverse_owned},
    {Py_tp_getset, var_fields},
    {Py_tp_methods, var_methods},
    {0, NULL},
};

static PyType_Spec var_spec = {
    .name = "paddle._core.Var",
    .basicsize = sizeof(core_var),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = var_slots,
};

/* ---- programs ---- */

static PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    core_program *self = core_new(type);
    if (self == NULL)
        return NULL;
    rg_status code = rg_program_open(&self->program);
    if (code != RG_OK) {
        Py_DECREF(self);
        return core_raise(code);
    }
    return (PyObject *)self;
}

static void program_dealloc(PyObject *object)
{
    rg_program_close(program_of(object));
    core_free(object);
}

static rg_block *block_at(PyObject *self, int idx)
{
    rg_block *block = rg_program_block(program_of(self), idx);
    if (block == NULL)
        PyErr_Format(PyExc_IndexError, "the program has no block %d", idx);
    return block;
}

static PyObject *program_add_block(PyObject *self, PyObject *args)
{
    int parent, forward = -1;
    rg_block *block;
    if (!PyArg_ParseTuple(args, "i|i:_add_block", &parent, &forward))
        return NULL;
    CORE_TRY(rg_program_add_block(program_of(self), parent, &block));
    block->forward_idx = forward;
    return PyLong_FromLong(block->idx);
}

static PyObject *program_block_info(PyObject *self, PyObject *args)
{
    int idx;
    if (!PyArg_ParseTuple(args, "i:_block_info", &idx))
        return NULL;
    const rg_block *block = block_at(self, idx);
    return block ? Py_BuildValue("(iin)", block->parent_idx, block->forward_idx,
                                 (Py_ssize_t)block->n_ops)
                 : NULL;
}

/* _add_var(block, name, class): the variable, made if missing, as that class. */
static PyObject *program_add_var(PyObject *self, PyObject *args)
{
    int idx;
    const char *name;
    PyObject *type;
    if (!PyArg_ParseTuple(args, "isO:_add_var", &idx, &name, &type))
        return NULL;
    rg_block *block = block_at(self, idx);
    rg_vardesc *var;
    if (block == NULL)
        return NULL;
    CORE_TRY(rg_block_add_var(block, name, &var));
    return core_wrap_var((PyTypeObject *)type, self, var);
}

static PyObject *program_has_var(PyObject *self, PyObject *args)
{
    int idx;
    const char *name;
    if (!PyArg_ParseTuple(args, "is:_has_var", &idx, &name))
        return NULL;
    const rg_block *block = block_at(self, idx);
    return block ? PyBool_FromLong(rg_block_var(block, name) != NULL) : NULL;
}

static PyObject *program_remove_var(PyObject *self, PyObject *args)
{
    int idx;
    const char *name;
    if (!PyArg_ParseTuple(args, "is:_remove_var", &idx, &name))
        return NULL;
    rg_block *block = block_at(self, idx);
    if (block == NULL)
        return NULL;
    rg_block_remove_var(block, name);
    Py_RETURN_NONE;
}

static PyObject *program_rename_var(PyObject *self, PyObject *args)
{
    int idx;
    const char *from, *to;
    if (!PyArg_ParseTuple(args, "iss:_rename_var", &idx, &from, &to))
        return NULL;
    rg_block *block = block_at(self, idx);
    if (block == NULL)
        return NULL;
    CORE_TRY(rg_block_rename_var(block, from, to));
    Py_RETURN_NONE;
}

static PyObject *program_var_names(PyObject *self, PyObject *args)
{
    int idx;
    if (!PyArg_ParseTuple(args, "i:_var_names", &idx))
        return NULL;
    const rg_block *block = block_at(self, idx);
    PyObject *list = block ? PyList_New(0) : NULL;
    for (size_t i = 0; list != NULL && i < block->vars.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&block->vars, i);
        PyObject *name = e ? PyUnicode_FromString(e->key) : NULL;
        if (e != NULL && (name == NULL || PyList_Append(list, name) < 0))
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *program_ops(PyObject *self, PyObject *args)
{
    int idx;
    if (!PyArg_ParseTuple(args, "i:_ops", &idx))
        return NULL;
    const rg_block *block = block_at(self, idx);
    PyObject *list = block ? PyList_New((Py_ssize_t)block->n_ops) : NULL;
    for (size_t i = 0; list != NULL && i < block->n_ops; i++) {
        PyObject *op = core_wrap_op(self, block->ops[i]);
        if (op == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, (Py_ssize_t)i, op);
    }
    return list;
}

static PyObject *program_remove_ops(PyObject *self, PyObject *args)
{
    int idx;
    Py_ssize_t from, to;
    if (!PyArg_ParseTuple(args, "inn:_remove_ops", &idx, &from, &to))
        return NULL;
    rg_block *block = block_at(self, idx);
    if (block == NULL)
        return NULL;
    if (from < 0 || to < from || (size_t)to > block->n_ops) {
        PyErr_Format(PyExc_IndexError, "ops %zd to %zd of a block that has %zd", from, to,
                     (Py_ssize_t)block->n_ops);
        return NULL;
    }
    rg_block_remove_ops(block, (size_t)from, (size_t)to);
    Py_RETURN_NONE;
}

/* A program that `type`, a subclass of Program, wraps; takes over `program`. */
PyObject *core_wrap_program(PyObject *type, rg_program *program)
{
    core_program *self = core_new((PyTypeObject *)type);
    if (self == NULL)
        rg_program_close(program);
    else
        self->program = program;
    return (PyObject *)self;
}

static PyObject *program_clone(PyObject *self, PyObject *args)
{
    PyObject *type;
    int for_test;
    rg_program *copy;
    if (!PyArg_ParseTuple(args, "Op:_clone", &type, &for_test))
        return NULL;
    CORE_TRY(rg_program_clone(&copy, program_of(self), for_test != 0));
    return core_wrap_program(type, copy);
}

static PyObject *program_parse(PyObject *type, PyObject *bytes)
{
    char *data;
    Py_ssize_t n;
    rg_program *program;
    if (PyBytes_AsStringAndSize(bytes, &data, &n) < 0)
        return NULL;
    CORE_TRY(rg_program_unpack(&program, (const uint8_t *)data, (size_t)n));
    return core_wrap_program(type, program);
}

static PyObject *program_serialize(PyObject *self, PyObject *unused)
{
    (void)unused;
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    rg_status code = rg_program_pack(program_of(self), &bytes);
    PyObject *out = code == RG_OK
                        ? PyBytes_FromStringAndSize((const char *)bytes.data, (Py_ssize_t)bytes.len)
                        : core_raise(code);
    rg_buf_fini(&bytes);
    return out;
}

static PyObject *program_text(PyObject *self, PyObject *args)
{
    int idx = -1;
    if (!PyArg_ParseTuple(args, "|i:_text", &idx))
        return NULL;
    rg_buf text;
    rg_buf_init(&text, 0);
    if (idx < 0) {
        rg_program_text(program_of(self), &text);
    } else {
        const rg_block *block = block_at(self, idx);
        if (block == NULL)
            return NULL;
        rg_block_text(block, &text, 0);
    }
    rg_status code = rg_buf_status(&text);
    PyObject *out = code == RG_OK ? PyUnicode_FromString(rg_buf_cstr(&text)) : core_raise(code);
    rg_buf_fini(&text);
    return out;
}

/* Two lists of names for one call; freed together. */
typedef struct name_lists {
    const char **a, **b;
    int n_a, n_b;
} name_lists;

static void free_lists(name_lists *l)
{
    PyMem_Free(l->a);
    PyMem_Free(l->b);
}

static int parse_lists(PyObject *a, PyObject *b, name_lists *l)
{
    *l = (name_lists){0};
    if (core_names(a, &l->a, &l->n_a) == 0 && core_names(b, &l->b, &l->n_b) == 0)
        return 0;
    free_lists(l);
    return -1;
}

static PyObject *program_prune(PyObject *self, PyObject *args)
{
    PyObject *feeds, *targets;
    name_lists l;
    if (!PyArg_ParseTuple(args, "OO:_prune", &feeds, &targets) ||
        parse_lists(feeds, targets, &l) < 0)
        return NULL;
    rg_status code = rg_program_prune(program_of(self), l.a, l.n_a, l.b, l.n_b);
    free_lists(&l);
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *program_check_outside(PyObject *self, PyObject *allowed)
{
    const char **types;
    int n;
    if (core_names(allowed, &types, &n) < 0)
        return NULL;
    rg_status code = rg_flag_bool("inference_outside")
                         ? RG_OK
                         : rg_program_check_outside(program_of(self), types, n);
    PyMem_Free(types);
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *program_set_test(PyObject *self, PyObject *unused)
{
    (void)unused;
    CORE_TRY(rg_program_set_test(program_of(self)));
    Py_RETURN_NONE;
}

/* What ops appended from now on get: _set_role(role, vars), _set_where(text), ... */
static PyObject *program_set_role(PyObject *self, PyObject *args)
{
    rg_program *program = program_of(self);
    int role, n;
    PyObject *vars;
    const char **names;
    if (!PyArg_ParseTuple(args, "iO:_set_role", &role, &vars) || core_names(vars, &names, &n) < 0)
        return NULL;
    const char **kept = rg_arena_alloc(&program->arena, (size_t)(n + 1) * sizeof *kept);
    for (int i = 0; kept != NULL && i < n; i++)
        kept[i] = rg_program_name(program, names[i]);
    PyMem_Free(names);
    if (kept == NULL)
        return PyErr_NoMemory();
    program->op_role = role;
    program->role_vars = kept;
    program->n_role_vars = n;
    Py_RETURN_NONE;
}

static PyObject *program_set_namescope(PyObject *self, PyObject *args)
{
    rg_program *program = program_of(self);
    const char *scope, *device;
    if (!PyArg_ParseTuple(args, "ss:_set_namescope", &scope, &device))
        return NULL;
    const char *a = rg_program_name(program, scope), *b = rg_program_name(program, device);
    if (a == NULL || b == NULL)
        return PyErr_NoMemory();
    program->namescope = a;
    program->device = b;
    Py_RETURN_NONE;
}

/* ---- gradients ---- */

typedef struct after_op {
    PyObject *owner, *callback; /* NULL: none */
} after_op;

static rg_status call_after_op(void *arg, rg_opdesc *op)
{
    after_op *after = arg;
    PyObject *wrapped = core_wrap_op(after->owner, op);
    PyObject *result = wrapped ? PyObject_CallFunctionObjArgs(after->callback, wrapped, NULL)
                               : NULL;
    Py_XDECREF(wrapped);
    if (result == NULL)
        return rg_fail(RG_EINVAL, "a backward callback raised");
    Py_DECREF(result);
    return RG_OK;
}

static PyObject *pair_list(const rg_grad_pair *pairs, int n)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < n; i++) {
        PyObject *pair = Py_BuildValue("(sz)", pairs[i].var, pairs[i].grad);
        if (pair == NULL || PyList_Append(list, pair) < 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

/* _append_backward(block, loss, parameters, no_grad, callback, checkpoints, times)
 * -> [(name, grad or None)] */
static PyObject *program_append_backward(PyObject *self, PyObject *args)
{
    int idx, times;
    const char *loss;
    PyObject *parameters, *no_grad, *callback, *checkpoints;
    name_lists l, points;
    if (!PyArg_ParseTuple(args, "isOOOOi:_append_backward", &idx, &loss, &parameters, &no_grad,
                          &callback, &checkpoints, &times))
        return NULL;
    rg_block *block = block_at(self, idx);
    if (block == NULL || parse_lists(parameters, no_grad, &l) < 0)
        return NULL;
    if (parse_lists(checkpoints, checkpoints, &points) < 0) {
        free_lists(&l);
        return NULL;
    }
    after_op after = {self, callback};
    rg_backward_options options = {
        .no_grad = l.b,
        .n_no_grad = l.n_b,
        .checkpoints = points.a,
        .n_checkpoints = points.n_a,
        .times = times,
        .after_op = callback == Py_None ? NULL : call_after_op,
        .arg = &after,
    };
    rg_grad_pair *pairs = PyMem_Malloc(((size_t)l.n_a + 1) * sizeof *pairs);
    rg_status code = pairs ? rg_append_backward(block, loss, l.a, l.n_a, pairs, &options)
                           : rg_fail(RG_ENOMEM, "no memory for gradients");
    PyObject *list = code == RG_OK ? pair_list(pairs, l.n_a) : core_raise(code);
    PyMem_Free(pairs);
    free_lists(&points);
    free_lists(&l);
    return list;
}

/* _gradients(block, targets, target_grads, inputs, no_grad, times) -> [grad or None] */
static PyObject *program_gradients(PyObject *self, PyObject *args)
{
    int idx, times;
    PyObject *targets, *target_grads, *inputs, *no_grad;
    name_lists l, m;
    if (!PyArg_ParseTuple(args, "iOOOOi:_gradients", &idx, &targets, &target_grads, &inputs,
                          &no_grad, &times))
        return NULL;
    rg_block *block = block_at(self, idx);
    if (block == NULL || parse_lists(targets, inputs, &l) < 0)
        return NULL;
    /* An empty name in target_grads stands for ones. */
    if (parse_lists(target_grads, no_grad, &m) < 0) {
        free_lists(&l);
        return NULL;
    }
    for (int i = 0; i < m.n_a; i++)
        if (m.a[i][0] == '\0')
            m.a[i] = NULL;
    const char **grads = PyMem_Malloc(((size_t)l.n_b + 1) * sizeof *grads);
    rg_backward_options options = {.no_grad = m.b, .n_no_grad = m.n_b, .times = times};
    rg_status code = grads ? rg_gradients(block, l.a, m.n_a ? m.a : NULL, l.n_a, l.b, l.n_b, grads,
                                          &options)
                           : rg_fail(RG_ENOMEM, "no memory for gradients");
    PyObject *list = NULL;
    if (code != RG_OK)
        (void)core_raise(code);
    else
        list = PyList_New(l.n_b);
    for (int i = 0; list != NULL && i < l.n_b; i++) {
        PyObject *name = Py_BuildValue("z", grads[i]);
        if (name == NULL)
            Py_CLEAR(list);
        else
            (void)PyList_SetItem(list, i, name);
    }
    PyMem_Free(grads);
    free_lists(&l);
    free_lists(&m);
    return list;
}

static PyMethodDef program_methods[] = {
    {"_add_block", program_add_block, METH_VARARGS, "_add_block(parent, forward=-1) -> index"},
    {"_block_info", program_block_info, METH_VARARGS, "_block_info(i) -> (parent, forward, ops)"},
    {"_add_var", program_add_var, METH_VARARGS, "_add_var(block, name, class)"},
    {"_has_var", program_has_var, METH_VARARGS, "_has_var(block, name)"},
    {"_remove_var", program_remove_var, METH_VARARGS, "_remove_var(block, name)"},
    {"_rename_var", program_rename_var, METH_VARARGS, "_rename_var(block, from, to)"},
    {"_var_names", program_var_names, METH_VARARGS, "_var_names(block)"},
    {"_ops", program_ops, METH_VARARGS, "_ops(block)"},
    {"_remove_ops", program_remove_ops, METH_VARARGS, "_remove_ops(block, from, to)"},
    {"_append_op", core_append_op, METH_VARARGS,
     "_append_op(block, index or -1, type, inputs, outputs, attrs, where, infer)"},
    {"_clone", program_clone, METH_VARARGS, "_clone(class, for_test)"},
    {"_parse", program_parse, METH_O | METH_CLASS, "_parse(bytes): a program from its bytes."},
    {"_serialize", program_serialize, METH_NOARGS, "ProgramDesc bytes."},
    {"_text", program_text, METH_VARARGS, "_text([block]): as a printed program shows it."},
    {"_prune_to", program_prune, METH_VARARGS, "_prune_to(feeds, targets)"},
    {"_check_outside", program_check_outside, METH_O,
     "Raises where an op reaches outside, unless its type is among these or a flag allows all."},
    {"_set_test", program_set_test, METH_NOARGS, "is_test = True on every op that has it."},
    {"_set_role", program_set_role, METH_VARARGS, "_set_role(role, vars)"},
    {"_set_namescope", program_set_namescope, METH_VARARGS, "_set_namescope(scope, device)"},
    {"_append_backward_in", program_append_backward, METH_VARARGS,
     "_append_backward_in(block, loss, parameters, no_grad, callback, checkpoints, times)"},
    {"_gradients_in", program_gradients, METH_VARARGS,
     "_gradients_in(block, targets, target_grads, inputs, no_grad, times)"},
    {NULL, NULL, 0, NULL},
};

static PyObject *program_get_version(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(program_of(self)->version);
}

static PyObject *program_get_blocks(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(program_of(self)->n_blocks);
}

static PyObject *program_get_seed(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(program_of(self)->random_seed);
}

static int program_set_seed(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    if (value == NULL)
        return cannot_delete();
    if (!PyLong_Check(value)) {
        PyErr_SetString(PyExc_ValueError, "Program.random_seed must be an integer.");
        return -1;
    }
    long seed = PyLong_AsLong(value);
    if (seed == -1 && PyErr_Occurred())
        return -1;
    program_of(self)->random_seed = (int32_t)seed;
    program_of(self)->version++;
    return 0;
}

static PyGetSetDef program_fields[] = {
    {"_version", program_get_version, NULL, "Grows with every change.", NULL},
    {"num_blocks", program_get_blocks, NULL, "How many blocks it has.", NULL},
    {"random_seed", program_get_seed, program_set_seed,
     "Seed of random ops that have none of their own; 0: another one in each process.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot program_slots[] = {
    {Py_tp_doc, "A program: blocks of ops over variables."},
    {Py_tp_new, program_new},
    {Py_tp_dealloc, program_dealloc},
    {Py_tp_getset, program_fields},
    {Py_tp_methods, program_methods},
    {0, NULL},
};

static PyType_Spec program_spec = {
    .name = "paddle._core.Program",
    .basicsize = sizeof(core_program),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = program_slots,
};

int core_add_program(PyObject *module)
{
    core_program_type = core_make_type(module, &program_spec);
    core_var_type = core_make_type(module, &var_spec);
    return core_program_type && core_var_type ? 0 : -1;
}
