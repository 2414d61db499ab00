/* scope.c - named values behind exec/scope.h. */
#include "exec/scope.h"

#include "base/mem.h"

struct rg_scope {
    int refs; /* atomic */
    int kept; /* atomic: of these, by keepers */
    rg_scope *parent;
    rg_map vars;              /* name, owned by the scope -> rg_value */
    uint64_t epoch, bindings; /* of the whole tree: kept in the root */
};

rg_status rg_scope_new(rg_scope **out, rg_scope *parent)
{
    rg_scope *scope = rg_alloc_zero(1, sizeof *scope);
    if (scope == NULL)
        return rg_no_memory(sizeof *scope, "a scope");
    scope->refs = 1;
    scope->parent = parent ? rg_scope_retain(parent) : NULL;
    *out = scope;
    return RG_OK;
}

rg_scope *rg_scope_retain(rg_scope *scope)
{
    (void)__atomic_add_fetch(&scope->refs, 1, __ATOMIC_RELAXED);
    return scope;
}

void rg_scope_release(rg_scope *scope)
{
    if (scope == NULL || __atomic_sub_fetch(&scope->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    for (size_t i = 0; i < scope->vars.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&scope->vars, i);
        if (e == NULL)
            continue;
        rg_value_release(e->value);
        rg_free((void *)(uintptr_t)e->key);
    }
    rg_map_fini(&scope->vars);
    rg_scope_release(scope->parent);
    rg_free(scope);
}

rg_scope *rg_scope_keep(rg_scope *scope)
{
    (void)__atomic_add_fetch(&scope->refs, 1, __ATOMIC_SEQ_CST);
    (void)__atomic_add_fetch(&scope->kept, 1, __ATOMIC_SEQ_CST);
    return scope;
}

void rg_scope_leave(rg_scope *scope)
{
    if (scope != NULL)
        (void)__atomic_sub_fetch(&scope->kept, 1, __ATOMIC_SEQ_CST);
    rg_scope_release(scope);
}

/* `kept` is never more than is in `refs`: it is raised after that and lowered before. A keeper who
 * comes while it is read has changed `refs` the second time. */
bool rg_scope_is_forgotten(const rg_scope *scope)
{
    int before = __atomic_load_n(&scope->refs, __ATOMIC_SEQ_CST);
    int kept = __atomic_load_n(&scope->kept, __ATOMIC_SEQ_CST);
    return before == kept && __atomic_load_n(&scope->refs, __ATOMIC_SEQ_CST) == kept;
}

rg_scope *rg_scope_root(rg_scope *scope)
{
    while (scope->parent != NULL)
        scope = scope->parent;
    return scope;
}

rg_value *rg_scope_find(const rg_scope *scope, const char *name)
{
    for (; scope != NULL; scope = scope->parent) {
        rg_value *value = rg_map_get(&scope->vars, name);
        if (value != NULL) {
            rg_value_settle(value);
            return value;
        }
    }
    return NULL;
}

rg_status rg_scope_own(rg_scope *scope, const char *name, rg_value **out)
{
    rg_value *value = rg_map_get(&scope->vars, name);
    if (value == NULL) {
        char *key = rg_strdup(name);
        if (key == NULL)
            return rg_no_memory(1, "a variable's name");
        rg_status code = rg_value_new(&value);
        if (code == RG_OK && (code = rg_map_put(&scope->vars, key, value)) != RG_OK)
            rg_value_release(value);
        if (code != RG_OK) {
            rg_free(key);
            return code;
        }
        rg_scope_root(scope)->bindings++;
    }
    *out = value;
    return RG_OK;
}

rg_status rg_scope_var(rg_scope *scope, const char *name, rg_value **out)
{
    *out = rg_scope_find(scope, name);
    return *out ? RG_OK : rg_scope_own(scope, name, out);
}

void rg_scope_erase(rg_scope *scope, const char *name)
{
    for (size_t i = 0; i < scope->vars.n_entries; i++) {
        rg_map_entry *e = rg_map_at(&scope->vars, i);
        if (e == NULL || rg_map_get(&scope->vars, name) != e->value)
            continue;
        rg_value *value = e->value;
        char *key = (char *)(uintptr_t)e->key;
        rg_map_remove(&scope->vars, name);
        rg_value_release(value);
        rg_free(key);
        rg_scope_root(scope)->bindings++;
        rg_scope_touch(scope);
        return;
    }
}

uint64_t rg_scope_epoch(const rg_scope *scope)
{
    while (scope->parent != NULL)
        scope = scope->parent;
    return __atomic_load_n(&scope->epoch, __ATOMIC_RELAXED);
}

void rg_scope_touch(rg_scope *scope)
{
    (void)__atomic_add_fetch(&rg_scope_root(scope)->epoch, 1, __ATOMIC_RELAXED);
}

uint64_t rg_scope_bindings(const rg_scope *scope)
{
    while (scope->parent != NULL)
        scope = scope->parent;
    return scope->bindings;
}

bool rg_scope_binds(const rg_scope *scope, const char *name, const rg_value *value)
{
    const rg_value *found = NULL;
    for (; found == NULL && scope != NULL; scope = scope->parent)
        found = rg_map_get(&scope->vars, name);
    return found == value;
}

size_t rg_scope_size(const rg_scope *scope)
{
    return scope->vars.n_entries;
}

const char *rg_scope_name(const rg_scope *scope, size_t i)
{
    const rg_map_entry *e = rg_map_at(&scope->vars, i);
    return e ? e->key : NULL;
}
