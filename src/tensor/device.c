/* device.c - the CPU as a device, and copies between devices. */
#include "tensor/device.h"

#include "base/mem.h"
#include "sys/pages.h"

#include <string.h>

static void *cpu_alloc(const rg_device *device, size_t bytes)
{
    (void)device;
    return rg_pages_alloc(bytes);
}

static void cpu_free(const rg_device *device, void *memory, size_t bytes)
{
    (void)device;
    rg_pages_free(memory, bytes);
}

static rg_status cpu_copy(const rg_device *device, void *to, bool to_host, const void *from,
                          bool from_host, size_t bytes, void *stream)
{
    (void)device, (void)to_host, (void)from_host, (void)stream;
    memcpy(to, from, bytes);
    return RG_OK;
}

static rg_status cpu_sync(const rg_device *device, void *stream)
{
    (void)device, (void)stream;
    return RG_OK;
}

const rg_device rg_cpu = {
    .name = "cpu",
    .on_host = true,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .copy = cpu_copy,
    .sync = cpu_sync,
};

void rg_value_place(rg_value *value, const rg_device *device)
{
    if (rg_device_of(value) == device)
        return;
    rg_storage_release(value->storage);
    value->storage = NULL;
    value->data = NULL;
    rg_value_drop_rows(value);
    value->device = device;
}

rg_status rg_value_move(rg_value *value, const rg_device *device)
{
    rg_value there;
    if (rg_device_of(value) == device)
        return RG_OK;
    if (value->data == NULL || (value->meta.kind != RG_TENSOR && value->meta.kind != RG_ROWS)) {
        rg_value_place(value, device);
        return RG_OK;
    }
    rg_value_settle(value);
    rg_value_init(&there);
    there.device = device;
    rg_status code = rg_value_copy(&there, value);
    if (code == RG_OK) {
        rg_value_place(value, device);
        value->storage = there.storage;
        value->data = there.data;
        value->rows = there.rows;
        value->n_rows = there.n_rows;
        value->cap_rows = there.cap_rows;
        there.storage = NULL;
        there.data = NULL;
        there.rows = NULL;
    }
    rg_value_fini(&there);
    return code;
}

/* A copy that is over when this returns, after all that plans have put into their streams. */
static rg_status copy_now(const rg_device *device, void *to, bool to_host, const void *from,
                          bool from_host, size_t bytes)
{
    RG_TRY(device->copy(device, to, to_host, from, from_host, bytes, NULL));
    return device->sync(device, NULL);
}

const void *rg_host_data(const rg_value *value)
{
    const rg_device *device = rg_device_of(value);
    rg_storage *s = value->storage;
    size_t bytes = rg_value_bytes(value);
    if (device->on_host || value->data == NULL || s == NULL)
        return value->data;
    if (s->host_bytes < bytes) {
        void *host = rg_realloc(s->host, bytes);
        if (host == NULL) {
            (void)rg_no_memory(bytes, "a tensor's copy for the host");
            return NULL;
        }
        s->host = host;
        s->host_bytes = bytes;
    }
    return copy_now(device, s->host, true, value->data, false, bytes) == RG_OK ? s->host : NULL;
}

rg_status rg_host_write(rg_value *value, size_t offset, const void *from, size_t bytes)
{
    const rg_device *device = rg_device_of(value);
    uint8_t *to = (uint8_t *)value->data + offset;
    if (bytes == 0)
        return RG_OK;
    if (!device->on_host)
        return copy_now(device, to, false, from, true, bytes);
    memcpy(to, from, bytes);
    return RG_OK;
}

rg_status rg_device_copy(rg_value *to, const rg_value *from, size_t bytes)
{
    const rg_device *there = rg_device_of(to), *here = rg_device_of(from);
    if (bytes == 0 || to->data == from->data)
        return RG_OK;
    if (there == here && !there->on_host)
        return copy_now(there, to->data, false, from->data, false, bytes);
    const void *data = rg_host_data(from);
    if (data == NULL)
        return RG_ENOMEM;
    return rg_host_write(to, 0, data, bytes);
}

rg_status rg_device_copy_rows(rg_value *to, const rg_value *from)
{
    const rg_device *there = rg_device_of(to), *here = rg_device_of(from);
    size_t bytes = from->n_rows * sizeof *from->rows;
    if (bytes == 0)
        return RG_OK;
    if (there == here || here->on_host)
        return copy_now(there, to->rows, there->on_host, from->rows, here->on_host, bytes);
    if (there->on_host)
        return copy_now(here, to->rows, true, from->rows, false, bytes);
    int64_t *rows = rg_alloc(bytes);
    if (rows == NULL)
        return rg_no_memory(bytes, "row numbers");
    rg_status code = copy_now(here, rows, true, from->rows, false, bytes);
    if (code == RG_OK)
        code = copy_now(there, to->rows, false, rows, true, bytes);
    rg_free(rows);
    return code;
}
