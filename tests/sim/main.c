/* main.c - many seeds, each in a child of its own, two or more at a time.
 *
 *     sim --seeds A:B      run them; those that fail are printed, with how to repeat them
 *     sim --verbose SEED   one, with all that happens
 *
 * A seed's outcome is a function of the seed: addresses are not random here (personality), and one
 * seed in sixteen is run twice, and must leave the same trace. */
#include "sim/plan.h"

#include "sys/flags.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPORT_BYTES = 8192, MOST_CHILDREN = 64, PATIENCE_S = 20, STOP_SECONDS = 15 };

static const uint64_t longest_ns = 1000 * SIM_S; /* that a job may take, whatever happens */

/* What a child leaves for its parent. */
typedef struct slot {
    pid_t pid; /* 0: nobody */
    uint64_t seed, trace, first_trace;
    bool again; /* this is its second run */
    bool failed;
    bool completed; /* the job came to its end, and all of it well */
    char report[REPORT_BYTES];
} slot;

typedef struct board {
    plan_calm calm[PLAN_CONFIGS];
    slot slots[MOST_CHILDREN];
} board;

static board *shared;
static job *running;

/* ---- one seed ---- */

static bool over(void)
{
    return job_look(running);
}

static bool run_plan(const plan *p)
{
    running = sim_alloc(sizeof *running);
    job_make(running, &p->job);
    job_start(running);
    plan_arrange(p, running);
    return sim_run(over, longest_ns);
}

/* A trainer that died when it had left may be started again for nothing; where one is enough,
 * others may come when all is done. */
static bool came_too_late(const job *j, const job_process *p)
{
    return (p->starts > 1 || j->config.elastic) && p->outcome.steps == 0 &&
           (strstr(p->outcome.why, "the job is over") || strstr(p->outcome.why, "refused"));
}

static bool all_well(const job *j)
{
    for (int i = 0; i < j->n; i++) {
        const job_process *p = &j->processes[i];
        if (!came_too_late(j, p) && (!p->outcome.ended || p->outcome.code != RG_OK))
            return false;
    }
    return true;
}

__attribute__((format(printf, 2, 3))) static void fail(slot *s, const char *fmt, ...)
{
    size_t n = strlen(s->report);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(s->report + n, sizeof s->report - n, fmt, args);
    va_end(args);
    s->failed = true;
}

static void describe_ends(slot *s, const job *j)
{
    for (int i = 0; i < j->n; i++) {
        const job_process *p = &j->processes[i];
        fail(s, "    %s: %s%s%s, %d steps\n", p->process->name,
             p->process->killed     ? "killed"
             : p->process->alive    ? "STILL THERE"
             : p->outcome.code == 0 ? "ended well"
                                    : "failed: ",
             p->outcome.why, "", p->outcome.steps);
    }
}

/* A trainer of geo that dies takes with it what it had not sent yet. */
static bool is_comparable(const job *j, const plan_calm *calm)
{
    bool comparable = j->has_bits && calm->has_bits;
    for (int i = 0; i < j->n; i++)
        comparable = comparable && (j->config.model.mode != 3 || j->processes[i].starts == 1);
    return comparable;
}

/* Whose end names nobody: a process of the job, or what happened to this one. */
static bool names_someone(const char *why)
{
    return strstr(why, "trainer ") != NULL || strstr(why, "pserver ") != NULL ||
           strstr(why, "sim:") != NULL;
}

static void judge(slot *s, const plan *p, const plan_calm *calm, bool ended)
{
    const job *j = running;
    size_t before = strlen(s->report);
    s->completed = ended && all_well(j);
    if (!ended)
        fail(s, "  the job never ends\n");
    else if (p->must_complete && !s->completed)
        fail(s, "  the job should have come to its end\n");
    for (int i = 0; i < j->n; i++) {
        const job_outcome *o = &j->processes[i].outcome;
        if (o->ended && o->code != RG_OK && !names_someone(o->why))
            fail(s, "  %s fails and names nobody: %s\n", j->processes[i].process->name, o->why);
        uint64_t stopped = j->processes[i].process->stopped_at;
        uint64_t paused = j->processes[i].process->paused_until;
        stopped = stopped != 0 && stopped < paused ? paused : stopped;
        if (o->ended && stopped != 0 && o->at > stopped + STOP_SECONDS * SIM_S)
            fail(s, "  %s took %.1f s to end when it was told to\n", j->processes[i].process->name,
                 (double)(o->at - stopped) * 1e-9);
    }
    if (is_comparable(j, calm) && j->bits != calm->bits)
        fail(s, "  the final values are not those of a calm job: sums %g %g %g\n",
             (double)j->sums[0], (double)j->sums[1], (double)j->sums[2]);
    for (int i = 0; i < j->n_replaced; i++)
        if (j->replaced[i].process->alive)
            fail(s, "  %s was replaced, and is still there\n", j->replaced[i].process->name);
    if (strlen(s->report) > before)
        describe_ends(s, j);
}

/* A job of this kind that nothing happens to; once for all seeds, in a child of its own. */
static void find_calm(int config)
{
    plan_calm *calm = &shared->calm[config];
    pid_t pid = calm->known ? 0 : fork();
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    if (pid != 0 || calm->known)
        return;
    plan p = plan_calm_of(config);
    sim_set_seed(0);
    if (!run_plan(&p) || !all_well(running) || !running->has_bits)
        _exit(1);
    calm->bits = running->bits;
    /* The mean over those that take part in a step depends on who has which range. */
    calm->has_bits = p.job.leased ? p.job.model.mode != 0
                                  : p.job.model.mode == 0 || p.job.model.kind == MODEL_LEDGER;
    for (int i = 0; i < running->n; i++) {
        calm->switches[i] = running->processes[i].process->switches;
        calm->points[i] = running->processes[i].process->points;
    }
    calm->known = true;
    _exit(0);
}

static void run_seed(slot *s, bool verbose)
{
    int config = plan_config_of(s->seed);
    const plan_calm *calm = &shared->calm[config];
    char text[1024];
    find_calm(config);
    (void)setrlimit(RLIMIT_CPU, &(struct rlimit){PATIENCE_S, PATIENCE_S + 1}); /* it spins */
    sim_set_seed(s->seed);
    sim_set_verbose(verbose);
    s->report[0] = '\0';
    s->failed = false;
    plan p = plan_draw(s->seed, calm);
    plan_describe(&p, text, sizeof text);
    sim_note("%s", text);
    (void)snprintf(s->report, sizeof s->report, "  %s\n", text);
    if (!calm->known)
        fail(s, "  even a calm job of this kind fails\n");
    else
        judge(s, &p, calm, run_plan(&p));
    s->trace = sim_trace();
}

/* ---- many ---- */

static void silence(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
}

static void start(slot *s)
{
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid != 0) {
        s->pid = pid;
        return;
    }
    silence();
    run_seed(s, false);
    _exit(0);
}

/* True: the seed is done with. */
static bool finish(slot *s, int status, bool *failed)
{
    s->pid = 0;
    if (WIFSIGNALED(status))
        fail(s,
             WTERMSIG(status) == SIGXCPU ? "  it spins: no end after %d s of CPU\n"
                                         : "  a process crashes: signal %d\n",
             WTERMSIG(status) == SIGXCPU ? PATIENCE_S : WTERMSIG(status));
    else if (s->again && s->trace != s->first_trace)
        fail(s, "  it is another run each time: trace %" PRIx64 ", then %" PRIx64 "\n",
             s->first_trace, s->trace);
    else if (WEXITSTATUS(status) != 0)
        fail(s, "  exit status %d\n", WEXITSTATUS(status));
    if (s->failed) {
        *failed = true;
        (void)printf("seed %" PRIu64 " fails (repeat with: sim --verbose %" PRIu64 ")\n%s", s->seed,
                     s->seed, s->report);
    } else if (!s->again && s->seed % 16 == 0) {
        s->again = true;
        s->first_trace = s->trace;
        start(s);
        return false;
    }
    return true;
}

static slot *slot_of(pid_t pid, int n)
{
    for (int i = 0; i < n; i++)
        if (shared->slots[i].pid == pid)
            return &shared->slots[i];
    return NULL;
}

static int run_seeds(uint64_t from, uint64_t to, int children)
{
    uint64_t next = from, n_failed = 0, n_completed = 0;
    struct timespec begin, now;
    struct rusage used;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    int active = 0;
    while (next < to || active > 0) {
        int status;
        slot *s;
        while (next < to && active < children && (s = slot_of(0, children)) != NULL) {
            *s = (slot){.seed = next++};
            start(s);
            active++;
        }
        pid_t pid = wait(&status);
        bool failed = false;
        s = pid > 0 ? slot_of(pid, children) : NULL;
        if (s != NULL && finish(s, status, &failed)) {
            active--;
            n_failed += failed;
            n_completed += s->completed;
        }
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)getrusage(RUSAGE_CHILDREN, &used);
    double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    double seconds = (double)(now.tv_sec - begin.tv_sec) +
                     (double)(now.tv_nsec - begin.tv_nsec) * 1e-9;
    (void)printf("%" PRIu64 " seeds: %" PRIu64 " jobs completed, %" PRIu64
                 " ended early by name, %" PRIu64 " FAILED; %.1f s, %.1f s of CPU, %.0f seeds a "
                 "minute of a core\n",
                 to - from, n_completed, to - from - n_completed - n_failed, n_failed, seconds, cpu,
                 (double)(to - from) / cpu * 60);
    return n_failed > 0;
}

/* ---- beginning ---- */

/* The same addresses in every run; and nobody makes threads. */
static void become_repeatable(char **argv)
{
    int now = personality(0xffffffff);
    if (getenv("OMP_NUM_THREADS") != NULL && now != -1 && (now & ADDR_NO_RANDOMIZE) != 0)
        return;
    if (getenv("REGATTA_SIM_AGAIN") != NULL)
        return; /* it cannot be had */
    (void)setenv("OMP_NUM_THREADS", "1", 1);
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
    (void)setenv("REGATTA_SIM_AGAIN", "1", 1);
    (void)personality((unsigned long)now | ADDR_NO_RANDOMIZE);
    (void)execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    uint64_t from = 0, to = 200;
    bool verbose = argc == 3 && strcmp(argv[1], "--verbose") == 0;
    become_repeatable(argv);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 3;
    sim_set_seed(0);
    sim_net_init();
    sim_disk_init();
    (void)rg_flag_set("ps_join_seconds", "60");
    (void)rg_flag_set("rpc_shared_memory", "0");
    if (verbose) {
        slot *s = &shared->slots[0];
        s->seed = strtoull(argv[2], NULL, 10);
        run_seed(s, true);
        (void)printf("%strace %" PRIx64 "\n", s->report, s->trace);
        return s->failed;
    }
    if (argc != 1 && (argc != 3 || strcmp(argv[1], "--seeds") != 0 ||
                      sscanf(argv[2], "%" SCNu64 ":%" SCNu64, &from, &to) != 2)) { // NOLINT
        (void)fprintf(stderr, "usage: sim [--seeds FROM:TO | --verbose SEED]\n");
        return 2;
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return run_seeds(from, to, cores > MOST_CHILDREN ? MOST_CHILDREN : (int)cores);
}
