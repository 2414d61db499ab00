/* threads.c - what src/ asks of POSIX threads, of the clock, of chance and of its own process.
 *
 * The linker hands the pthread functions to the ones here (--wrap, in tests/CMakeLists.txt); those
 * of clock.h and process.h stand in the place of src/sys/clock.c and process.c. A mutex is a word
 * that says who holds it, a condition is its address. Each of them lets others run first now and
 * then; a wait may end without a reason, as POSIX allows.
 *
 * Left out: priorities, signals, thread-specific data, and libraries that lock for themselves
 * (OpenSSL), which one OS thread never finds locked. */
#include "sim/real.h"
#include "sim/sim.h"

#include "sys/children_priv.h"
#include "sys/clock.h"
#include "sys/process.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SPURIOUS_ONE_IN = 500 };

static sim_thread **owner(pthread_mutex_t *mutex)
{
    return (sim_thread **)(void *)mutex;
}

/* Before the first thread of the simulation there is one, which holds locks as 1. */
static sim_thread *me(void)
{
    sim_thread *here = sim_thread_here();
    return here != NULL ? here : (sim_thread *)1;
}

/* ---- mutexes ---- */

int WRAP(pthread_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
    (void)attr;
    memset(mutex, 0, sizeof *mutex);
    return 0;
}

int WRAP(pthread_mutex_destroy)(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

int WRAP(pthread_mutex_lock)(pthread_mutex_t *mutex)
{
    sim_maybe_yield();
    while (*owner(mutex) != NULL)
        (void)sim_wait(mutex, SIM_NEVER);
    *owner(mutex) = me();
    return 0;
}

int WRAP(pthread_mutex_trylock)(pthread_mutex_t *mutex)
{
    if (*owner(mutex) != NULL)
        return EBUSY;
    *owner(mutex) = me();
    return 0;
}

int WRAP(pthread_mutex_unlock)(pthread_mutex_t *mutex)
{
    *owner(mutex) = NULL;
    sim_wake(mutex, false);
    sim_maybe_yield();
    return 0;
}

/* ---- conditions ---- */

int WRAP(pthread_cond_init)(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
    (void)cond, (void)attr;
    return 0;
}

int WRAP(pthread_cond_destroy)(pthread_cond_t *cond)
{
    (void)cond;
    return 0;
}

static bool wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until)
{
    *owner(mutex) = NULL;
    sim_wake(mutex, false);
    if (sim_one_in(SPURIOUS_ONE_IN))
        until = sim_now();
    bool woken = sim_wait(cond, until);
    (void)WRAP(pthread_mutex_lock)(mutex);
    return woken;
}

int WRAP(pthread_cond_wait)(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    (void)wait(cond, mutex, SIM_NEVER);
    return 0;
}

int WRAP(pthread_cond_timedwait)(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                 const struct timespec *until)
{
    uint64_t at = (uint64_t)until->tv_sec * SIM_S + (uint64_t)until->tv_nsec;
    return wait(cond, mutex, at) || sim_now() < at ? 0 : ETIMEDOUT;
}

int WRAP(pthread_cond_signal)(pthread_cond_t *cond)
{
    sim_wake(cond, false);
    return 0;
}

int WRAP(pthread_cond_broadcast)(pthread_cond_t *cond)
{
    sim_wake(cond, true);
    return 0;
}

/* ---- threads ---- */

int WRAP(pthread_create)(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *),
                         void *arg)
{
    (void)attr;
    *thread = (pthread_t)sim_thread_start("thread", main, arg);
    sim_maybe_yield();
    return 0;
}

int WRAP(pthread_join)(pthread_t thread, void **result)
{
    sim_thread *t = (sim_thread *)thread;
    while (!sim_thread_is_over(t))
        (void)sim_wait(t, SIM_NEVER);
    if (result != NULL)
        *result = sim_thread_result(t);
    return 0;
}

int WRAP(pthread_detach)(pthread_t thread)
{
    (void)thread;
    return 0;
}

pthread_t WRAP(pthread_self)(void)
{
    return (pthread_t)me();
}

int WRAP(pthread_setname_np)(pthread_t thread, const char *name)
{
    sim_thread_set_name((sim_thread *)thread, name);
    return 0;
}

enum { ONCE_RUNS = 1, ONCE_DONE = 2 };

int WRAP(pthread_once)(pthread_once_t *once, void (*init)(void))
{
    while (*once == ONCE_RUNS)
        (void)sim_wait(once, SIM_NEVER);
    if (*once == ONCE_DONE)
        return 0;
    *once = ONCE_RUNS;
    init();
    *once = ONCE_DONE;
    if (sim_thread_here() != NULL)
        sim_wake(once, true);
    return 0;
}

/* ---- the clock ---- */

uint64_t rg_clock_ns(void)
{
    sim_maybe_yield();
    return sim_now();
}

uint64_t rg_clock_thread_ns(void)
{
    return sim_now();
}

uint64_t rg_clock_process_ns(void)
{
    return sim_now();
}

uint64_t rg_clock_wall_ns(void)
{
    return sim_now();
}

double rg_clock_unix(void)
{
    return (double)sim_now() / 1e9;
}

void rg_clock_sleep(uint64_t ns)
{
    int nobody;
    (void)sim_wait(&nobody, sim_now() + ns);
}

void rg_clock_text(char *text, size_t size)
{
    (void)snprintf(text, size, "%.6f", (double)sim_now() * 1e-9);
}

/* ---- chance, and this process ---- */

int WRAP(RAND_bytes)(unsigned char *bytes, int n)
{
    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)sim_draw(256);
    return 1;
}

long rg_process_id(void)
{
    const sim_process *here = sim_process_here();
    return here != NULL ? here->pid : 1;
}

/* The environment is the OS process's own, but for what a launcher says to each. */
char *WRAP(getenv)(const char *name)
{
    static char text[16];
    const sim_process *here = sim_process_here();
    if (here != NULL && strcmp(name, "REGATTA_JOB_KEY") == 0)
        return (char *)(uintptr_t)here->key;
    if (here == NULL || here->incarnation == 0 || strcmp(name, "REGATTA_INCARNATION") != 0)
        return REAL(getenv)(name);
    (void)snprintf(text, sizeof text, "%d", here->incarnation);
    return text;
}

void rg_thread_waits_its_turn(void)
{
}

void rg_thread_stays_back(void)
{
}

void rg_process_on_fork(void (*child)(void))
{
    (void)child;
}

void rg_process_around_fork(void (*before)(void), void (*after)(void), void (*child)(void))
{
    (void)before, (void)after, (void)child;
}

void rg_process_host(char *name, size_t size)
{
    const sim_process *here = sim_process_here();
    (void)snprintf(name, size, "host-%d", here != NULL ? here->host : -1);
}

int rg_descriptor_limit(void)
{
    return 1024;
}

uint64_t rg_process_memory(void)
{
    return 0;
}

int rg_process_threads(void)
{
    return 0;
}

void rg_process_on_exit(void (*ended)(int status))
{
    (void)ended;
}

/* ---- what is not simulated: children (src/sys/guard.c, which keeps much memory) ---- */

rg_status rg_guard_start(int *to_guard, pid_t *pid)
{
    (void)to_guard, (void)pid;
    return rg_fail(RG_EUNIMPL, "the simulator has no children");
}

void rg_guard_tell(int to_guard, pid_t group, bool watch)
{
    (void)to_guard, (void)group, (void)watch;
}

void rg_guard_stop(int to_guard, pid_t pid)
{
    (void)to_guard, (void)pid;
}
