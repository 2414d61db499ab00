/* tensor.c - LoDTensor, SelectedRows and LoDTensorArray, and numpy arrays in and out. */
#include "_core/core.h"

#include "base/mem.h"
#include "ir/gpu_module.h"

#include <string.h>

PyTypeObject *core_tensor_type, *core_rows_type, *core_array_type;

/* ---- numpy ---- */

/* What __array_struct__ points to: numpy's documented array interface, version 3. */
typedef struct array_interface {
    int two;
    int nd;
    char typekind;
    int itemsize;
    int flags;
    Py_intptr_t *shape;
    Py_intptr_t *strides;
    void *data;
    PyObject *descr;
} array_interface;

enum { CONTIGUOUS = 0x1, ALIGNED = 0x100, NATIVE = 0x200 };

static PyObject *name_array_struct;              /* "__array_struct__" */
static PyObject *numpy_empty, *numpy_contiguous; /* numpy.empty, numpy.ascontiguousarray */
static PyObject *numpy_dtypes[32];               /* by rg_dtype; made when first asked for */

static int load_numpy(void)
{
    if (numpy_empty != NULL)
        return 0;
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL)
        return -1;
    numpy_contiguous = PyObject_GetAttrString(numpy, "ascontiguousarray");
    numpy_empty = PyObject_GetAttrString(numpy, "empty");
    name_array_struct = PyUnicode_InternFromString("__array_struct__");
    Py_DECREF(numpy);
    return numpy_empty && numpy_contiguous && name_array_struct ? 0 : -1;
}

/* Borrowed. */
static PyObject *numpy_dtype(rg_dtype dtype)
{
    if (numpy_dtypes[dtype] != NULL)
        return numpy_dtypes[dtype];
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (numpy != NULL)
        numpy_dtypes[dtype] = PyObject_CallMethod(
            numpy, "dtype", "s", dtype == RG_BF16 ? "uint16" : rg_dtype_name(dtype));
    Py_XDECREF(numpy);
    return numpy_dtypes[dtype];
}

/* numpy has no bfloat16: its bits are uint16 there, as in later releases of Paddle. */
static int dtype_of_kind(char kind, int size, rg_dtype *dtype)
{
    static const struct {
        char kind;
        int size;
        rg_dtype dtype;
    } known[] = {
        {'f', 4, RG_F32},  {'i', 8, RG_I64},    {'f', 8, RG_F64},  {'i', 4, RG_I32},
        {'b', 1, RG_BOOL}, {'u', 1, RG_U8},     {'i', 1, RG_I8},   {'i', 2, RG_I16},
        {'f', 2, RG_F16},  {'u', 8, RG_SIZE_T}, {'u', 2, RG_BF16},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].kind == kind && known[i].size == size) {
            *dtype = known[i].dtype;
            return 0;
        }
    if (kind == 'O') {
        PyErr_SetString(PyExc_TypeError,
                        "an array of kind 'O', of Python objects (None, dicts, rows of different "
                        "lengths), is not a tensor's type; make one of numbers alone, as "
                        "numpy.array(rows, 'float32')");
        return -1;
    }
    PyErr_Format(PyExc_TypeError,
                 "an array of kind '%c' with %d bytes an element is not a tensor's type; use "
                 "float32, float64, int32, int64, bool, int8, uint8, int16, float16 or, for "
                 "bfloat16, uint16",
                 kind, size);
    return -1;
}

/* The struct behind a capsule: NULL without an exception where it is not to be had. */
static array_interface *interface_of(PyObject *object, PyObject **capsule)
{
    *capsule = PyObject_GetAttr(object, name_array_struct);
    if (*capsule == NULL) {
        PyErr_Clear();
        return NULL;
    }
    array_interface *array = PyCapsule_GetPointer(*capsule, NULL);
    if (array == NULL || array->two != 2) {
        PyErr_Clear();
        Py_CLEAR(*capsule);
        return NULL;
    }
    return array;
}

/* The object as an array that lies in memory as a tensor does. A new reference. */
static PyObject *plain_array(PyObject *object, bool swapped)
{
    PyObject *array = PyObject_CallFunctionObjArgs(numpy_contiguous, object, NULL);
    if (array == NULL || !swapped)
        return array;
    PyObject *dtype = PyObject_GetAttrString(array, "dtype");
    PyObject *native = dtype ? PyObject_CallMethod(dtype, "newbyteorder", "s", "=") : NULL;
    PyObject *out = native ? PyObject_CallMethod(array, "astype", "O", native) : NULL;
    Py_XDECREF(dtype);
    Py_XDECREF(native);
    Py_DECREF(array);
    return out;
}

int core_from_numpy(PyObject *object, core_array *out)
{
    if (load_numpy() < 0)
        return -1;
    PyObject *capsule, *made = NULL;
    array_interface *array = interface_of(object, &capsule);
    int good = CONTIGUOUS | ALIGNED | NATIVE;
    if (array == NULL || (array->flags & good) != good) {
        bool swapped = array != NULL && !(array->flags & NATIVE);
        Py_XDECREF(capsule);
        made = plain_array(object, swapped);
        if (made == NULL)
            return -1;
        array = interface_of(made, &capsule);
        Py_DECREF(made); /* the capsule keeps it */
        if (array == NULL) {
            PyErr_SetString(PyExc_TypeError, "numpy cannot make an array of this");
            return -1;
        }
        /* numpy makes a scalar one-dimensional here; so does Paddle. */
    }
    if (array->nd > RG_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "an array of %d dimensions, and at most %d are possible",
                     array->nd, (int)RG_MAX_DIMS);
        Py_DECREF(capsule);
        return -1;
    }
    if (dtype_of_kind(array->typekind, array->itemsize, &out->dtype) < 0) {
        Py_DECREF(capsule);
        return -1;
    }
    out->holder = capsule;
    out->data = array->data;
    out->shape.rank = array->nd;
    for (int i = 0; i < array->nd; i++)
        out->shape.dim[i] = array->shape[i];
    return 0;
}

PyObject *core_to_numpy(const rg_value *value)
{
    if (load_numpy() < 0)
        return NULL;
    if (value->data == NULL) {
        PyErr_SetString(PyExc_ValueError, "the tensor has no value yet");
        return NULL;
    }
    PyObject *dtype = numpy_dtype(value->meta.dtype);
    PyObject *shape = dtype ? core_shape_tuple(&value->meta.shape) : NULL;
    PyObject *array = shape ? PyObject_CallFunctionObjArgs(numpy_empty, shape, dtype, NULL) : NULL;
    Py_XDECREF(shape);
    if (array == NULL)
        return NULL;
    PyObject *capsule;
    array_interface *to = interface_of(array, &capsule);
    if (to == NULL) {
        Py_DECREF(array);
        PyErr_SetString(PyExc_RuntimeError, "numpy.empty gave no array");
        return NULL;
    }
    size_t bytes = rg_value_bytes(value);
    rg_value_settle(value);
    const void *data = rg_host_data(value);
    if (bytes > 0 && data != NULL)
        memcpy(to->data, data, bytes);
    Py_DECREF(capsule);
    if (data == NULL) {
        Py_CLEAR(array);
        (void)core_raise(RG_ENOMEM);
    }
    return array;
}

/* ---- LoDTensor ---- */

PyObject *core_wrap_tensor(PyTypeObject *type, rg_value *value, rg_scope *scope)
{
    core_tensor *self = core_new(type);
    if (self != NULL) {
        self->value = rg_value_retain(value);
        self->scope = scope ? rg_scope_retain(scope) : NULL;
    }
    return (PyObject *)self;
}

static PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    core_tensor *self = core_new(type);
    if (self == NULL)
        return NULL;
    rg_status code = rg_value_new(&self->value);
    if (code != RG_OK) {
        Py_DECREF(self);
        return core_raise(code);
    }
    if (type == core_rows_type)
        self->value->meta.kind = RG_ROWS;
    if (type == core_array_type)
        self->value->meta.kind = RG_ARRAY;
    return (PyObject *)self;
}

static void tensor_dealloc(PyObject *object)
{
    core_tensor *self = (core_tensor *)object;
    rg_value_release(self->value);
    rg_scope_release(self->scope);
    core_free(object);
}

void core_tensor_changed(core_tensor *self)
{
    if (self->scope != NULL)
        rg_scope_touch(self->scope);
}

int core_device(PyObject *place, const rg_device **device)
{
    *device = &rg_cpu;
    if (place == NULL || place == Py_None || !PyObject_HasAttrString(place, "_gpu"))
        return 0;
    PyObject *number = PyObject_GetAttrString(place, "_gpu");
    long gpu = number ? PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    if (gpu == -1 && PyErr_Occurred())
        return -1;
    rg_status code = rg_gpu_open((int)gpu, device);
    if (code != RG_OK)
        (void)core_raise(code);
    return code == RG_OK ? 0 : -1;
}

static PyObject *tensor_set(PyObject *object, PyObject *args)
{
    core_tensor *self = (core_tensor *)object;
    PyObject *source, *place = NULL, *zero_copy = NULL;
    const rg_device *device;
    if (!PyArg_ParseTuple(args, "O|OO:set", &source, &place, &zero_copy))
        return NULL;
    core_array array;
    if (core_device(place, &device) < 0 || core_from_numpy(source, &array) < 0)
        return NULL;
    rg_value_settle(self->value);
    rg_value_place(self->value, device);
    rg_status code = rg_value_resize(self->value, array.dtype, &array.shape);
    if (code == RG_OK) {
        size_t bytes = rg_value_bytes(self->value);
        if (bytes > 0)
            code = rg_host_write(self->value, 0, array.data, bytes);
        core_tensor_changed(self);
    }
    Py_DECREF(array.holder);
    CORE_TRY(code);
    Py_RETURN_NONE;
}

/* [[2, 3], [1, 1, 1, 1, 1]] as arrays; freed by the caller. */
typedef struct levels {
    int n;
    size_t count[RG_MAX_LOD];
    int64_t *numbers[RG_MAX_LOD];
} levels;

static void free_levels(levels *l)
{
    for (int i = 0; i < l->n; i++)
        rg_free(l->numbers[i]);
}

static int parse_level(PyObject *level, levels *out)
{
    Py_ssize_t n = PySequence_Size(level);
    if (n < 0)
        return -1;
    int64_t *numbers = rg_alloc((size_t)n * sizeof *numbers);
    if (numbers == NULL) {
        (void)PyErr_NoMemory();
        return -1;
    }
    out->numbers[out->n] = numbers;
    out->count[out->n++] = (size_t)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(level, i);
        PyObject *whole = item ? PyNumber_Long(item) : NULL;
        Py_XDECREF(item);
        if (whole == NULL)
            return -1;
        numbers[i] = PyLong_AsLongLong(whole);
        Py_DECREF(whole);
        if (PyErr_Occurred())
            return -1;
    }
    return 0;
}

static int parse_levels(PyObject *lists, levels *out)
{
    Py_ssize_t n = PySequence_Size(lists);
    *out = (levels){0};
    if (n < 0)
        return -1;
    if (n > RG_MAX_LOD) {
        PyErr_Format(PyExc_ValueError, "a LoD of %zd levels, and at most %d are possible", n,
                     (int)RG_MAX_LOD);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *level = PySequence_GetItem(lists, i);
        int code = level ? parse_level(level, out) : -1;
        Py_XDECREF(level);
        if (code < 0) {
            free_levels(out);
            return -1;
        }
    }
    return 0;
}

/* The tensor's rows, -1 where it has no data to compare with. */
static int64_t rows_of(const core_tensor *self)
{
    const rg_value *value = self->value;
    return value->data != NULL && value->meta.shape.rank > 0 ? value->meta.shape.dim[0] : -1;
}

static PyObject *set_lod(core_tensor *self, rg_lod *lod)
{
    if (lod != NULL) {
        rg_status code = rg_lod_check(lod, rows_of(self));
        if (code != RG_OK) {
            rg_lod_release(lod);
            PyErr_SetString(PyExc_ValueError, rg_error_message());
            return NULL;
        }
    }
    rg_value_set_lod(self->value, lod);
    rg_lod_release(lod);
    core_tensor_changed(self);
    Py_RETURN_NONE;
}

static PyObject *tensor_set_lod(PyObject *object, PyObject *offsets)
{
    levels l;
    if (parse_levels(offsets, &l) < 0)
        return NULL;
    rg_lod *lod = NULL;
    rg_status code = l.n > 0 ? rg_lod_new(&lod, l.n, l.count) : RG_OK;
    for (int i = 0; lod != NULL && i < l.n; i++)
        memcpy(lod->offset[i], l.numbers[i], l.count[i] * sizeof(int64_t));
    free_levels(&l);
    CORE_TRY(code);
    return set_lod((core_tensor *)object, lod);
}

static PyObject *tensor_set_lengths(PyObject *object, PyObject *lengths)
{
    levels l;
    if (parse_levels(lengths, &l) < 0)
        return NULL;
    rg_lod *lod = NULL;
    rg_status code = l.n > 0 ? rg_lod_from_lengths(&lod, l.n, l.count,
                                                   (const int64_t *const *)l.numbers)
                             : RG_OK;
    free_levels(&l);
    CORE_TRY(code);
    return set_lod((core_tensor *)object, lod);
}

static PyObject *numbers_list(const int64_t *numbers, size_t n, bool differences)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list != NULL && i < n; i++) {
        int64_t number = differences ? numbers[i + 1] - numbers[i] : numbers[i];
        PyObject *item = PyLong_FromLongLong(number);
        if (item == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, (Py_ssize_t)i, item);
    }
    return list;
}

static PyObject *lod_lists(const rg_lod *lod, bool lengths)
{
    PyObject *lists = PyList_New(0);
    for (int i = 0; lists != NULL && lod != NULL && i < lod->levels; i++) {
        PyObject *level = numbers_list(lod->offset[i], lod->count[i] - (lengths ? 1 : 0), lengths);
        if (level == NULL || PyList_Append(lists, level) < 0)
            Py_CLEAR(lists);
        Py_XDECREF(level);
    }
    return lists;
}

static PyObject *tensor_lod(PyObject *object, PyObject *unused)
{
    (void)unused;
    return lod_lists(((core_tensor *)object)->value->meta.lod, false);
}

static PyObject *tensor_lengths(PyObject *object, PyObject *unused)
{
    (void)unused;
    return lod_lists(((core_tensor *)object)->value->meta.lod, true);
}

static PyObject *tensor_valid_lod(PyObject *object, PyObject *unused)
{
    core_tensor *self = (core_tensor *)object;
    (void)unused;
    const rg_lod *lod = self->value->meta.lod;
    return PyBool_FromLong(lod == NULL || rg_lod_check(lod, rows_of(self)) == RG_OK);
}

static PyObject *tensor_shape(PyObject *object, PyObject *unused)
{
    (void)unused;
    PyObject *tuple = core_shape_tuple(&((core_tensor *)object)->value->meta.shape);
    PyObject *list = tuple ? PySequence_List(tuple) : NULL;
    Py_XDECREF(tuple);
    return list;
}

static PyObject *tensor_dtype(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLong((long)((core_tensor *)object)->value->meta.dtype);
}

static PyObject *tensor_is_initialized(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(((core_tensor *)object)->value->data != NULL);
}

static PyObject *tensor_array(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"dtype", "copy", NULL};
    PyObject *dtype = NULL, *copy = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", names, &dtype, &copy))
        return NULL;
    PyObject *array = core_to_numpy(((core_tensor *)object)->value);
    if (array == NULL || dtype == NULL || dtype == Py_None)
        return array;
    PyObject *cast = PyObject_CallMethod(array, "astype", "O", dtype);
    Py_DECREF(array);
    return cast;
}

static PyObject *tensor_share(PyObject *object, PyObject *other)
{
    core_tensor *self = (core_tensor *)object;
    if (!PyObject_TypeCheck(other, core_tensor_type)) {
        PyErr_SetString(PyExc_TypeError, "_share_data_with takes a LoDTensor");
        return NULL;
    }
    CORE_TRY(rg_value_share(self->value, ((core_tensor *)other)->value));
    core_tensor_changed(self);
    Py_RETURN_NONE;
}

static PyObject *tensor_clear(PyObject *object, PyObject *unused)
{
    core_tensor *self = (core_tensor *)object;
    (void)unused;
    int refs = self->value->refs;
    uint32_t tag = self->value->tag;
    rg_value_fini(self->value);
    self->value->refs = refs;
    self->value->tag = tag;
    core_tensor_changed(self);
    Py_RETURN_NONE;
}

static PyMethodDef tensor_methods[] = {
    {"set", tensor_set, METH_VARARGS, "set(array, place): take the array's dtype, shape and data."},
    {"set_lod", tensor_set_lod, METH_O, "set_lod(offsets): a list of offsets for each level."},
    {"set_recursive_sequence_lengths", tensor_set_lengths, METH_O,
     "set_recursive_sequence_lengths(lengths): a list of sequence lengths for each level."},
    {"lod", tensor_lod, METH_NOARGS, "The offsets of each level."},
    {"recursive_sequence_lengths", tensor_lengths, METH_NOARGS, "The lengths of each level."},
    {"has_valid_recursive_sequence_lengths", tensor_valid_lod, METH_NOARGS,
     "Whether the LoD fits the tensor's rows."},
    {"shape", tensor_shape, METH_NOARGS, "The shape as a list."},
    {"_get_dims", tensor_shape, METH_NOARGS, "The shape as a list."},
    {"_dtype", tensor_dtype, METH_NOARGS, "The number of the data type."},
    {"_is_initialized", tensor_is_initialized, METH_NOARGS, "Whether it has a value."},
    {"_share_data_with", tensor_share, METH_O, "Share the memory of another tensor."},
    {"_clear", tensor_clear, METH_NOARGS, "Drop the value."},
    {"_set_dims", core_tensor_set_dims, METH_O, "_set_dims(shape), before it is filled."},
    {"_alloc_float", core_tensor_alloc_float, METH_O, "Zeros of float32 in the shape."},
    {"_alloc_double", core_tensor_alloc_double, METH_O, "Zeros of float64 in the shape."},
    {"_alloc_int", core_tensor_alloc_int, METH_O, "Zeros of int32 in the shape."},
    {"_to_dlpack", core_tensor_to_dlpack, METH_NOARGS, "A capsule with a copy of the data."},
    {"_place", core_tensor_place, METH_NOARGS, "Where the data lies: on the CPU."},
    {"_get_float_element", core_tensor_get_float, METH_O, "Element i of a float32 tensor."},
    {"_get_double_element", core_tensor_get_double, METH_O, "Element i of a float64 tensor."},
    {"_set_float_element", core_tensor_set_float, METH_VARARGS, "_set_float_element(i, number)"},
    {"_set_double_element", core_tensor_set_double, METH_VARARGS, "_set_double_element(i, number)"},
    {"__array__", (PyCFunction)(void (*)(void))tensor_array, METH_VARARGS | METH_KEYWORDS,
     "A numpy array with a copy of the data."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot tensor_slots[] = {
    {Py_tp_doc, "A tensor with optional level-of-detail information (LoD)."},
    {Py_tp_str, core_tensor_text},
    {Py_tp_new, tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_methods, tensor_methods},
    {0, NULL},
};

static PyType_Spec tensor_spec = {
    .name = "paddle._core.LoDTensor",
    .basicsize = sizeof(core_tensor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = tensor_slots,
};

/* ---- SelectedRows ---- */

static PyObject *rows_rows(PyObject *object, PyObject *unused)
{
    const rg_value *value = ((core_tensor *)object)->value;
    (void)unused;
    return numbers_list(value->rows, value->n_rows, false);
}

static PyObject *rows_height(PyObject *object, PyObject *unused)
{
    const rg_value *value = ((core_tensor *)object)->value;
    (void)unused;
    return PyLong_FromLongLong(value->meta.shape.rank > 0 ? value->meta.shape.dim[0] : 0);
}

/* set(rows, height, array): all of it at once, so that it is never half changed. */
static PyObject *rows_set(PyObject *object, PyObject *args)
{
    core_tensor *self = (core_tensor *)object;
    PyObject *rows, *source;
    long long height;
    if (!PyArg_ParseTuple(args, "OLO:set", &rows, &height, &source))
        return NULL;
    core_array array;
    levels l = {0};
    if (parse_level(rows, &l) < 0 || core_from_numpy(source, &array) < 0) {
        free_levels(&l);
        return NULL;
    }
    rg_status code = RG_OK;
    if (array.shape.rank < 1 || array.shape.dim[0] != (int64_t)l.count[0])
        code = rg_fail(RG_EINVAL, "%zu rows need an array whose first dimension is that",
                       l.count[0]);
    for (size_t i = 0; code == RG_OK && i < l.count[0]; i++)
        if (l.numbers[0][i] < 0 || l.numbers[0][i] >= height)
            code = rg_fail(RG_EINVAL, "row %lld of a table of height %lld",
                           (long long)l.numbers[0][i], height);
    if (code == RG_OK) {
        rg_shape dense = array.shape;
        dense.dim[0] = height;
        code = rg_value_resize_rows(self->value, array.dtype, &dense, l.count[0]);
    }
    if (code == RG_OK && l.count[0] > 0) {
        memcpy(self->value->rows, l.numbers[0], l.count[0] * sizeof(int64_t));
        memcpy(self->value->data, array.data, rg_value_bytes(self->value));
    }
    free_levels(&l);
    Py_DECREF(array.holder);
    CORE_TRY(code);
    core_tensor_changed(self);
    Py_RETURN_NONE;
}

/* The values as a tensor of [rows, width], a copy. */
static PyObject *rows_tensor(PyObject *object, PyObject *unused)
{
    const rg_value *value = ((core_tensor *)object)->value;
    (void)unused;
    rg_value *copy;
    CORE_TRY(rg_value_new(&copy));
    rg_shape shape = value->meta.shape;
    if (shape.rank > 0)
        shape.dim[0] = (int64_t)value->n_rows;
    rg_status code = rg_value_resize(copy, value->meta.dtype, &shape);
    if (code == RG_OK && value->n_rows > 0)
        memcpy(copy->data, value->data, rg_value_bytes(value));
    PyObject *tensor = code == RG_OK ? core_wrap_tensor(core_tensor_type, copy, NULL)
                                     : core_raise(code);
    rg_value_release(copy);
    return tensor;
}

static PyMethodDef rows_methods[] = {
    {"rows", rows_rows, METH_NOARGS, "The row numbers, duplicates included."},
    {"height", rows_height, METH_NOARGS, "The rows of the dense tensor it stands for."},
    {"get_tensor", rows_tensor, METH_NOARGS, "A copy of the values, one row each."},
    {"set", rows_set, METH_VARARGS, "set(rows, height, array)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot rows_slots[] = {
    {Py_tp_doc, "Some rows of a large tensor: a sparse gradient."},
    {Py_tp_new, tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_methods, rows_methods},
    {0, NULL},
};

static PyType_Spec rows_spec = {
    .name = "paddle._core.SelectedRows",
    .basicsize = sizeof(core_tensor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = rows_slots,
};

/* ---- LoDTensorArray ---- */

static Py_ssize_t array_length(PyObject *object)
{
    return (Py_ssize_t)((core_tensor *)object)->value->n_items;
}

static PyObject *array_item(PyObject *object, Py_ssize_t i)
{
    core_tensor *self = (core_tensor *)object;
    if (i < 0 || (size_t)i >= self->value->n_items) {
        PyErr_SetString(PyExc_IndexError, "LoDTensorArray index out of range");
        return NULL;
    }
    return core_wrap_tensor(core_tensor_type, self->value->items[i], self->scope);
}

static PyObject *array_append(PyObject *object, PyObject *tensor)
{
    core_tensor *self = (core_tensor *)object;
    if (!PyObject_TypeCheck(tensor, core_tensor_type)) {
        PyErr_SetString(PyExc_TypeError, "append takes a LoDTensor");
        return NULL;
    }
    rg_value *item;
    CORE_TRY(rg_value_item(self->value, self->value->n_items, &item));
    CORE_TRY(rg_value_copy(item, ((core_tensor *)tensor)->value));
    Py_RETURN_NONE;
}

static PyMethodDef array_methods[] = {
    {"append", array_append, METH_O, "append(tensor): a copy of it at the end."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot array_slots[] = {
    {Py_tp_doc, "An array of LoDTensors."},
    {Py_tp_new, tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_methods, array_methods},
    {Py_sq_length, array_length},
    {Py_sq_item, array_item},
    {0, NULL},
};

static PyType_Spec array_spec = {
    .name = "paddle._core.LoDTensorArray",
    .basicsize = sizeof(core_tensor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = array_slots,
};

int core_add_tensor(PyObject *module)
{
    core_tensor_type = core_make_type(module, &tensor_spec);
    core_rows_type = core_make_type(module, &rows_spec);
    core_array_type = core_make_type(module, &array_spec);
    return core_tensor_type && core_rows_type && core_array_type ? 0 : -1;
}
