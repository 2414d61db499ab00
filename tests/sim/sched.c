/* sched.c - virtual time, chance, and processes whose threads are coroutines of one OS thread.
 *
 * It stands for the kernel's scheduler. Time passes only here: a little with each step, and in one
 * leap where everybody waits. Which thread goes on is drawn. A process has its own copy of the
 * program's data (.data, .bss), which is put in place when one of its threads runs, and each thread
 * its own of the thread-local data; so what src/ keeps in statics is a process's own, as it is
 * outside.
 *
 * Left out: threads do not really run side by side. A switch happens where a thread locks, waits,
 * wakes or reads the clock, never between two other instructions: races of plain memory are for
 * ThreadSanitizer. */
#include "sim/sim.h"

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define UNCHECKED __attribute__((no_sanitize_address, noinline))
#else
#define UNCHECKED
#endif

enum { MOST_THREADS = 1024, FIRST_PID = 100, STACK_BYTES = 512 << 10, FIRST_EVENTS = 1 << 10 };

struct sim_thread {
    ucontext_t context;
    sim_process *process;
    char name[32];
    void *(*main)(void *arg);
    void *arg, *result;
    bool over, woken;
    const void *waits_for; /* NULL: it can go on */
    uint64_t until;        /* then it goes on at the latest */
    uint64_t not_before;
    uint8_t *local; /* its thread-local data, while another one runs */
    void *stack;
};

typedef struct event {
    uint64_t when, number;
    void (*run)(void *arg);
    void *arg;
} event;

/* All that this file knows, on the heap: statics belong to the simulated processes. */
typedef struct world {
    uint64_t now, chance, trace, yields_one_in;
    bool verbose;
    ucontext_t context; /* of sim_run() */
    sim_thread *threads[MOST_THREADS], *here;
    size_t n_threads;
    sim_process *loaded; /* whose data are in place */
    event *events;       /* a heap by `when` */
    size_t n_events, cap_events;
    uint64_t n_numbers;
    int n_processes;
    uint8_t *data, *local; /* where the program's are */
    size_t data_bytes, local_bytes;
    uint8_t *first_data, *first_local; /* as they were when the first process started */
    void *fake_stack;                  /* of AddressSanitizer */
    const void *own_stack;
    size_t own_stack_bytes;
} world;

static world *sim;
extern char __data_start[], _end[]; // NOLINT: the linker's names

void *sim_alloc(size_t bytes)
{
    void *at = calloc(1, bytes);
    if (at == NULL)
        abort();
    return at;
}

/* ---- chance: splitmix64 ---- */

static int find_local(struct dl_phdr_info *info, size_t size, void *arg)
{
    world *w = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            w->local = info->dlpi_tls_data;
            w->local_bytes = info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the program itself comes first, and the libraries' are left alone */
}

void sim_set_seed(uint64_t seed)
{
    if (sim == NULL) {
        world *w = sim_alloc(sizeof *w);
        w->data = (uint8_t *)__data_start;
        w->data_bytes = (size_t)(_end - __data_start);
        (void)dl_iterate_phdr(find_local, w);
        w->cap_events = FIRST_EVENTS;
        w->events = sim_alloc(w->cap_events * sizeof *w->events);
        sim = w;
    }
    sim->now = SIM_S; /* the kernel's does not begin with 0, either */
    sim->chance = (seed ^ 0x5e3d) * 0xd1342543de82ef95u; /* neighbours begin far apart */
    sim->chance ^= sim->chance >> 32;
    sim->chance *= 0xd1342543de82ef95u;
    sim->trace = 0xcbf29ce484222325u;
}

static uint64_t next_number(void)
{
    uint64_t x = sim->chance += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t sim_draw(uint64_t below)
{
    return below < 2 ? 0 : next_number() % below;
}

bool sim_one_in(uint64_t n)
{
    return n != 0 && sim_draw(n) == 0;
}

uint64_t sim_draw_scaled(uint64_t from, uint64_t to)
{
    unsigned bits = 0;
    while (to >> bits > from && bits < 63)
        bits++;
    uint64_t top = to >> sim_draw(bits + 1);
    return top <= from ? from : from + sim_draw(top - from + 1);
}

/* ---- time ---- */

uint64_t sim_now(void)
{
    return sim->now;
}

static bool comes_before(const event *a, const event *b)
{
    return a->when != b->when ? a->when < b->when : a->number < b->number;
}

static void swap_events(size_t a, size_t b)
{
    event e = sim->events[a];
    sim->events[a] = sim->events[b];
    sim->events[b] = e;
}

void sim_at(uint64_t when, void (*run)(void *arg), void *arg)
{
    if (sim->n_events == sim->cap_events) {
        sim->cap_events *= 2;
        sim->events = realloc(sim->events, sim->cap_events * sizeof *sim->events);
        if (sim->events == NULL)
            abort();
    }
    size_t i = sim->n_events++;
    sim->events[i] = (event){when, sim->n_numbers++, run, arg};
    for (; i > 0 && comes_before(&sim->events[i], &sim->events[(i - 1) / 2]); i = (i - 1) / 2)
        swap_events(i, (i - 1) / 2);
}

static event take_event(void)
{
    event first = sim->events[0];
    sim->events[0] = sim->events[--sim->n_events];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < sim->n_events; child++)
            if (comes_before(&sim->events[child], &sim->events[least]))
                least = child;
        if (least == i)
            return first;
        swap_events(i, least);
        i = least;
    }
}

/* ---- the trace ---- */

static void fold(const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < n; i++)
        sim->trace = (sim->trace ^ at[i]) * 0x100000001b3u;
}

void sim_note(const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fold(&sim->now, sizeof sim->now);
    fold(text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
    if (sim->verbose)
        (void)fprintf(stderr, "%12.6f %-10s %-14s %s\n", (double)sim->now * 1e-9,
                      sim->here ? sim->here->process->name : "", sim->here ? sim->here->name : "",
                      text);
}

uint64_t sim_trace(void)
{
    return sim->trace;
}

void sim_set_verbose(bool verbose)
{
    sim->verbose = verbose;
}

/* ---- memory of processes and threads ---- */

UNCHECKED static void copy(uint8_t *to, const uint8_t *from, size_t n)
{
    size_t words = n / sizeof(uint64_t);
    for (size_t i = 0; i < words; i++)
        ((volatile uint64_t *)(void *)to)[i] = ((const uint64_t *)(const void *)from)[i];
    for (size_t i = words * sizeof(uint64_t); i < n; i++)
        ((volatile uint8_t *)to)[i] = from[i];
}

static uint8_t *copied(const uint8_t *from, size_t n)
{
    uint8_t *to = sim_alloc(n + 1);
    copy(to, from, n);
    return to;
}

static void load_process(sim_process *process)
{
    if (sim->loaded == process)
        return;
    world *w = sim; /* `sim` is among what is copied: the same in all */
    if (w->loaded != NULL)
        copy(w->loaded->memory, w->data, w->data_bytes);
    copy(w->data, process->memory, w->data_bytes);
    w->loaded = process;
}

/* ---- switching ---- */

static void leave_thread(void)
{
    sim_thread *t = sim->here;
#if defined(__SANITIZE_ADDRESS__)
    void *fake;
    __sanitizer_start_switch_fiber(t->over ? NULL : &fake, sim->own_stack, sim->own_stack_bytes);
#endif
    (void)swapcontext(&t->context, &sim->context);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake, &sim->own_stack, &sim->own_stack_bytes);
#endif
}

static void enter_thread(sim_thread *t)
{
    load_process(t->process);
    copy(sim->local, t->local, sim->local_bytes);
    sim->here = t;
    t->process->switches++;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&sim->fake_stack, t->stack, STACK_BYTES);
#endif
    (void)swapcontext(&sim->context, &t->context);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(sim->fake_stack, NULL, NULL);
#endif
    copy(t->local, sim->local, sim->local_bytes);
    sim->here = NULL;
}

static void end_process(sim_process *process);

static void thread_main(void)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(NULL, &sim->own_stack, &sim->own_stack_bytes);
#endif
    sim_thread *t = sim->here;
    t->result = t->main(t->arg);
    t->over = true;
    sim_wake(t, true);
    leave_thread();
    abort(); /* nobody comes back */
}

static sim_thread *add_thread(sim_process *process, const char *name, void *(*main)(void *),
                              void *arg)
{
    sim_thread *t = sim_alloc(sizeof *t);
    if (sim->n_threads == MOST_THREADS)
        abort();
    sim->threads[sim->n_threads++] = t;
    t->process = process;
    t->main = main;
    t->arg = arg;
    t->until = SIM_NEVER;
    t->local = copied(sim->first_local, sim->local_bytes);
    sim_thread_set_name(t, name);
    t->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t->stack == MAP_FAILED || getcontext(&t->context) != 0)
        abort();
    t->context.uc_stack.ss_sp = t->stack;
    t->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&t->context, thread_main, 0);
    return t;
}

/* ---- threads ---- */

sim_thread *sim_thread_start(const char *name, void *(*main)(void *arg), void *arg)
{
    return add_thread(sim->here->process, name, main, arg);
}

sim_thread *sim_thread_here(void)
{
    return sim != NULL ? sim->here : NULL;
}

bool sim_thread_is_over(const sim_thread *thread)
{
    return thread->over;
}

void *sim_thread_result(const sim_thread *thread)
{
    return thread->result;
}

void sim_thread_set_name(sim_thread *thread, const char *name)
{
    (void)snprintf(thread->name, sizeof thread->name, "%s", name);
}

bool sim_wait(const void *on, uint64_t until)
{
    sim_thread *t = sim->here;
    t->waits_for = on;
    t->until = until;
    t->woken = false;
    leave_thread();
    t->waits_for = NULL;
    t->until = SIM_NEVER;
    return t->woken;
}

void sim_wake(const void *on, bool all)
{
    sim_thread *waiting[MOST_THREADS];
    size_t n = 0;
    for (size_t i = 0; i < sim->n_threads; i++)
        if (!sim->threads[i]->over && sim->threads[i]->waits_for == on)
            waiting[n++] = sim->threads[i];
    size_t chosen = n > 1 && !all ? sim_draw(n) : 0;
    for (size_t i = 0; i < n; i++)
        if (all || i == chosen) {
            waiting[i]->waits_for = NULL;
            waiting[i]->woken = true;
        }
}

void sim_yield(void)
{
    leave_thread();
}

/* Now and then for longer: its processor had something else to do. */
void sim_maybe_yield(void)
{
    sim_thread *t = sim_thread_here();
    if (t == NULL || !sim_one_in(sim->yields_one_in))
        return;
    if (sim_one_in(50))
        t->not_before = sim->now + sim_draw_scaled(SIM_US, 20 * SIM_MS);
    leave_thread();
}

void sim_set_yields(uint64_t one_in)
{
    sim->yields_one_in = one_in;
}

/* ---- processes ---- */

sim_process *sim_process_start(const char *name, int host, int incarnation,
                               void *(*main)(void *arg), void *arg)
{
    sim_process *process = sim_alloc(sizeof *process);
    if (sim->first_data == NULL) {
        sim->first_data = copied(sim->data, sim->data_bytes);
        sim->first_local = copied(sim->local, sim->local_bytes);
    }
    (void)snprintf(process->name, sizeof process->name, "%s", name);
    process->host = host;
    process->pid = FIRST_PID + sim->n_processes++;
    process->incarnation = incarnation;
    process->alive = true;
    process->memory = copied(sim->first_data, sim->data_bytes);
    (void)add_thread(process, "main", main, arg);
    sim_net_host_up(host);
    sim_note("%s starts", name);
    return process;
}

static void end_threads(const sim_process *process)
{
    for (size_t i = 0; i < sim->n_threads; i++)
        if (sim->threads[i]->process == process)
            sim->threads[i]->over = true;
}

static void end_process(sim_process *process)
{
    end_threads(process);
    process->alive = false;
    sim_note("%s has ended", process->name);
    sim_net_process_gone(process, false);
}

void sim_process_kill(sim_process *process, bool silently)
{
    if (!process->alive)
        return;
    end_threads(process);
    process->alive = false;
    process->killed = true;
    sim_note("%s is killed%s", process->name, silently ? ", and its host is gone" : "");
    sim_net_process_gone(process, silently);
    if (silently)
        sim_disk_cut_power(process->host);
}

sim_process *sim_process_here(void)
{
    return sim != NULL && sim->here != NULL ? sim->here->process : NULL;
}

/* ---- running ---- */

/* What was drawn for a process at its n-th step. */
static void meet_fate(sim_process *p)
{
    if (p->alive && p->kill_at_switch != 0 && p->switches >= p->kill_at_switch)
        sim_process_kill(p, p->kill_silently);
    if (p->alive && p->stop_at_switch != 0 && p->switches >= p->stop_at_switch) {
        p->stop_at_switch = 0;
        p->stopped_at = sim->now;
        sim_note("%s is sent a signal", p->name);
    }
    if (p->alive && p->pause_at_switch != 0 && p->switches >= p->pause_at_switch) {
        p->pause_at_switch = 0;
        p->paused_until = sim->now + p->pause_ns;
        sim_note("%s stands still for %.3f s", p->name, (double)p->pause_ns * 1e-9);
    }
}

/* The time from which the thread can go on. */
static uint64_t ready_at(const sim_thread *t)
{
    uint64_t at = t->waits_for != NULL ? t->until : 0;
    at = at < t->not_before ? t->not_before : at;
    return at < t->process->paused_until ? t->process->paused_until : at;
}

/* A thread that can go on now, drawn; NULL: none, and *next is when one can. */
static sim_thread *choose(uint64_t *next)
{
    sim_thread *ready[MOST_THREADS];
    size_t n = 0, kept = 0;
    *next = SIM_NEVER;
    for (size_t i = 0; i < sim->n_threads; i++) {
        sim_thread *t = sim->threads[i];
        if (t->over)
            continue;
        sim->threads[kept++] = t;
        uint64_t at = ready_at(t);
        if (at <= sim->now)
            ready[n++] = t;
        else if (at < *next)
            *next = at;
    }
    sim->n_threads = kept;
    return n == 0 ? NULL : ready[sim_draw(n)];
}

static void step(sim_thread *t)
{
    sim->now += SIM_US + sim_draw(4 * SIM_US);
    fold(&t->process->switches, sizeof t->process->switches);
    enter_thread(t);
    if (t->over && t->process->alive && strcmp(t->name, "main") == 0)
        end_process(t->process);
    meet_fate(t->process);
}

bool sim_run(bool (*over)(void), uint64_t until)
{
    while (!over()) {
        uint64_t next;
        if (sim->now >= until)
            return false;
        if (sim->n_events > 0 && sim->events[0].when <= sim->now) {
            event e = take_event();
            e.run(e.arg);
            continue;
        }
        sim_thread *t = choose(&next);
        if (t != NULL) {
            step(t);
            continue;
        }
        if (sim->n_events > 0 && sim->events[0].when < next)
            next = sim->events[0].when;
        if (next == SIM_NEVER)
            return false; /* nothing can happen any more */
        sim->now = next;
    }
    return true;
}
