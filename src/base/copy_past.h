/* copy_past.h - large copies past the caches, for bytes that this core does not read next. */
#ifndef RG_BASE_COPY_PAST_H
#define RG_BASE_COPY_PAST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

/* n bytes; the two do not overlap. They are there for others when this returns. */
static inline void rg_copy_past(uint8_t *to, const uint8_t *from, size_t n)
{
#ifdef __x86_64__
    enum { LINE = 64 };
    size_t head = (size_t)(LINE - (uintptr_t)to % LINE) % LINE;
    head = head < n ? head : n;
    memcpy(to, from, head);
    to += head;
    from += head;
    n -= head;
    size_t whole = n / LINE * LINE;
    for (size_t i = 0; i < whole; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
    to += whole;
    from += whole;
    n -= whole;
#endif
    memcpy(to, from, n);
}

#endif
