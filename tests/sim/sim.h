/* sim.h - a whole job in one OS thread: what the files of the simulator share.
 *
 * src/rpc, src/dist, src/ps, src/exec and src/ops are linked as they are; under them lie a clock
 * that jumps, threads that are coroutines, a network and a disk made of lists. Whatever could go
 * one way or another is drawn from one seed, so a seed that fails fails again, step by step.
 *
 *     sched.c    time, chance, processes and their threads
 *     threads.c  what src/ asks of pthreads, of clocks and of its own process
 *     loop.c     event loops and timers (src/sys/loop.h)
 *     fault.c    the points where src/ lets itself be made to fail
 *     net.c, net_calls.c  the transport "sim:", and what networks do to connections
 *     disk.c     the system calls on files, and what a power cut leaves of them
 *     model.c    the smallest programs that train, cut into trainers and servers
 *     job.c      the processes of a job, and what they must have come to
 *     plan.c     what a seed decides: the job, and what happens to it
 *     main.c     many seeds, each in a child of its own
 *
 * Nothing here is ever freed: a seed's child ends soon, and what a killed process left lies there
 * as it would. */
#ifndef RG_TESTS_SIM_H
#define RG_TESTS_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_NEVER UINT64_MAX
#define SIM_US    ((uint64_t)1000)
#define SIM_MS    ((uint64_t)1000000)
#define SIM_S     ((uint64_t)1000000000)

/* Memory, zeroed, for ever. */
void *sim_alloc(size_t bytes);

/* ---- chance ---- */

void sim_set_seed(uint64_t seed);
uint64_t sim_draw(uint64_t below); /* 0 .. below - 1 */
bool sim_one_in(uint64_t n);       /* 0: never */
/* Between the two, small numbers as often as large ones (by their logarithm). */
uint64_t sim_draw_scaled(uint64_t from, uint64_t to);

/* ---- time, and the trace ---- */

uint64_t sim_now(void); /* ns */
/* Runs in no process's name. */
void sim_at(uint64_t when, void (*run)(void *arg), void *arg);
/* What happens is folded into the trace, whose hash tells two runs apart, and said where somebody
 * looks (--verbose). */
void sim_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint64_t sim_trace(void);
void sim_set_verbose(bool verbose);

/* ---- processes ---- */

typedef struct sim_thread sim_thread;

typedef struct sim_process {
    char name[32];
    int host; /* for the network */
    int pid;
    int incarnation; /* how often it was started before: REGATTA_INCARNATION */
    const char *key; /* REGATTA_JOB_KEY; NULL: there is none */
    bool alive;
    uint64_t paused_until;
    uint64_t switches;        /* how often one of its threads went on */
    uint64_t kill_at_switch;  /* 0: not */
    uint64_t points;          /* fault points that it has passed */
    uint64_t kill_at_point;   /* 0: not */
    uint64_t slabs;           /* after so many there is no memory for rows; 0: there is */
    bool kill_silently;       /* the host is gone, and nobody is told */
    uint64_t pause_at_switch; /* 0: not */
    uint64_t pause_ns;
    uint64_t stop_at_switch; /* 0: not. It is sent SIGTERM */
    uint64_t stopped_at;     /* 0: it was not */
    bool killed;
    uint8_t *memory; /* the data of the program, while another process runs */
} sim_process;

/* Begins with main(arg) in a thread of its own, and ends when that returns. */
sim_process *sim_process_start(const char *name, int host, int incarnation,
                               void *(*main)(void *arg), void *arg);
void sim_process_kill(sim_process *process, bool silently);
sim_process *sim_process_here(void); /* NULL: in none */

/* Runs until `over` is true (looked at between any two steps) or the time is there; false: it
 * is. */
bool sim_run(bool (*over)(void), uint64_t until);
/* How often one in so many locks, waits and looks at the clock lets others go first; 0: never. */
void sim_set_yields(uint64_t one_in);

/* ---- threads (for threads.c and loop.c) ---- */

sim_thread *sim_thread_start(const char *name, void *(*main)(void *arg), void *arg);
sim_thread *sim_thread_here(void); /* NULL: before the first, or between two */
bool sim_thread_is_over(const sim_thread *thread);
void *sim_thread_result(const sim_thread *thread);
void sim_thread_set_name(sim_thread *thread, const char *name);
/* Until somebody wakes who waits for `on`, or until then: false. */
bool sim_wait(const void *on, uint64_t until);
void sim_wake(const void *on, bool all);
/* Another one may run first. */
void sim_yield(void);
void sim_maybe_yield(void);

/* ---- the network (net.c) ---- */

void sim_net_init(void);
void sim_net_host_up(int host);
void sim_net_process_gone(const sim_process *process, bool silently);

/* What it does to connections; all by chance. */
typedef struct sim_weather {
    uint64_t latency_ns;    /* of every link */
    uint64_t jitter_ns;     /* more, by chance, for each piece */
    uint64_t reset_one_in;  /* of connections: broken at some byte of theirs */
    bool half_open;         /* and who called may not hear of that */
    uint64_t refuse_one_in; /* of attempts to connect */
    uint64_t window;        /* bytes under way in one direction */
    uint64_t slow_one_in;   /* of connections: their bytes drip */
    uint64_t flip_one_in;   /* of pieces that arrive: a bit of it is another */
} sim_weather;

void sim_net_set_weather(const sim_weather *weather);
const sim_weather *sim_net_weather(void);
/* Nothing passes from one host to the other until then. */
void sim_net_cut(int from, int to, uint64_t until);
/* All connections of a host break now. */
void sim_net_reset_all(int host);

/* ---- the disk (disk.c) ---- */

void sim_disk_init(void);
/* Its files are below /sim/HOST. */
void sim_disk_add_host(int host);
/* What was not synced is gone. */
void sim_disk_cut_power(int host);

#endif
