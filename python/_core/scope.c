/* scope.c - Scope, and the variables in it. */
#include "_core/core.h"

PyTypeObject *core_scope_type;
static PyTypeObject *scope_var_type;

typedef struct scope_var {
    PyObject_HEAD
    rg_value *value;
    rg_scope *scope;
    PyObject *name;
} scope_var;

/* ---- a variable of a scope ---- */

static PyObject *wrap_scope_var(rg_value *value, rg_scope *scope, PyObject *name)
{
    scope_var *self = core_new(scope_var_type);
    if (self != NULL) {
        self->value = rg_value_retain(value);
        self->scope = rg_scope_retain(scope);
        Py_INCREF(name);
        self->name = name;
    }
    return (PyObject *)self;
}

static void scope_var_dealloc(PyObject *object)
{
    scope_var *self = (scope_var *)object;
    rg_value_release(self->value);
    rg_scope_release(self->scope);
    Py_XDECREF(self->name);
    core_free(object);
}

static PyObject *var_get_tensor(PyObject *object, PyObject *unused)
{
    scope_var *self = (scope_var *)object;
    (void)unused;
    return core_wrap_tensor(core_tensor_type, self->value, self->scope);
}

static PyObject *var_get_rows(PyObject *object, PyObject *unused)
{
    scope_var *self = (scope_var *)object;
    (void)unused;
    if (self->value->data == NULL)
        self->value->meta.kind = RG_ROWS;
    return core_wrap_tensor(core_rows_type, self->value, self->scope);
}

static PyObject *var_get_array(PyObject *object, PyObject *unused)
{
    scope_var *self = (scope_var *)object;
    (void)unused;
    if (self->value->data == NULL)
        self->value->meta.kind = RG_ARRAY;
    return core_wrap_tensor(core_array_type, self->value, self->scope);
}

static PyObject *var_name(PyObject *object, PyObject *unused)
{
    (void)unused;
    PyObject *name = ((scope_var *)object)->name;
    Py_INCREF(name);
    return name;
}

static PyObject *var_kind(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLong((long)((scope_var *)object)->value->meta.kind);
}

static PyMethodDef scope_var_methods[] = {
    {"get_tensor", var_get_tensor, METH_NOARGS, "Its LoDTensor: a view, not a copy."},
    {"get_selected_rows", var_get_rows, METH_NOARGS, "Its SelectedRows."},
    {"get_lod_tensor_array", var_get_array, METH_NOARGS, "Its LoDTensorArray."},
    {"name", var_name, METH_NOARGS, "Its name."},
    {"_kind", var_kind, METH_NOARGS, "The number of the kind of variable that it is."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot scope_var_slots[] = {
    {Py_tp_doc, "A variable of a scope."},
    {Py_tp_dealloc, scope_var_dealloc},
    {Py_tp_methods, scope_var_methods},
    {0, NULL},
};

static PyType_Spec scope_var_spec = {
    .name = "paddle._core.ScopeVariable",
    .basicsize = sizeof(scope_var),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = scope_var_slots,
};

/* ---- scopes ---- */

static PyObject *make_scope(PyTypeObject *type, rg_scope *parent)
{
    core_scope *self = core_new(type);
    if (self == NULL)
        return NULL;
    rg_status code = rg_scope_new(&self->scope, parent);
    if (code != RG_OK) {
        Py_DECREF(self);
        return core_raise(code);
    }
    return (PyObject *)self;
}

static PyObject *scope_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    return make_scope(type, NULL);
}

static void scope_dealloc(PyObject *object)
{
    rg_scope_release(((core_scope *)object)->scope);
    core_free(object);
}

static PyObject *make_var(PyObject *object, PyObject *name,
                          rg_status (*make)(rg_scope *scope, const char *name, rg_value **value))
{
    core_scope *self = (core_scope *)object;
    const char *text = core_text(name);
    rg_value *value;
    if (text == NULL)
        return NULL;
    CORE_TRY(make(self->scope, text, &value));
    return wrap_scope_var(value, self->scope, name);
}

static PyObject *scope_own_var(PyObject *object, PyObject *name)
{
    return make_var(object, name, rg_scope_own);
}

static PyObject *scope_find_or_make_var(PyObject *object, PyObject *name)
{
    return make_var(object, name, rg_scope_var);
}

static PyObject *scope_find_var(PyObject *object, PyObject *name)
{
    core_scope *self = (core_scope *)object;
    const char *text = core_text(name);
    if (text == NULL)
        return NULL;
    rg_value *value = rg_scope_find(self->scope, text);
    if (value == NULL)
        Py_RETURN_NONE;
    return wrap_scope_var(value, self->scope, name);
}

static PyObject *scope_new_scope(PyObject *object, PyObject *unused)
{
    (void)unused;
    return make_scope(core_scope_type, ((core_scope *)object)->scope);
}

/* Child scopes live as long as their Python objects: there is nothing to drop. */
static PyObject *scope_drop_kids(PyObject *object, PyObject *unused)
{
    (void)object, (void)unused;
    Py_RETURN_NONE;
}

static PyObject *scope_erase(PyObject *object, PyObject *names)
{
    Py_ssize_t n = PySequence_Size(names);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *name = PySequence_GetItem(names, i);
        const char *text = name ? core_text(name) : NULL;
        if (text != NULL)
            rg_scope_erase(((core_scope *)object)->scope, text);
        Py_XDECREF(name);
        if (text == NULL)
            return NULL;
    }
    if (n < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *scope_names(PyObject *object, PyObject *unused)
{
    const rg_scope *scope = ((core_scope *)object)->scope;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < rg_scope_size(scope); i++) {
        const char *text = rg_scope_name(scope, i);
        PyObject *name = text ? PyUnicode_FromString(text) : NULL;
        if (text != NULL && (name == NULL || PyList_Append(list, name) < 0))
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef scope_methods[] = {
    {"var", scope_own_var, METH_O,
     "var(name): this scope's own variable of that name, made if missing."},
    {"find_var", scope_find_var, METH_O,
     "find_var(name): the variable, of this scope or one around it, or None."},
    {"_find_or_make_var", scope_find_or_make_var, METH_O,
     "The variable, of this scope or one around it, else made in this one."},
    {"new_scope", scope_new_scope, METH_NOARGS, "A scope inside this one."},
    {"drop_kids", scope_drop_kids, METH_NOARGS, "Forget the scopes inside this one."},
    {"erase", scope_erase, METH_O, "erase(names): remove these variables."},
    {"local_var_names", scope_names, METH_NOARGS, "The names of this scope's own variables."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot scope_slots[] = {
    {Py_tp_doc, "Named variables that outlive a run: parameters and the like."},
    {Py_tp_new, scope_new},
    {Py_tp_dealloc, scope_dealloc},
    {Py_tp_methods, scope_methods},
    {0, NULL},
};

static PyType_Spec scope_spec = {
    .name = "paddle._core.Scope",
    .basicsize = sizeof(core_scope),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = scope_slots,
};

int core_add_scope(PyObject *module)
{
    scope_var_type = core_make_type(module, &scope_var_spec);
    core_scope_type = core_make_type(module, &scope_spec);
    return scope_var_type && core_scope_type ? 0 : -1;
}
