/* arena.h - memory for things that die together: a program, a step, a request.
 *
 * One thread at a time. Nothing is freed singly; reset keeps the memory for the
 * next round, so that a loop which asks for the same sizes stops calling
 * malloc after its first turn. */
#ifndef RG_BASE_ARENA_H
#define RG_BASE_ARENA_H

#include <stddef.h>

typedef struct rg_arena {
    struct rg_arena_chunk *first, *now;
} rg_arena;

#define RG_ARENA_EMPTY ((rg_arena){NULL, NULL})

/* 64-byte aligned where bytes >= 64, else 16. NULL when there is no memory.
 * Borrowed until the arena is reset or freed. */
void *rg_arena_alloc(rg_arena *arena, size_t bytes);
void *rg_arena_zero(rg_arena *arena, size_t bytes);
char *rg_arena_strdup(rg_arena *arena, const char *text);
char *rg_arena_strndup(rg_arena *arena, const char *text, size_t length);
void *rg_arena_copy(rg_arena *arena, const void *bytes, size_t n);

void rg_arena_reset(rg_arena *arena);
void rg_arena_free(rg_arena *arena);

#endif
