/* past.c - the rates of all steps so far, by number. */
#include "ops/past.h"

#include "base/mem.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    CHUNK = 1 << 14,  /* rates in a chunk */
    CHUNKS = 1 << 14, /* chunks there can be */
};

struct rg_past {
    float numbers[RG_IDLE_NUMBERS];
    _Atomic uint32_t now;
    _Atomic uint32_t spoilt;      /* the last step whose rate is NaN or infinite; 0: none */
    float *_Atomic rates[CHUNKS]; /* of step i, at [i / CHUNK][i % CHUNK] */
};

rg_status rg_past_open(rg_past **out)
{
    rg_past *past = rg_alloc_zero(1, sizeof *past);
    if (past == NULL)
        return rg_no_memory(sizeof *past, "an optimizer's steps");
    atomic_store(&past->now, 1);
    *out = past;
    return RG_OK;
}

void rg_past_close(rg_past *past)
{
    for (size_t i = 0; past != NULL && i < CHUNKS; i++)
        rg_free(atomic_load(&past->rates[i]));
    rg_free(past);
}

uint32_t rg_past_now(const rg_past *past)
{
    return atomic_load(&past->now);
}

bool rg_past_takes(const rg_past *past, const float numbers[RG_IDLE_NUMBERS])
{
    return memcmp(past->numbers, numbers, sizeof past->numbers) == 0 &&
           rg_past_now(past) + 2 < (uint32_t)CHUNK * CHUNKS;
}

void rg_past_reset(rg_past *past, const float numbers[RG_IDLE_NUMBERS])
{
    memcpy(past->numbers, numbers, sizeof past->numbers);
    atomic_store(&past->now, 1);
    atomic_store(&past->spoilt, 0);
}

rg_status rg_past_note(rg_past *past, float rate, uint32_t *step)
{
    uint32_t next = rg_past_now(past) + 1;
    float *chunk = atomic_load(&past->rates[next / CHUNK]);
    if (chunk == NULL) {
        chunk = rg_alloc_zero(CHUNK, sizeof *chunk);
        if (chunk == NULL)
            return rg_no_memory(CHUNK * sizeof *chunk, "an optimizer's rates");
        atomic_store_explicit(&past->rates[next / CHUNK], chunk, memory_order_release);
    }
    chunk[next % CHUNK] = rate;
    if (!isfinite(rate))
        atomic_store(&past->spoilt, next);
    *step = next;
    return RG_OK;
}

void rg_past_advance(rg_past *past, uint32_t step)
{
    atomic_store(&past->now, step);
}

const float *rg_past_numbers(const rg_past *past)
{
    return past->numbers;
}

float rg_past_rate(const rg_past *past, uint32_t step)
{
    return atomic_load_explicit(&past->rates[step / CHUNK], memory_order_acquire)[step % CHUNK];
}

bool rg_past_spoilt(const rg_past *past, uint32_t since)
{
    return atomic_load_explicit(&past->spoilt, memory_order_relaxed) > since;
}

void rg_past_write(const rg_past *past, rg_buf *out)
{
    uint32_t now = rg_past_now(past);
    rg_buf_add(out, past->numbers, sizeof past->numbers);
    rg_buf_u32(out, now);
    for (uint32_t step = 2; step <= now; step++) {
        float rate = rg_past_rate(past, step);
        rg_buf_add(out, &rate, sizeof rate);
    }
}

rg_status rg_past_read(rg_past *past, rg_cursor *in)
{
    const uint8_t *bytes;
    float numbers[RG_IDLE_NUMBERS], rate;
    uint32_t now, step;
    RG_TRY(rg_cursor_take(in, sizeof numbers, &bytes));
    memcpy(numbers, bytes, sizeof numbers);
    RG_TRY(rg_cursor_u32(in, &now));
    rg_past_reset(past, numbers);
    for (uint32_t i = 2; i <= now; i++) {
        RG_TRY(rg_cursor_take(in, sizeof rate, &bytes));
        memcpy(&rate, bytes, sizeof rate);
        RG_TRY(rg_past_note(past, rate, &step));
        rg_past_advance(past, step);
    }
    return RG_OK;
}

void rg_past_fade(const rg_past *past, uint32_t since, uint32_t now, float mu, float sums[2])
{
    double left = 1, moved = 0;
    for (uint32_t step = since + 1; step <= now && (left > 1e-12 || left < -1e-12); step++) {
        left *= (double)mu;
        moved += (double)rg_past_rate(past, step) * left;
    }
    sums[0] = (float)pow((double)mu, (double)(now - since));
    sums[1] = (float)moved;
}

void rg_past_memo_init(rg_past_memo *memo, uint32_t now)
{
    memo->now = now;
    memset(memo->since, 0, sizeof memo->since);
}
