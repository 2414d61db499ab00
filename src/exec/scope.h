/* scope.h - named values: parameters and whatever else outlives a run.
 *
 * A scope may have a parent, whose variables it sees. Scopes are counted; a
 * child keeps its parent. One thread at a time. */
#ifndef RG_EXEC_SCOPE_H
#define RG_EXEC_SCOPE_H

#include "base/map.h"
#include "base/status.h"
#include "tensor/value.h"

typedef struct rg_scope rg_scope;

rg_status rg_scope_new(rg_scope **scope, rg_scope *parent); /* parent may be NULL */
rg_scope *rg_scope_retain(rg_scope *scope);
void rg_scope_release(rg_scope *scope);
/* The same for who keeps it in case it is asked for again, and is no owner: a plan. */
rg_scope *rg_scope_keep(rg_scope *scope);
void rg_scope_leave(rg_scope *scope);
/* Nobody but such keepers has it. */
bool rg_scope_is_forgotten(const rg_scope *scope);

rg_scope *rg_scope_root(rg_scope *scope);
/* Here or in a parent; NULL: none. Borrowed until it is erased. */
rg_value *rg_scope_find(const rg_scope *scope, const char *name);
/* Here or in a parent, else made here. */
rg_status rg_scope_var(rg_scope *scope, const char *name, rg_value **value);
/* In this scope itself, made if missing: it hides a parent's. */
rg_status rg_scope_own(rg_scope *scope, const char *name, rg_value **value);
void rg_scope_erase(rg_scope *scope, const char *name);

/* Grows when a variable is erased or its shape may have been changed from outside a
 * run: whoever holds pointers or shapes looks them up again. */
uint64_t rg_scope_epoch(const rg_scope *scope);
void rg_scope_touch(rg_scope *scope);

/* Grows when a name comes to stand for another value in the tree of the scope: made, or erased. */
uint64_t rg_scope_bindings(const rg_scope *scope);
/* The name stands for this value, here or in a parent. */
bool rg_scope_binds(const rg_scope *scope, const char *name, const rg_value *value);

/* Name number i of this scope in order of making, NULL where it was erased;
 * i < rg_scope_size(). */
size_t rg_scope_size(const rg_scope *scope);
const char *rg_scope_name(const rg_scope *scope, size_t i);

#endif
