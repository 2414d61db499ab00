/* bytes.c - numbers of bytes as people write them. */
#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static rg_status bad_size(const char *what, const char *text)
{
    return rg_fail(RG_EINVAL,
                   "%s is '%s': a number of bytes is wanted, above 0, that may end in K, M, G or T "
                   "(as 8G or 512M)",
                   what, text);
}

/* How many bits the unit stands for; -1: it is none. */
static int shift_of(const char *unit)
{
    static const char units[] = "kmgt";
    if (unit[0] == '\0' || (strcmp(unit, "b") == 0 || strcmp(unit, "B") == 0))
        return 0;
    const char *at = strchr(units, unit[0] | 0x20);
    const char *rest = unit + 1;
    rest += (rest[0] | 0x20) == 'i' && (rest[1] | 0x20) == 'b';
    rest += (rest[0] | 0x20) == 'b';
    return at != NULL && *rest == '\0' ? 10 * (int)(at - units + 1) : -1;
}

rg_status rg_parse_bytes(const char *what, const char *text, size_t *bytes)
{
    size_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(number, (size_t)10, &number) ||
            __builtin_add_overflow(number, (size_t)(*at - '0'), &number))
            return bad_size(what, text);
    int shift = shift_of(at);
    if (at == text || shift < 0 || number == 0 || number > SIZE_MAX >> shift >> 1)
        return bad_size(what, text);
    *bytes = number << shift;
    return RG_OK;
}

const char *rg_show_bytes(size_t bytes, char text[RG_BYTES_TEXT])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    size_t unit = 0;
    for (; number >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        number /= 1024;
    bool whole = number - (double)(long)number < 0.05;
    (void)snprintf(text, RG_BYTES_TEXT, "%.*f %s", whole ? 0 : 1, number, units[unit]);
    return text;
}
