/* elements.c - single elements of tensors, their memory and their text, as Fluid's tensors have
 * them. */
#include "_core/core.h"

#include "tensor/device.h"

#include "base/buf.h"
#include "tensor/value_text.h"

#include <string.h>

/* ---- text ---- */

PyObject *core_tensor_text(PyObject *object)
{
    const rg_value *value = ((core_tensor *)object)->value;
    rg_value_settle(value);
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_buf_char(&text, '\t');
    rg_value_write_text(&text, value);
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
    rg_value_settle(self->value);
    rg_value_place(self->value, &rg_cpu);
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
    const rg_device *device = rg_device_of(((core_tensor *)object)->value);
    PyObject *place = core ? PyObject_CallMethod(core, "_place_of", "i",
                                                 device->on_host ? -1 : device->number)
                           : NULL;
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
    rg_status code = rg_value_move(value, &rg_cpu); /* a plan brings it back when it runs */
    if (code != RG_OK) {
        (void)core_raise(code);
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
