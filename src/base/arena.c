/* arena.c - chunks of growing size behind base/arena.h. */
#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

enum { FIRST_CHUNK = 4096, ALIGN_SMALL = 16, ALIGN_LARGE = 64 };

typedef struct rg_arena_chunk {
    struct rg_arena_chunk *next;
    size_t used, size;
    alignas(16) unsigned char bytes[];
} chunk;

static void *take(chunk *c, size_t bytes, size_t align)
{
    uintptr_t base = (uintptr_t)c->bytes;
    uintptr_t at = (base + c->used + align - 1) & ~(uintptr_t)(align - 1);
    size_t start = at - base;
    if (start > c->size || bytes > c->size - start)
        return NULL;
    c->used = start + bytes;
    return c->bytes + start;
}

static chunk *new_chunk(size_t at_least, size_t previous)
{
    size_t size = previous ? previous * 2 : FIRST_CHUNK;
    if (size < at_least)
        size = at_least;
    size_t all;
    if (!rg_add_size(size, sizeof(chunk), &all))
        return NULL;
    chunk *c = rg_alloc(all);
    if (c == NULL)
        return NULL;
    c->next = NULL;
    c->used = 0;
    c->size = size;
    return c;
}

void *rg_arena_alloc(rg_arena *arena, size_t bytes)
{
    size_t align = bytes >= ALIGN_LARGE ? ALIGN_LARGE : ALIGN_SMALL, padded;
    if (!rg_add_size(bytes, align, &padded))
        return NULL;
    for (chunk *c = arena->now; c != NULL; c = c->next) {
        void *p = take(c, bytes, align);
        if (p != NULL) {
            arena->now = c;
            return p;
        }
        if (c->next == NULL) {
            c->next = new_chunk(padded, c->size);
            if (c->next == NULL)
                return NULL;
        }
        c->next->used = 0;
    }
    arena->first = arena->now = new_chunk(padded, 0);
    return arena->now ? take(arena->now, bytes, align) : NULL;
}

void *rg_arena_zero(rg_arena *arena, size_t bytes)
{
    void *p = rg_arena_alloc(arena, bytes);
    if (p != NULL)
        memset(p, 0, bytes);
    return p;
}

void *rg_arena_copy(rg_arena *arena, const void *bytes, size_t n)
{
    void *p = rg_arena_alloc(arena, n);
    if (p != NULL && n > 0)
        memcpy(p, bytes, n);
    return p;
}

char *rg_arena_strndup(rg_arena *arena, const char *text, size_t length)
{
    char *p = rg_arena_alloc(arena, length + 1);
    if (p != NULL) {
        memcpy(p, text, length);
        p[length] = '\0';
    }
    return p;
}

char *rg_arena_strdup(rg_arena *arena, const char *text)
{
    return rg_arena_strndup(arena, text, strlen(text));
}

void rg_arena_reset(rg_arena *arena)
{
    arena->now = arena->first;
    if (arena->now != NULL)
        arena->now->used = 0;
}

void rg_arena_free(rg_arena *arena)
{
    for (chunk *c = arena->first, *next; c != NULL; c = next) {
        next = c->next;
        rg_free(c);
    }
    *arena = RG_ARENA_EMPTY;
}
