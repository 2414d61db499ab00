/* elements.c - single elements of tensors, their memory and their text, as Fluid's tensors have
 * them. */
#include "_core/core.h"

#include "base/buf.h"
#include "base/half.h"

#include <inttypes.h>
#include <string.h>

/* ---- text ---- */

static const char *cpp_name(rg_dtype dtype)
{
    switch (dtype) {
    case RG_F32:
        return "float";
    case RG_F64:
        return "double";
    case RG_I32:
        return "int";
    case RG_I64:
        return "int64_t";
    case RG_I16:
        return "int16_t";
    case RG_I8:
        return "int8_t";
    case RG_U8:
        return "uint8_t";
    case RG_SIZE_T:
        return "size_t";
    case RG_F16:
        return "::paddle::platform::float16";
    default:
        return rg_dtype_name(dtype);
    }
}

static void add_element(rg_buf *text, const rg_value *value, int64_t i)
{
    const void *data = value->data;
    float half;
    switch (value->meta.dtype) {
    case RG_F32:
        rg_buf_printf(text, "%g", (double)((const float *)data)[i]);
        break;
    case RG_F64:
        rg_buf_printf(text, "%g", ((const double *)data)[i]);
        break;
    case RG_F16:
        rg_half_to_floats(&half, (const uint16_t *)data + i, 1);
        rg_buf_printf(text, "%g", (double)half);
        break;
    case RG_I32:
        rg_buf_printf(text, "%" PRId32, ((const int32_t *)data)[i]);
        break;
    case RG_I64:
        rg_buf_printf(text, "%" PRId64, ((const int64_t *)data)[i]);
        break;
    case RG_SIZE_T:
        rg_buf_printf(text, "%" PRIu64, ((const uint64_t *)data)[i]);
        break;
    case RG_I16:
        rg_buf_printf(text, "%d", ((const int16_t *)data)[i]);
        break;
    case RG_I8: /* as numbers; Paddle writes them as characters */
        rg_buf_printf(text, "%d", ((const int8_t *)data)[i]);
        break;
    default:
        rg_buf_printf(text, "%u", ((const uint8_t *)data)[i]);
    }
}

static void add_lod(rg_buf *text, const rg_lod *lod)
{
    rg_buf_text(text, "\tlod: {");
    for (int level = 0; lod != NULL && level < lod->levels; level++) {
        for (size_t i = 0; i < lod->count[level]; i++)
            rg_buf_printf(text, "%s%" PRId64, i == 0 ? "{" : ", ", lod->offset[level][i]);
        rg_buf_text(text, "}");
    }
    rg_buf_text(text, "}\n");
}

static void add_tensor(rg_buf *text, const rg_value *value)
{
    const rg_shape *shape = &value->meta.shape;
    add_lod(text, value->meta.lod);
    rg_buf_text(text, "\tdim: ");
    for (int i = 0; i < shape->rank; i++)
        rg_buf_printf(text, "%s%" PRId64, i == 0 ? "" : ", ", shape->dim[i]);
    rg_buf_printf(text, "\n\tlayout: NCHW\n\tdtype: %s\n\tdata: ", cpp_name(value->meta.dtype));
    if (value->data == NULL) {
        rg_buf_text(text, "none yet\n");
        return;
    }
    for (int64_t i = 0, n = rg_numel(value); i < n; i++) {
        rg_buf_char(text, i == 0 ? '[' : ' ');
        add_element(text, value, i);
    }
    rg_buf_text(text, rg_numel(value) == 0 ? "[]\n" : "]\n");
}

PyObject *core_tensor_text(PyObject *object)
{
    const rg_value *value = ((core_tensor *)object)->value;
    rg_value_settle(value);
    rg_buf text;
    rg_buf_init(&text, 0);
    add_tensor(&text, value);
    PyObject *out = rg_buf_status(&text) == RG_OK ? PyUnicode_FromString(rg_buf_cstr(&text))
                                                  : core_raise(rg_buf_status(&text));
    rg_buf_fini(&text);
    return out;
}

/* ---- memory ---- */

/* _set_dims(shape): of a tensor that is filled afterwards. What it holds stays where it fits. */
PyObject *core_tensor_set_dims(PyObject *object, PyObject *dims)
{
    core_tensor *self = (core_tensor *)object;
    rg_shape shape;
    if (core_parse_shape(dims, &shape) < 0)
        return NULL;
    for (int i = 0; i < shape.rank; i++)
        if (shape.dim[i] < 0)
            return PyErr_Format(PyExc_ValueError, "_set_dims: dimension %d is %lld", i,
                                (long long)shape.dim[i]);
    if (self->value->data != NULL)
        CORE_TRY(rg_value_resize(self->value, self->value->meta.dtype, &shape));
    self->value->meta.shape = shape;
    core_tensor_changed(self);
    Py_RETURN_NONE;
}

static PyObject *alloc(PyObject *object, rg_dtype dtype)
{
    core_tensor *self = (core_tensor *)object;
    rg_shape shape = self->value->meta.shape;
    CORE_TRY(rg_value_resize(self->value, dtype, &shape));
    memset(self->value->data, 0, rg_value_bytes(self->value));
    core_tensor_changed(self);
    Py_RETURN_NONE;
}

PyObject *core_tensor_alloc_float(PyObject *object, PyObject *place)
{
    (void)place;
    return alloc(object, RG_F32);
}

PyObject *core_tensor_alloc_double(PyObject *object, PyObject *place)
{
    (void)place;
    return alloc(object, RG_F64);
}

PyObject *core_tensor_alloc_int(PyObject *object, PyObject *place)
{
    (void)place;
    return alloc(object, RG_I32);
}

/* A capsule with a copy of the data, for other libraries: numpy makes it. */
PyObject *core_tensor_to_dlpack(PyObject *object, PyObject *unused)
{
    (void)unused;
    PyObject *array = core_to_numpy(((core_tensor *)object)->value);
    PyObject *capsule = array ? PyObject_CallMethod(array, "__dlpack__", NULL) : NULL;
    Py_XDECREF(array);
    return capsule;
}

PyObject *core_tensor_place(PyObject *object, PyObject *unused)
{
    (void)unused;
    if (((core_tensor *)object)->value->data == NULL)
        return PyErr_Format(PyExc_ValueError, "_place(): the tensor has no value yet");
    PyObject *core = PyImport_ImportModule("paddle.fluid.core");
    PyObject *place = core ? PyObject_CallMethod(core, "Place", NULL) : NULL;
    Py_XDECREF(core);
    return place;
}

/* ---- elements ---- */

/* The tensor's data, checked: of that type, and with an element i. */
static void *element_of(PyObject *object, long long i, rg_dtype dtype)
{
    rg_value *value = ((core_tensor *)object)->value;
    rg_value_settle(value);
    if (value->data == NULL || i < 0 || i >= rg_numel(value)) {
        PyErr_Format(PyExc_IndexError, "element %lld of a tensor that has %lld", i,
                     value->data == NULL ? 0LL : (long long)rg_numel(value));
        return NULL;
    }
    if (value->meta.dtype != dtype) {
        PyErr_Format(PyExc_TypeError, "the tensor holds %s, and %s is asked for",
                     rg_dtype_name(value->meta.dtype), rg_dtype_name(dtype));
        return NULL;
    }
    return (char *)value->data + (size_t)i * rg_dtype_size(dtype);
}

PyObject *core_tensor_get_float(PyObject *object, PyObject *index)
{
    long long i = PyLong_AsLongLong(index);
    const float *at = i == -1 && PyErr_Occurred() ? NULL : element_of(object, i, RG_F32);
    return at == NULL ? NULL : PyFloat_FromDouble((double)*at);
}

PyObject *core_tensor_get_double(PyObject *object, PyObject *index)
{
    long long i = PyLong_AsLongLong(index);
    const double *at = i == -1 && PyErr_Occurred() ? NULL : element_of(object, i, RG_F64);
    return at == NULL ? NULL : PyFloat_FromDouble(*at);
}

PyObject *core_tensor_set_float(PyObject *object, PyObject *args)
{
    long long i;
    double number;
    if (!PyArg_ParseTuple(args, "Ld:_set_float_element", &i, &number))
        return NULL;
    float *at = element_of(object, i, RG_F32);
    if (at == NULL)
        return NULL;
    *at = (float)number;
    Py_RETURN_NONE;
}

PyObject *core_tensor_set_double(PyObject *object, PyObject *args)
{
    long long i;
    double number;
    if (!PyArg_ParseTuple(args, "Ld:_set_double_element", &i, &number))
        return NULL;
    double *at = element_of(object, i, RG_F64);
    if (at == NULL)
        return NULL;
    *at = number;
    Py_RETURN_NONE;
}
