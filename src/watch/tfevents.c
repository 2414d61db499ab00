/* tfevents.c - TFRecord framing, and the few fields of tensorflow.Event that scalars need.
 *
 *     Event   { 1: double wall_time; 2: int64 step; 3: string file_version; 5: Summary summary }
 *     Summary { 1: repeated Value value }      Value { 1: string tag; 2: float simple_value } */
#include "watch/tfevents.h"

#include "base/crc32c.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 }; /* of protobuf's wire format */

/* A checksum of bytes that hold checksums says little: it is turned and shifted. */
static uint32_t masked(const void *bytes, size_t n)
{
    uint32_t crc = rg_crc32c(0, bytes, n);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

void rg_tf_record(rg_buf *out, const void *bytes, size_t n)
{
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)((uint64_t)n >> (8 * i));
    rg_buf_add(out, length, sizeof length);
    rg_buf_u32(out, masked(length, sizeof length));
    rg_buf_add(out, bytes, n);
    rg_buf_u32(out, masked(bytes, n));
}

static void add_varint(rg_buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        rg_buf_char(out, (char)(value | 0x80));
    rg_buf_char(out, (char)value);
}

static void add_key(rg_buf *out, int field, int type)
{
    add_varint(out, (uint64_t)field << 3 | (uint64_t)type);
}

static void add_bytes(rg_buf *out, int field, const void *bytes, size_t n)
{
    add_key(out, field, BYTES);
    add_varint(out, n);
    rg_buf_add(out, bytes, n);
}

static void add_time(rg_buf *out, double seconds)
{
    add_key(out, 1, FIXED64);
    rg_buf_f64(out, seconds);
}

void rg_tf_version(rg_buf *out, double seconds)
{
    static const char version[] = "brain.Event:2";
    rg_buf event;
    rg_buf_init(&event, 0);
    add_time(&event, seconds);
    add_bytes(&event, 3, version, strlen(version));
    rg_tf_record(out, event.data, event.len);
    rg_buf_fini(&event);
}

static void add_scalar(rg_buf *summary, const rg_tf_scalar *scalar)
{
    rg_buf value;
    uint32_t bits;
    memcpy(&bits, &scalar->value, sizeof bits);
    rg_buf_init(&value, 0);
    add_bytes(&value, 1, scalar->tag, strlen(scalar->tag));
    add_key(&value, 2, FIXED32);
    rg_buf_u32(&value, bits);
    add_bytes(summary, 1, value.data, value.len);
    rg_buf_fini(&value);
}

void rg_tf_scalars(rg_buf *out, double seconds, int64_t step, const rg_tf_scalar *scalars, size_t n)
{
    rg_buf event, summary;
    rg_buf_init(&event, 0);
    rg_buf_init(&summary, 0);
    for (size_t i = 0; i < n; i++)
        add_scalar(&summary, &scalars[i]);
    add_time(&event, seconds);
    add_key(&event, 2, VARINT);
    add_varint(&event, (uint64_t)step);
    add_bytes(&event, 5, summary.data, summary.len);
    if (rg_buf_status(&event) == RG_OK && rg_buf_status(&summary) == RG_OK)
        rg_tf_record(out, event.data, event.len);
    rg_buf_fini(&event);
    rg_buf_fini(&summary);
}
