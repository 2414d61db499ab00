/* cause.c - of several processes that failed, the one that the others failed because of. */
#include "launch/launch_priv.h"

#include "base/mem.h"
#include "launch/card.h"
#include "sys/clock.h"

enum { BLAME_MS = 3000 };

#define MS UINT64_C(1000000)

void rg_cause_path(const rg_supervisor *s, int child, rg_buf *path)
{
    const rg_launch_process *p = &s->job->processes[child];
    rg_buf_init(path, 0);
    rg_buf_printf(path, "%s/%s.%d.because", s->job->run_dir, rg_launch_role_name(p->role),
                  p->index);
}

void rg_cause_forget(const rg_supervisor *s, int child)
{
    rg_buf path;
    if (s->job->run_dir == NULL)
        return;
    rg_cause_path(s, child, &path);
    if (rg_buf_status(&path) == RG_OK)
        rg_because_forget(rg_buf_cstr(&path));
    rg_buf_fini(&path);
}

bool rg_cause_said(const rg_supervisor *s, int child, rg_because *of)
{
    rg_buf path;
    if (s->job->run_dir == NULL)
        return false;
    rg_cause_path(s, child, &path);
    bool said = rg_buf_status(&path) == RG_OK && rg_because_read(rg_buf_cstr(&path), of);
    rg_buf_fini(&path);
    return said;
}

static bool is_meant(const rg_launch_process *p, const rg_because *of)
{
    return (p->role == RG_LAUNCH_WORKER) == of->worker &&
           (of->index == RG_BECAUSE_ANY || of->index == p->index);
}

/* The first of those meant that has failed and is not in the chain yet; -1: none. Who was ended
 * by a signal did not end because of a peer. */
static int find_blamed(const rg_supervisor *s, const rg_because *of, const bool *in_chain)
{
    int found = -1;
    for (int i = 0; i < s->n_failed; i++) {
        int child = s->failed[i];
        if (!in_chain[child] && is_meant(&s->job->processes[child], of) &&
            (found < 0 || (s->ends[found].signal == 0 && s->ends[child].signal != 0)))
            found = child;
    }
    return found;
}

/* The first of those meant that runs; -1: none. */
static int blamed_runs(const rg_supervisor *s, const rg_because *of)
{
    for (int i = 0; i < rg_children_count(s->children); i++)
        if (is_meant(&s->job->processes[i], of) && rg_children_running(s->children, i))
            return i;
    return -1;
}

/* The first of those that runs and has said why it will end: it may take its time over that. */
static int find_ending(const rg_supervisor *s, const rg_because *of, const bool *in_chain)
{
    rg_because why;
    for (int i = 0; i < rg_children_count(s->children); i++)
        if (!in_chain[i] && is_meant(&s->job->processes[i], of) &&
            rg_children_running(s->children, i) && rg_cause_said(s, i, &why))
            return i;
    return -1;
}

/* From the process that ended first along what each says, to the one that blames none. Where the
 * blame goes round, or to one that does not end, the chain's start stays the first. */
static rg_status find_first(rg_supervisor *s, bool *in_chain, int *first)
{
    uint64_t deadline = rg_clock_ns() + BLAME_MS * MS;
    int at = *first;
    rg_because of;
    in_chain[at] = true;
    while (s->ends[at].signal == 0 && rg_cause_said(s, at, &of)) {
        bool more = true;
        int next = find_blamed(s, &of, in_chain);
        while (next < 0 && more && blamed_runs(s, &of) >= 0) {
            RG_TRY(rg_supervisor_collect_one(s, deadline, &more));
            next = find_blamed(s, &of, in_chain);
        }
        if (next < 0)
            next = find_ending(s, &of, in_chain);
        if (next < 0) {
            s->given_up = of.index == RG_BECAUSE_ANY ? -1 : blamed_runs(s, &of);
            return RG_OK;
        }
        in_chain[next] = true;
        at = next;
    }
    if (!rg_children_running(s->children, at))
        *first = at;
    return RG_OK;
}

rg_status rg_cause_first(rg_supervisor *s, int *first)
{
    bool more = true;
    while (more)
        RG_TRY(rg_supervisor_collect_one(s, 0, &more));
    *first = s->failed[0];
    for (int i = 1; i < s->n_failed && s->ends[*first].signal == 0; i++)
        if (s->ends[s->failed[i]].signal != 0)
            *first = s->failed[i];
    bool *in_chain = rg_alloc_zero((size_t)s->job->n, sizeof *in_chain);
    if (in_chain == NULL)
        return rg_no_memory((size_t)s->job->n, "the causes of a failure");
    rg_status code = find_first(s, in_chain, first);
    rg_free(in_chain);
    return code;
}
