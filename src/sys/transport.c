/* transport.c - the list of transports, and what they share. */
#include "sys/transport.h"

#include <string.h>

enum { MOST_ADDED = 8 };

/* In the order in which they are tried: the quickest first. */
static const rg_transport *const known[] = {&rg_transport_shm, &rg_transport_unix,
                                            &rg_transport_tcp};
static const rg_transport *added[MOST_ADDED];
static size_t n_added;

const rg_transport *rg_transport_at(size_t i)
{
    if (i < n_added)
        return added[n_added - 1 - i];
    i -= n_added;
    return i < sizeof known / sizeof known[0] ? known[i] : NULL;
}

void rg_transport_add(const rg_transport *transport)
{
    if (n_added < MOST_ADDED)
        added[n_added++] = transport;
}

rg_status rg_transport_find(const rg_transport **out, const char *name)
{
    char names[128] = "auto";
    *out = NULL;
    for (size_t i = 0; rg_transport_at(i) != NULL && strcmp(name, "auto") != 0; i++) {
        if (strcmp(rg_transport_at(i)->name, name) == 0)
            *out = rg_transport_at(i);
        (void)strncat(names, ", ", sizeof names - strlen(names) - 1);
        (void)strncat(names, rg_transport_at(i)->name, sizeof names - strlen(names) - 1);
    }
    if (*out != NULL || strcmp(name, "auto") == 0)
        return RG_OK;
    return rg_fail(RG_EINVAL, "FLAGS_rpc_transport is '%s', and must be one of %s", name, names);
}

const rg_transport *rg_transport_of_scheme(const char *endpoint)
{
    const rg_transport *t;
    for (size_t i = 0; (t = rg_transport_at(i)) != NULL; i++)
        if (t->scheme != NULL && strncmp(endpoint, t->scheme, strlen(t->scheme)) == 0)
            return t;
    return NULL;
}

bool rg_budget_take(rg_budget *budget, uint64_t bytes)
{
    uint64_t others = atomic_fetch_add_explicit(&budget->used, bytes, memory_order_relaxed);
    if (bytes <= budget->most && others <= budget->most - bytes)
        return true;
    (void)atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
    return false;
}

void rg_budget_give(rg_budget *budget, uint64_t bytes)
{
    (void)atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
}
