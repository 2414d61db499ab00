/* payload.c - values as they travel. */
#include "dist/payload.h"

#include "base/half.h"
#include "base/int8.h"
#include "dist/protocol.h"
#include "sys/flags.h"

#include <string.h>

static const char *const names[RG_PAYLOADS] = {"fp32", "fp16", "int8"};

const char *rg_payload_name(rg_payload payload)
{
    return names[payload];
}

rg_status rg_payload_flag(rg_payload *payload)
{
    const char *name;
    RG_TRY(rg_flag_text("rpc_payload", &name));
    for (int i = 0; i < RG_PAYLOADS; i++)
        if (strcmp(name, names[i]) == 0) {
            *payload = (rg_payload)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "FLAGS_rpc_payload is '%s', and must be fp32, fp16 or int8", name);
}

uint16_t rg_payload_to_flags(rg_payload payload)
{
    return (uint16_t)(payload * RG_FRAME_USER);
}

static rg_status of_flags(uint16_t flags, rg_payload most, rg_payload *payload)
{
    int number = flags / RG_FRAME_USER;
    if (number > (int)most)
        return rg_fail(RG_ECORRUPT, "values in payload %d, of which nothing is known", number);
    *payload = (rg_payload)number;
    return RG_OK;
}

rg_status rg_payload_of_request(uint16_t flags, rg_payload *payload)
{
    return of_flags(flags, RG_PAYLOAD_BYTES, payload);
}

rg_status rg_payload_of_answer(uint16_t flags, rg_payload *payload)
{
    return of_flags(flags, RG_PAYLOAD_HALVES, payload);
}

rg_payload rg_payload_back(rg_payload payload)
{
    return payload == RG_PAYLOAD_FLOATS ? RG_PAYLOAD_FLOATS : RG_PAYLOAD_HALVES;
}

size_t rg_payload_least(rg_payload payload)
{
    static const size_t sizes[RG_PAYLOADS] = {sizeof(float), sizeof(uint16_t), sizeof(int8_t)};
    return sizes[payload];
}

static size_t scales_bytes(size_t n, size_t group)
{
    return rg_int8_groups(n, group) * sizeof(float);
}

size_t rg_payload_bytes(rg_payload payload, size_t n, size_t group)
{
    return n * rg_payload_least(payload) +
           (payload == RG_PAYLOAD_BYTES ? scales_bytes(n, group) : 0);
}

size_t rg_payload_padded(rg_payload payload, size_t n, size_t group)
{
    return rg_ps_padded(rg_payload_bytes(payload, n, group));
}

void rg_payload_write(rg_payload payload, void *to, const float *from, size_t n, size_t group)
{
    size_t bytes = rg_payload_bytes(payload, n, group);
    if (n == 0)
        return; /* which may have no place */
    if (payload == RG_PAYLOAD_BYTES)
        rg_int8_from_floats((int8_t *)to + scales_bytes(n, group), to, from, n, group);
    else if (payload == RG_PAYLOAD_HALVES)
        rg_half_from_floats(to, from, n);
    else
        memcpy(to, from, bytes);
    memset((uint8_t *)to + bytes, 0, rg_ps_padded(bytes) - bytes);
}

void rg_payload_read(rg_payload payload, float *to, const void *from, size_t n, size_t group)
{
    if (payload == RG_PAYLOAD_BYTES)
        rg_int8_to_floats(to, (const int8_t *)from + scales_bytes(n, group), from, n, group);
    else if (payload == RG_PAYLOAD_HALVES)
        rg_half_to_floats(to, from, n);
    else
        memcpy(to, from, n * sizeof *to);
}

void rg_payload_lost(float *lost, const float *from, const void *written, size_t n, size_t group)
{
    rg_int8_lost(lost, from, (const int8_t *)written + scales_bytes(n, group), written, n, group);
}
