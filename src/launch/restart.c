/* restart.c - processes that died and are started again. */
#include "launch/restart.h"

#include "base/mem.h"
#include "launch/card.h"
#include "sys/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)
enum { QUICK_MS = 5000, MOST_QUICK = 3, FIRST_PAUSE_MS = 250, LONGEST_PAUSE_MS = 5000 };

static const char NAME[] = "REGATTA_INCARNATION=";

/* Somebody else ended it: that says nothing of how it would fare another time. */
static bool was_killed(const rg_child_end *end)
{
    return end->signal == SIGKILL || end->signal == SIGTERM;
}

static void count_quick(rg_restart *r, const rg_child_end *end)
{
    bool quick = end->after_ns < QUICK_MS * MS && !was_killed(end);
    bool alike = r->quick == 0 || (r->last.signal == end->signal && r->last.code == end->code);
    r->quick = !quick ? 0 : alike ? r->quick + 1 : 1;
}

static uint64_t pause_ms(const rg_restart *r)
{
    uint64_t ms = FIRST_PAUSE_MS;
    for (int i = 1; i < r->quick; i++)
        ms *= 2;
    return r->quick == 0 ? 0 : ms < LONGEST_PAUSE_MS ? ms : LONGEST_PAUSE_MS;
}

bool rg_restart_plan(rg_restart *r, const rg_launch_job *job, const rg_launch_process *process,
                     const rg_child_end *end, uint64_t now_ns)
{
    /* Where workers come and go the first is not done without: it saves. */
    bool first = job->join_dir != NULL && process->role == RG_LAUNCH_WORKER && process->index == 0;
    if ((job->restarts < 1 && !first) ||
        (process->role == RG_LAUNCH_SERVER && !job->restarts_servers))
        return false;
    count_quick(r, end);
    r->last = *end;
    r->gave_up = (r->starts >= job->restarts && !first) || r->quick >= MOST_QUICK;
    if (r->gave_up)
        return false;
    r->due_ns = now_ns + pause_ms(r) * MS;
    return true;
}

/* Its environment, with how often it has been started again. */
static rg_status count_in_env(rg_restart *r, const char *const *env)
{
    size_t n = 0, at = 0;
    int first = 0; /* of a job that is gone on with: it was started before */
    for (; env[n] != NULL; n++)
        if (strncmp(env[n], NAME, sizeof NAME - 1) == 0)
            first = (int)strtol(env[n] + sizeof NAME - 1, NULL, 10);
    rg_free(r->env);
    r->env = rg_alloc((n + 2) * sizeof *r->env);
    if (r->env == NULL)
        return rg_no_memory(n, "the environment of a process");
    for (size_t i = 0; i < n; i++)
        if (strncmp(env[i], NAME, sizeof NAME - 1) != 0)
            r->env[at++] = (char *)(uintptr_t)env[i];
    (void)snprintf(r->text, sizeof r->text, "%s%d", NAME, first + r->starts);
    r->env[at++] = r->text;
    r->env[at] = NULL;
    return RG_OK;
}

rg_status rg_restart_now(rg_restart *r, rg_children *children, int child,
                         const rg_launch_process *process, bool whole_lines)
{
    r->due_ns = 0;
    r->starts++;
    RG_TRY(count_in_env(r, process->env));
    const rg_child_spec spec = {.argv = process->argv,
                                .env = (const char *const *)r->env,
                                .log = process->log,
                                .append = true, /* what the one before said stays */
                                .echo = process->echo,
                                .whole_lines = whole_lines};
    rg_status code = rg_children_start_again(children, child, &spec);
    return code == RG_OK
               ? RG_OK
               : rg_context(code, "%s %d", rg_launch_role_name(process->role), process->index);
}

void rg_restart_text(rg_buf *out, const rg_restart *r, const rg_launch_job *job,
                     const rg_launch_process *process, uint64_t now_ns)
{
    rg_launch_who(out, process);
    rg_buf_printf(out, " (pid %ld) died: ", r->last.pid);
    rg_launch_how(out, &r->last);
    rg_buf_text(out, ", after ");
    rg_launch_duration(out, r->last.after_ns);
    if (r->starts < job->restarts)
        rg_buf_printf(out, "; it is started again (%d of %d)", r->starts + 1, job->restarts);
    else
        rg_buf_text(out, "; the first worker is never done without: it is started again");
    if (r->due_ns > now_ns)
        rg_buf_printf(out, " in %.2f s", (double)(r->due_ns - now_ns) * 1e-9);
}

void rg_restart_fini(rg_restart *r)
{
    rg_free(r->env);
}
