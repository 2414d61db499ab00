/* op.c - Op: the ops of a program, and how Python values become their arguments. */
#include "_core/core.h"

#include "base/map.h"
#include "sys/log.h"

#include <string.h>

PyTypeObject *core_op_type, *core_op_class;

static rg_opdesc *op_of(PyObject *self)
{
    return ((core_op *)self)->op;
}

PyObject *core_wrap_op(PyObject *owner, rg_opdesc *op)
{
    core_op *self = core_new(core_op_class ? core_op_class : core_op_type);
    if (self != NULL) {
        Py_INCREF(owner);
        self->owner = owner;
        self->op = op;
    }
    return (PyObject *)self;
}

static void op_dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    Py_XDECREF(((core_op *)object)->owner);
    core_free(object);
}

/* ---- names ---- */

const char *core_name(PyObject *value)
{
    if (PyUnicode_Check(value))
        return core_text(value);
    if (PyObject_TypeCheck(value, core_var_type))
        return ((core_var *)value)->var->name;
    PyObject *type = PyObject_Type(value);
    PyErr_Format(PyExc_TypeError, "a variable or its name is wanted, not %R", type);
    Py_XDECREF(type);
    return NULL;
}

static const char *name_at(PyObject *names, Py_ssize_t i)
{
    return core_name(PyList_Check(names)    ? PyList_GetItem(names, i)
                     : PyTuple_Check(names) ? PyTuple_GetItem(names, i)
                                            : names);
}

/* The array with the texts behind it; NULL and an exception. */
static const char **copy_names(PyObject *from, Py_ssize_t size)
{
    size_t bytes = ((size_t)size + 1) * sizeof(char *);
    for (Py_ssize_t i = 0; i < size; i++) {
        const char *name = name_at(from, i);
        if (name == NULL)
            return NULL;
        bytes += strlen(name) + 1;
    }
    const char **names = PyMem_Malloc(bytes);
    if (names == NULL)
        return (const char **)PyErr_NoMemory();
    char *at = (char *)(names + size + 1);
    for (Py_ssize_t i = 0; i < size; i++) {
        const char *name = name_at(from, i);
        size_t n = strlen(name) + 1;
        names[i] = memcpy(at, name, n);
        at += n;
    }
    return names;
}

int core_names(PyObject *value, const char ***out, int *n)
{
    PyObject *made = NULL;
    *n = 0;
    *out = NULL;
    if (value == Py_None)
        return 0;
    bool one = PyUnicode_Check(value) || PyObject_TypeCheck(value, core_var_type);
    if (!one && !PyList_Check(value) && !PyTuple_Check(value)) {
        made = PySequence_List(value); /* a set, a generator */
        if (made == NULL) {
            if (PyErr_ExceptionMatches(PyExc_TypeError)) {
                PyErr_Clear();
                (void)core_name(value);
            }
            return -1;
        }
        value = made;
    }
    Py_ssize_t size = one ? 1 : PyList_Check(value) ? PyList_Size(value) : PyTuple_Size(value);
    *out = copy_names(value, size);
    *n = *out ? (int)size : 0;
    Py_XDECREF(made);
    return *out ? 0 : -1;
}

/* ---- attributes ---- */

/* The type that a Python value suggests where no schema says one. */
static rg_attr_type guess_type(PyObject *value, bool *known)
{
    *known = true;
    if (PyBool_Check(value))
        return RG_ATTR_BOOL;
    if (PyLong_Check(value))
        return RG_ATTR_INT;
    if (PyFloat_Check(value))
        return RG_ATTR_FLOAT;
    if (PyUnicode_Check(value) || PyBytes_Check(value))
        return RG_ATTR_STRING;
    if (PyObject_HasAttrString(value, "idx") && PyObject_HasAttrString(value, "ops"))
        return RG_ATTR_BLOCK;
    if (PyList_Check(value) || PyTuple_Check(value)) {
        bool inner = true;
        if (PySequence_Size(value) == 0)
            return RG_ATTR_INTS;
        PyObject *first = PySequence_GetItem(value, 0);
        rg_attr_type type = first ? guess_type(first, &inner) : RG_ATTR_INT;
        Py_XDECREF(first);
        switch (type) {
        case RG_ATTR_BOOL:
            return RG_ATTR_BOOLS;
        case RG_ATTR_INT:
            return RG_ATTR_INTS;
        case RG_ATTR_FLOAT:
            return RG_ATTR_FLOATS;
        case RG_ATTR_STRING:
            return RG_ATTR_STRINGS;
        case RG_ATTR_BLOCK:
            return RG_ATTR_BLOCKS;
        case RG_ATTR_INTS:
        case RG_ATTR_FLOATS:
        case RG_ATTR_STRINGS:
        case RG_ATTR_BOOLS:
        case RG_ATTR_LONG:
        case RG_ATTR_BLOCKS:
        case RG_ATTR_LONGS:
            break;
        }
    }
    if (PyNumber_Check(value)) {
        PyObject *index = PyNumber_Index(value); /* numpy's whole numbers */
        Py_XDECREF(index);
        if (index != NULL)
            return RG_ATTR_INT;
        PyErr_Clear();
        return RG_ATTR_FLOAT;
    }
    *known = false;
    return RG_ATTR_INT;
}

static int as_int64(PyObject *value, int64_t *out)
{
    PyObject *idx = NULL;
    if (!PyLong_Check(value) && PyObject_HasAttrString(value, "idx")) {
        idx = PyObject_GetAttrString(value, "idx");
        value = idx;
    }
    PyObject *number = value ? PyNumber_Long(value) : NULL;
    Py_XDECREF(idx);
    if (number == NULL)
        return -1;
    *out = PyLong_AsLongLong(number);
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

static int as_int32(PyObject *value, int32_t *out)
{
    int64_t wide;
    if (as_int64(value, &wide) < 0)
        return -1;
    if (wide != (int32_t)wide) {
        PyErr_Format(PyExc_OverflowError, "%lld does not fit 32 bits", (long long)wide);
        return -1;
    }
    *out = (int32_t)wide;
    return 0;
}

static int as_float(PyObject *value, float *out)
{
    double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred())
        return -1;
    *out = (float)number;
    return 0;
}

static const char *as_text(PyObject *value)
{
    if (PyBytes_Check(value))
        return PyBytes_AsString(value);
    return core_text(value);
}

/* Element i of the list goes into its place of the array. */
static int set_element(rg_attr_type type, void *array, Py_ssize_t i, PyObject *item)
{
    switch (type) {
    case RG_ATTR_INTS:
    case RG_ATTR_BLOCKS:
        return as_int32(item, (int32_t *)array + i);
    case RG_ATTR_FLOATS:
        return as_float(item, (float *)array + i);
    case RG_ATTR_LONGS:
        return as_int64(item, (int64_t *)array + i);
    case RG_ATTR_BOOLS: {
        int truth = PyObject_IsTrue(item);
        ((bool *)array)[i] = truth > 0;
        return truth < 0 ? -1 : 0;
    }
    case RG_ATTR_STRINGS:
        ((const char **)array)[i] = as_text(item);
        return ((const char **)array)[i] ? 0 : -1;
    case RG_ATTR_INT:
    case RG_ATTR_FLOAT:
    case RG_ATTR_STRING:
    case RG_ATTR_BOOL:
    case RG_ATTR_BLOCK:
    case RG_ATTR_LONG:
        break;
    }
    return -1;
}

/* Fills attr from the value; *list, freed by the caller, holds a list's elements, and
 * *keep what those borrow from. */
static int parse_list(PyObject *value, rg_attr *attr, void **list, PyObject **keep)
{
    PyObject *sequence = PySequence_List(value);
    if (sequence == NULL)
        return -1;
    Py_ssize_t n = PyList_Size(sequence);
    void *array = PyMem_Malloc(((size_t)n + 1) * sizeof(int64_t));
    if (array == NULL) {
        Py_DECREF(sequence);
        (void)PyErr_NoMemory();
        return -1;
    }
    *list = array;
    *keep = sequence;
    for (Py_ssize_t i = 0; i < n; i++)
        if (set_element(attr->type, array, i, PyList_GetItem(sequence, i)) < 0)
            return -1;
    attr->n = (int)n;
    attr->longs = array;
    return 0;
}

static int parse_attr(PyObject *value, rg_attr *attr, void **list, PyObject **keep)
{
    switch (attr->type) {
    case RG_ATTR_INT:
    case RG_ATTR_BLOCK:
        return as_int32(value, &attr->i);
    case RG_ATTR_LONG:
        return as_int64(value, &attr->l);
    case RG_ATTR_FLOAT:
        return as_float(value, &attr->f);
    case RG_ATTR_BOOL: {
        int truth = PyObject_IsTrue(value);
        attr->b = truth > 0;
        return truth < 0 ? -1 : 0;
    }
    case RG_ATTR_STRING:
        attr->s = as_text(value);
        return attr->s ? 0 : -1;
    case RG_ATTR_INTS:
    case RG_ATTR_FLOATS:
    case RG_ATTR_STRINGS:
    case RG_ATTR_BOOLS:
    case RG_ATTR_BLOCKS:
    case RG_ATTR_LONGS:
        return parse_list(value, attr, list, keep);
    }
    return -1;
}

/* Of an op in a script: a note of its writer, a slip, or an attribute of another release. */
static void note_unknown(const rg_opdesc *op, const char *attr, bool kept)
{
    enum { MOST = 64 };
    static uint64_t noted[MOST]; /* each is said once; the GIL guards it */
    static int n;
    uint64_t hash = rg_hash_bytes(attr, strlen(attr), rg_hash_text(op->type));
    for (int i = 0; i < n; i++)
        if (noted[i] == hash)
            return;
    if (n == MOST)
        return;
    noted[n++] = hash;
    rg_log(RG_LOG_W, "python",
           "op=%s attribute=%s \"the op knows no such attribute: it is %s, and has no effect; "
           "`paddle ops %s` shows those it knows\"",
           op->type, attr,
           kept ? "kept in the program" : "left out, as a program holds no such value", op->type);
}

static int set_attr(rg_opdesc *op, PyObject *key, PyObject *value)
{
    rg_attr attr = {.name = core_text(key)};
    void *list = NULL;
    PyObject *keep = NULL;
    if (attr.name == NULL)
        return -1;
    if (value == Py_None)
        return 0; /* not given */
    int slot = op->op ? rg_op_attr_slot(op->op, attr.name) : -1;
    bool strange = slot < 0 && op->op != NULL && !rg_attr_is_common(attr.name), known = true;
    attr.type = slot >= 0 ? op->op->attr[slot].value.type : guess_type(value, &known);
    if (strange && !known) {
        note_unknown(op, attr.name, false);
        return 0;
    }
    int code = known ? parse_attr(value, &attr, &list, &keep) : -1;
    if (code == 0) {
        rg_status status = rg_opdesc_set_attr(op, &attr);
        if (status == RG_OK && strange)
            note_unknown(op, attr.name, true);
        if (status != RG_OK) {
            (void)core_raise(status);
            code = -1;
        }
    } else if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "op %s: attribute %s cannot be %R (%s is wanted)", op->type,
                     attr.name, value, known ? rg_attr_type_name(attr.type) : "another type");
    }
    PyMem_Free(list);
    Py_XDECREF(keep);
    return code;
}

PyObject *core_attr_value(const rg_attr *attr)
{
    PyObject *list;
    switch (attr->type) {
    case RG_ATTR_INT:
    case RG_ATTR_BLOCK:
        return PyLong_FromLong(attr->i);
    case RG_ATTR_FLOAT:
        return PyFloat_FromDouble((double)attr->f);
    case RG_ATTR_STRING:
        return PyUnicode_FromString(attr->s);
    case RG_ATTR_BOOL:
        return PyBool_FromLong(attr->b);
    case RG_ATTR_LONG:
        return PyLong_FromLongLong(attr->l);
    case RG_ATTR_STRINGS:
        return core_text_list(attr->strings, attr->n);
    case RG_ATTR_INTS:
    case RG_ATTR_FLOATS:
    case RG_ATTR_BOOLS:
    case RG_ATTR_BLOCKS:
    case RG_ATTR_LONGS:
        break;
    }
    list = PyList_New(attr->n);
    for (int i = 0; list != NULL && i < attr->n; i++) {
        PyObject *item = attr->type == RG_ATTR_FLOATS  ? PyFloat_FromDouble((double)attr->floats[i])
                         : attr->type == RG_ATTR_BOOLS ? PyBool_FromLong(attr->bools[i])
                         : attr->type == RG_ATTR_LONGS ? PyLong_FromLongLong(attr->longs[i])
                                                       : PyLong_FromLong(attr->ints[i]);
        if (item == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, i, item);
    }
    return list;
}

/* ---- appending ---- */

static int set_slots(rg_opdesc *op, PyObject *slots, bool output)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (slots == Py_None)
        return 0;
    while (PyDict_Next(slots, &at, &key, &value)) {
        const char *slot = core_text(key);
        const char **names;
        int n;
        if (slot == NULL || core_names(value, &names, &n) < 0) {
            PyObject *type, *message, *trace; /* say which slot */
            PyErr_Fetch(&type, &message, &trace);
            PyErr_Format(PyExc_TypeError, "op %s, %s %s: %S", op->type, output ? "output" : "input",
                         slot ? slot : "?", message);
            Py_XDECREF(type);
            Py_XDECREF(message);
            Py_XDECREF(trace);
            return -1;
        }
        rg_status code = output ? rg_opdesc_set_out(op, slot, n, names)
                                : rg_opdesc_set_in(op, slot, n, names);
        PyMem_Free(names);
        if (code != RG_OK) {
            (void)core_raise(code);
            return -1;
        }
    }
    return 0;
}

static int set_attrs(rg_opdesc *op, PyObject *attrs)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (attrs == Py_None)
        return 0;
    while (PyDict_Next(attrs, &at, &key, &value))
        if (set_attr(op, key, value) < 0)
            return -1;
    return 0;
}

PyObject *core_append_op(PyObject *self, PyObject *args)
{
    rg_program *program = ((core_program *)self)->program;
    int idx, infer;
    Py_ssize_t index;
    const char *type, *where;
    PyObject *inputs, *outputs, *attrs;
    rg_opdesc *op;
    if (!PyArg_ParseTuple(args, "insOOOzp:_append_op", &idx, &index, &type, &inputs, &outputs,
                          &attrs, &where, &infer))
        return NULL;
    rg_block *block = rg_program_block(program, idx);
    if (block == NULL)
        return PyErr_Format(PyExc_IndexError, "the program has no block %d", idx);
    size_t place = index < 0 || (size_t)index > block->n_ops ? block->n_ops : (size_t)index;
    program->where = where;
    rg_status code = rg_block_insert_op(block, place, type, &op);
    program->where = NULL;
    CORE_TRY(code);
    if (set_slots(op, inputs, false) < 0 || set_slots(op, outputs, true) < 0 ||
        set_attrs(op, attrs) < 0 ||
        (infer && (code = rg_opdesc_infer(op)) != RG_OK && core_raise(code) == NULL)) {
        rg_block_remove_ops(block, place, place + 1); /* a bad op is not left behind */
        return NULL;
    }
    return core_wrap_op(self, op);
}

/* ---- methods ---- */

static PyObject *slot_names(const rg_args *args, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list != NULL && i < n; i++)
        (void)PyList_SetItem(list, i, PyUnicode_FromString(args[i].slot));
    return list;
}

static PyObject *all_names(const rg_args *args, int n)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < n; i++)
        for (int k = 0; list != NULL && k < args[i].n; k++) {
            PyObject *name = PyUnicode_FromString(args[i].names[k]);
            if (name == NULL || PyList_Append(list, name) < 0)
                Py_CLEAR(list);
            Py_XDECREF(name);
        }
    return list;
}

static PyObject *op_get(PyObject *self, void *field)
{
    const rg_opdesc *op = op_of(self);
    switch (((const char *)field)[0]) {
    case 't':
        return PyUnicode_FromString(op->type);
    case 'i':
        return slot_names(op->in, op->n_in);
    case 'o':
        return slot_names(op->out, op->n_out);
    case 'I':
        return all_names(op->in, op->n_in);
    case 'O':
        return all_names(op->out, op->n_out);
    case 'b':
        return PyLong_FromLong(op->block->idx);
    case 'x':
        return PyLong_FromSize_t(rg_opdesc_index(op));
    default:
        Py_INCREF(((core_op *)self)->owner);
        return ((core_op *)self)->owner;
    }
}

static PyGetSetDef op_fields[] = {
    {"type", op_get, NULL, "The op's type.", (void *)"t"},
    {"input_names", op_get, NULL, "Its input slots.", (void *)"i"},
    {"output_names", op_get, NULL, "Its output slots.", (void *)"o"},
    {"input_arg_names", op_get, NULL, "The variables it reads.", (void *)"I"},
    {"output_arg_names", op_get, NULL, "The variables it writes.", (void *)"O"},
    {"_block_idx", op_get, NULL, "The block it belongs to.", (void *)"b"},
    {"idx", op_get, NULL, "Its place in the block.", (void *)"x"},
    {"_program", op_get, NULL, "The program it belongs to.", (void *)"p"},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *op_input(PyObject *self, PyObject *slot)
{
    const char *name = core_text(slot);
    const rg_args *args = name ? rg_opdesc_in(op_of(self), name) : NULL;
    if (name == NULL)
        return NULL;
    return core_text_list(args ? args->names : NULL, args ? args->n : 0);
}

static PyObject *op_output(PyObject *self, PyObject *slot)
{
    const char *name = core_text(slot);
    const rg_args *args = name ? rg_opdesc_out(op_of(self), name) : NULL;
    if (name == NULL)
        return NULL;
    return core_text_list(args ? args->names : NULL, args ? args->n : 0);
}

static PyObject *op_attr(PyObject *self, PyObject *key)
{
    const char *name = core_text(key);
    if (name == NULL)
        return NULL;
    const rg_attr *attr = rg_opdesc_attr(op_of(self), name);
    if (attr == NULL)
        return PyErr_Format(PyExc_ValueError, "op %s has no attribute %s", op_of(self)->type, name);
    return core_attr_value(attr);
}

static PyObject *op_has_attr(PyObject *self, PyObject *key)
{
    const char *name = core_text(key);
    return name ? PyBool_FromLong(rg_opdesc_attr(op_of(self), name) != NULL) : NULL;
}

static PyObject *op_attr_type(PyObject *self, PyObject *key)
{
    const char *name = core_text(key);
    if (name == NULL)
        return NULL;
    const rg_attr *attr = rg_opdesc_attr(op_of(self), name);
    if (attr == NULL)
        return PyErr_Format(PyExc_ValueError, "op %s has no attribute %s", op_of(self)->type, name);
    return PyLong_FromLong((long)attr->type);
}

/* Given ones first, then the schema's defaults. */
static PyObject *op_attr_names(PyObject *self, PyObject *unused)
{
    const rg_opdesc *op = op_of(self);
    (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < op->n_attrs; i++) {
        PyObject *name = PyUnicode_FromString(op->attrs[i].name);
        if (name == NULL || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    const rg_attr_spec *spec = op->op ? op->op->attr : NULL;
    for (int i = 0; list != NULL && spec != NULL && spec[i].value.name != NULL; i++) {
        PyObject *name = PyUnicode_FromString(spec[i].value.name);
        int there = name ? PySequence_Contains(list, name) : -1;
        if (there < 0 || (there == 0 && !spec[i].required && PyList_Append(list, name) < 0))
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *op_set_attr(PyObject *self, PyObject *args)
{
    PyObject *key, *value;
    if (!PyArg_ParseTuple(args, "OO:_set_attr", &key, &value) ||
        set_attr(op_of(self), key, value) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *op_remove_attr(PyObject *self, PyObject *key)
{
    const char *name = core_text(key);
    if (name == NULL)
        return NULL;
    rg_opdesc_remove_attr(op_of(self), name);
    Py_RETURN_NONE;
}

static PyObject *op_rename(PyObject *self, PyObject *args)
{
    const char *from, *to;
    int in, out;
    if (!PyArg_ParseTuple(args, "sspp:_rename", &from, &to, &in, &out))
        return NULL;
    CORE_TRY(rg_opdesc_rename(op_of(self), from, to, in != 0, out != 0));
    Py_RETURN_NONE;
}

static PyObject *op_set_slot(PyObject *self, PyObject *args)
{
    const char *slot;
    PyObject *value;
    int output, n;
    const char **names;
    if (!PyArg_ParseTuple(args, "sOp:_set_slot", &slot, &value, &output) ||
        core_names(value, &names, &n) < 0)
        return NULL;
    rg_status code = output ? rg_opdesc_set_out(op_of(self), slot, n, names)
                            : rg_opdesc_set_in(op_of(self), slot, n, names);
    PyMem_Free(names);
    CORE_TRY(code);
    Py_RETURN_NONE;
}

static PyObject *op_text(PyObject *self, PyObject *unused)
{
    (void)unused;
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_opdesc_text(op_of(self), &text, 0);
    PyObject *out = PyUnicode_FromString(rg_buf_cstr(&text));
    rg_buf_fini(&text);
    return out;
}

static PyObject *op_infer(PyObject *self, PyObject *unused)
{
    (void)unused;
    CORE_TRY(rg_opdesc_infer(op_of(self)));
    Py_RETURN_NONE;
}

static PyObject *op_compare(PyObject *a, PyObject *b, int how)
{
    bool same = PyObject_TypeCheck(b, core_op_type) && op_of(a) == op_of(b);
    if (how == Py_EQ)
        return PyBool_FromLong(same);
    if (how == Py_NE)
        return PyBool_FromLong(!same);
    Py_RETURN_NOTIMPLEMENTED;
}

static Py_hash_t op_hash(PyObject *self)
{
    return (Py_hash_t)((uintptr_t)op_of(self) >> 4);
}

static PyMethodDef op_methods[] = {
    {"input", op_input, METH_O, "input(slot): the variables in the slot."},
    {"output", op_output, METH_O, "output(slot): the variables in the slot."},
    {"_attr", op_attr, METH_O, "_attr(name)"},
    {"has_attr", op_has_attr, METH_O, "has_attr(name)"},
    {"attr_type", op_attr_type, METH_O, "attr_type(name): the number of the type."},
    {"_attr_names", op_attr_names, METH_NOARGS, "The attributes, defaults included."},
    {"_set_attr_value", op_set_attr, METH_VARARGS, "_set_attr_value(name, value)"},
    {"_remove_attr", op_remove_attr, METH_O, "_remove_attr(name)"},
    {"_rename", op_rename, METH_VARARGS, "_rename(from, to, inputs, outputs)"},
    {"_set_slot", op_set_slot, METH_VARARGS, "_set_slot(slot, variables, output)"},
    {"_text", op_text, METH_NOARGS, "As a printed program shows it."},
    {"_infer", op_infer, METH_NOARGS, "Run the shape rule."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot op_slots[] = {
    {Py_tp_doc, "An op of a program."},
    {Py_tp_dealloc, op_dealloc},
    {Py_tp_traverse, core_traverse_owned},
    {Py_tp_getset, op_fields},
    {Py_tp_methods, op_methods},
    {Py_tp_richcompare, op_compare},
    {Py_tp_hash, op_hash},
    {0, NULL},
};

static PyType_Spec op_spec = {
    .name = "paddle._core.Op",
    .basicsize = sizeof(core_op),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = op_slots,
};

int core_add_op(PyObject *module)
{
    core_op_type = core_make_type(module, &op_spec);
    return core_op_type ? 0 : -1;
}
