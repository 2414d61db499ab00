/* payload.h - how values travel: as floats, as halves, or as bytes that share scales.
 *
 * FLAGS_rpc_payload of a trainer chooses. Each request says by its flags what its gradients are in,
 * so trainers of one job may differ; what comes back is in floats, or in halves where the request
 * is in less than floats: updates are too small for parameters in bytes.
 *
 * Bytes: a float32 scale for each group of values, then a byte for each value (base/int8.h). A
 * group is a row of a table, or RG_PAYLOAD_BLOCK values of a dense gradient. */
#ifndef RG_DIST_PAYLOAD_H
#define RG_DIST_PAYLOAD_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum rg_payload {
    RG_PAYLOAD_FLOATS,
    RG_PAYLOAD_HALVES,
    RG_PAYLOAD_BYTES,
    RG_PAYLOADS,
} rg_payload;

enum { RG_PAYLOAD_BLOCK = 256 };

/* As users write it: fp32, fp16, int8. */
const char *rg_payload_name(rg_payload payload);
/* What FLAGS_rpc_payload says; RG_EINVAL, saying what it may be. */
rg_status rg_payload_flag(rg_payload *payload);

/* The upper byte of a frame's flags; RG_ECORRUPT for what there is not. */
uint16_t rg_payload_to_flags(rg_payload payload);
rg_status rg_payload_of_request(uint16_t flags, rg_payload *payload);
rg_status rg_payload_of_answer(uint16_t flags, rg_payload *payload); /* no bytes */
/* What a request in `payload` is answered in. */
rg_payload rg_payload_back(rg_payload payload);

/* The least that a value takes. */
size_t rg_payload_least(rg_payload payload);
/* n values with their scales, without padding. Nothing wraps below 2^60 values. */
size_t rg_payload_bytes(rg_payload payload, size_t n, size_t group);
/* The same with zeros up to a multiple of 8. */
size_t rg_payload_padded(rg_payload payload, size_t n, size_t group);

/* rg_payload_padded() bytes at `to`, and rg_payload_bytes() from `from`; both aligned to 4. */
void rg_payload_write(rg_payload payload, void *to, const float *from, size_t n, size_t group);
void rg_payload_read(rg_payload payload, float *to, const void *from, size_t n, size_t group);

/* RG_PAYLOAD_BYTES: what `from` has more than what was written of it. */
void rg_payload_lost(float *lost, const float *from, const void *written, size_t n, size_t group);

#endif
