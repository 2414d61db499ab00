/* admission.c - limits for connections that have proved nothing. */
#include "rpc/admission_priv.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST = 4096, /* each takes about 24 KiB */
    FEWEST = 4,
};

struct rg_origin {
    rg_origin *next, **back;
    rg_stranger *oldest, *newest;
    size_t n;
    char text[RG_ORIGIN_TEXT];
};

/* Half of the descriptors stay for those who are inside. */
void rg_admission_init(rg_admission *all, int descriptors)
{
    size_t half = (size_t)(descriptors > 0 ? descriptors : 0) / 2;
    all->most = half > MOST ? MOST : half < FEWEST ? FEWEST : half;
    all->most_of_one = all->most / 4 < FEWEST ? FEWEST : all->most / 4;
}

static rg_origin *find_or_make(rg_admission *all, const char *text)
{
    for (rg_origin *o = all->origins; o != NULL; o = o->next)
        if (strcmp(o->text, text) == 0)
            return o;
    rg_origin *fresh = rg_alloc_zero(1, sizeof *fresh);
    if (fresh == NULL)
        return NULL;
    (void)snprintf(fresh->text, sizeof fresh->text, "%s", text);
    fresh->next = all->origins;
    fresh->back = &all->origins;
    if (fresh->next != NULL)
        fresh->next->back = &fresh->next;
    all->origins = fresh;
    return fresh;
}

bool rg_admission_add(rg_admission *all, rg_stranger *one, const char *origin)
{
    rg_origin *from = find_or_make(all, origin);
    if (from == NULL)
        return false;
    *one = (rg_stranger){.older = from->newest, .origin = from};
    if (from->newest != NULL)
        from->newest->newer = one;
    else
        from->oldest = one;
    from->newest = one;
    from->n++;
    all->n++;
    return true;
}

void rg_admission_remove(rg_admission *all, rg_stranger *one)
{
    rg_origin *from = one->origin;
    if (from == NULL)
        return;
    *(one->older != NULL ? &one->older->newer : &from->oldest) = one->newer;
    *(one->newer != NULL ? &one->newer->older : &from->newest) = one->older;
    *one = (rg_stranger){0};
    all->n--;
    if (--from->n > 0)
        return;
    *from->back = from->next;
    if (from->next != NULL)
        from->next->back = from->back;
    rg_free(from);
}

rg_stranger *rg_admission_oldest(const rg_admission *all)
{
    const rg_origin *fullest = all->origins;
    for (const rg_origin *o = fullest; o != NULL; o = o->next)
        if (o->n > fullest->n)
            fullest = o;
    return fullest != NULL ? fullest->oldest : NULL;
}

rg_stranger *rg_admission_surplus(const rg_admission *all, const rg_stranger *last)
{
    if (last->origin->n > all->most_of_one)
        return last->origin->oldest;
    return all->n > all->most ? rg_admission_oldest(all) : NULL;
}
