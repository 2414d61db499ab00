/* rank_memory.c - how ranks find it, who has gone, and the sleep on a bell. */
#include "coll/rank_memory.h"

#include "base/mem.h"
#include "coll/group_priv.h"
#include "sys/clock.h"
#include "sys/memfd.h"
#include "sys/process.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/lent.h"
#include "sys/log.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, PAGE = 4096 };
enum { SPINS = 64 }; /* a few microseconds: a rank that is about to come is not slept for */
static const uint64_t TELL_AFTER_NS = 10000000000u, TELL_EVERY_NS = 30000000000u;

/* SAYING: someone writes why. */
typedef enum presence { HERE, SAYING, LEFT, FAILED, LOST } presence;

typedef struct member {
    _Alignas(LINE) _Atomic uint64_t at[RG_STAGES]; /* its own to write */
    _Atomic uint32_t bell;                         /* another number after each change */
    _Alignas(LINE) _Atomic uint32_t asleep;        /* somebody sleeps on the bell */
    _Atomic uint32_t presence;
    char why[232];
    pthread_mutex_t alive; /* held by the rank's thread for as long as that lives */
    _Alignas(LINE) rg_rank_round rounds[RG_RANK_ROUNDS];
} member;
_Static_assert(sizeof(rg_rank_round) == LINE, "a round is a line");

struct rg_rank_memory {
    int rank, size;
    size_t bytes;
    member *members; /* the beginning of the memory */
    uint8_t *areas;
    bool is_member; /* our lock is held */
    bool lends;
    rg_lent_view **views; /* by rank: what it lends; NULL of ourselves */
};

static size_t heads_bytes(int size)
{
    return ((size_t)size * sizeof(member) + PAGE - 1) / PAGE * PAGE;
}

/* ---- making and finding it ---- */

static bool take_memory(rg_rank_memory *g, void *at)
{
    g->members = at;
    g->areas = (uint8_t *)at + heads_bytes(g->size);
    return at != NULL;
}

static bool make_locks(rg_rank_memory *g)
{
    pthread_mutexattr_t how;
    bool ok = pthread_mutexattr_init(&how) == 0 &&
              pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED) == 0 &&
              pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST) == 0;
    for (int i = 0; ok && i < g->size; i++)
        ok = pthread_mutex_init(&g->members[i].alive, &how) == 0;
    (void)pthread_mutexattr_destroy(&how);
    return ok;
}

/* Every rank takes part in both exchanges, whether or not it can have the memory. */
static rg_status meet(rg_rank_memory *g, rg_group *group, bool *all_can)
{
    rg_memfd_offer offer = {0};
    uint8_t can, each[4096];
    bool wanted = rg_flag_bool("coll_shared_memory") && g->size <= (int)sizeof each;
    if (wanted && g->rank == 0 &&
        !(take_memory(g, rg_memfd_make(&offer, g->bytes)) && make_locks(g)))
        rg_memfd_withdraw(&offer);
    rg_status code = group->backend->broadcast(group, &offer, sizeof offer, 0);
    if (code == RG_OK && wanted && g->rank > 0)
        (void)take_memory(g, rg_memfd_find(&offer, g->bytes));
    can = wanted && offer.pid > 0 && g->members != NULL;
    if (can)
        can = g->is_member = pthread_mutex_lock(&g->members[g->rank].alive) == 0;
    if (code == RG_OK && g->size <= (int)sizeof each)
        code = group->backend->all_gather(group, &can, 1, each);
    *all_can = code == RG_OK && can;
    for (int i = 0; *all_can && i < g->size; i++)
        *all_can = each[i] != 0;
    if (g->rank == 0) /* all have found it, or nobody needs it */
        rg_memfd_withdraw(&offer);
    return code;
}

typedef struct lender {
    int32_t pid, descriptor;
} lender;

/* All look at what each lends, or nobody lends. Every rank takes part in both exchanges. */
static rg_status look_at_lent(rg_rank_memory *g, rg_group *group)
{
    lender mine = {(int32_t)rg_process_id(), rg_lent_descriptor()};
    lender *all = rg_alloc_zero((size_t)g->size, sizeof *all);
    uint8_t can = 1, *each = rg_alloc_zero((size_t)g->size, 1);
    g->views = rg_alloc_zero((size_t)g->size, sizeof(rg_lent_view *));
    if (all == NULL || each == NULL || g->views == NULL) {
        rg_free(all);
        rg_free(each);
        return rg_no_memory((size_t)g->size * sizeof *all, "a group");
    }
    rg_status code = group->backend->all_gather(group, &mine, sizeof mine, all);
    for (int i = 0; code == RG_OK && i < g->size; i++)
        if (i != g->rank) {
            g->views[i] = rg_lent_view_find(all[i].pid, all[i].descriptor);
            can = can && g->views[i] != NULL;
        }
    if (code == RG_OK)
        code = group->backend->all_gather(group, &can, 1, each);
    g->lends = code == RG_OK;
    for (int i = 0; i < g->size; i++)
        g->lends = g->lends && each[i] != 0;
    rg_free(all);
    rg_free(each);
    return code;
}

rg_status rg_rank_memory_open(rg_rank_memory **out, rg_group *group)
{
    bool all_can = false;
    rg_rank_memory *g = rg_alloc_zero(1, sizeof *g);
    *out = NULL;
    if (g == NULL)
        return rg_no_memory(sizeof *g, "a group");
    g->rank = group->rank;
    g->size = group->size;
    g->bytes = heads_bytes(g->size) + (size_t)g->size * RG_RANK_AREA;
    rg_status code = meet(g, group, &all_can);
    if (code == RG_OK && all_can)
        code = look_at_lent(g, group);
    if (code == RG_OK && all_can)
        *out = g;
    else
        rg_rank_memory_close(g);
    return code;
}

void rg_rank_memory_close(rg_rank_memory *g)
{
    if (g == NULL)
        return;
    if (g->is_member)
        (void)pthread_mutex_unlock(&g->members[g->rank].alive);
    rg_memfd_unmap(g->members, g->bytes);
    for (int i = 0; g->views != NULL && i < g->size; i++)
        rg_lent_view_drop(g->views[i]);
    rg_free(g->views);
    rg_free(g);
}

/* ---- bells ---- */

static void wake(member *m)
{
    (void)atomic_fetch_add(&m->bell, 1);
    if (atomic_load(&m->asleep) != 0 && atomic_exchange(&m->asleep, 0) != 0)
        (void)syscall(SYS_futex, &m->bell, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* For RG_LOOK_NS at most. */
static void sleep_on(member *m, uint32_t seen)
{
    struct timespec most = {.tv_nsec = RG_LOOK_NS};
    (void)syscall(SYS_futex, &m->bell, FUTEX_WAIT, seen, &most, NULL, 0);
}

bool rg_rank_memory_lends(const rg_rank_memory *g)
{
    return g->lends;
}

const uint8_t *rg_rank_memory_lent(const rg_rank_memory *g, int rank, uint64_t at, size_t n)
{
    return rg_lent_view_at(g->views[rank], at, n);
}

uint8_t *rg_rank_memory_area(const rg_rank_memory *g, int rank)
{
    return g->areas + (size_t)rank * RG_RANK_AREA;
}

rg_rank_round *rg_rank_memory_round(const rg_rank_memory *g, int rank, uint64_t round)
{
    return &g->members[rank].rounds[round % RG_RANK_ROUNDS];
}

uint64_t rg_rank_memory_stage(const rg_rank_memory *g, int rank, rg_stage stage)
{
    return atomic_load_explicit(&g->members[rank].at[stage], memory_order_acquire);
}

int rg_rank_memory_behind(const rg_rank_memory *g, rg_stage stage, uint64_t value)
{
    for (int i = 0; i < g->size; i++)
        if (rg_rank_memory_stage(g, i, stage) < value)
            return i;
    return -1;
}

void rg_rank_memory_advance(rg_rank_memory *g, rg_stage stage, uint64_t value)
{
    atomic_store(&g->members[g->rank].at[stage], value);
    wake(&g->members[g->rank]);
}

/* ---- who has gone ---- */

static void say_gone(rg_rank_memory *g, int rank, presence how, const char *why)
{
    member *m = &g->members[rank];
    uint32_t here = HERE;
    if (!atomic_compare_exchange_strong(&m->presence, &here, SAYING))
        return;
    (void)snprintf(m->why, sizeof m->why, "%s", why);
    atomic_store(&m->presence, how);
    for (int i = 0; i < g->size; i++) /* whomever they wait for */
        wake(&g->members[i]);
}

void rg_rank_memory_leave(rg_rank_memory *g, const char *failed)
{
    say_gone(g, g->rank, failed != NULL ? FAILED : LEFT, failed != NULL ? failed : "");
}

void rg_rank_memory_lost(rg_rank_memory *g, int rank, const char *how)
{
    say_gone(g, rank, LOST, how);
}

bool rg_rank_memory_is_lost(const rg_rank_memory *g, int rank)
{
    return atomic_load(&g->members[rank].presence) == LOST;
}

/* The system marks the lock of a thread that has ended, in whatever way: also of one that was just
 * saying why it goes. */
static void look_for_the_dead(rg_rank_memory *g)
{
    for (int i = 0; i < g->size; i++) {
        member *m = &g->members[i];
        if (i == g->rank || atomic_load(&m->presence) > SAYING)
            continue;
        int code = pthread_mutex_trylock(&m->alive);
        if (code == 0 || code == EOWNERDEAD)
            (void)pthread_mutex_unlock(&m->alive);
        if (code != EOWNERDEAD && code != ENOTRECOVERABLE)
            continue;
        atomic_store(&m->presence, HERE);
        rg_rank_memory_lost(g, i, "is dead: its process has ended");
    }
}

/* Who has left may be done with what we wait for, from it or from others. */
static rg_status look_for_the_gone(const rg_rank_memory *g, int rank, rg_stage stage,
                                   uint64_t value)
{
    for (int i = 0; i < g->size; i++) {
        const member *m = &g->members[i];
        uint32_t is = atomic_load(&m->presence);
        if (is == FAILED)
            return rg_group_blame(rg_fail(RG_ECLOSED, "rank %d has failed: %s", i, m->why), i);
        if (is == LOST)
            return rg_group_blame(rg_fail(RG_ECLOSED, "rank %d %s", i, m->why), i);
        if (is == LEFT && i == rank && rg_rank_memory_stage(g, i, stage) < value)
            return rg_group_blame(rg_fail(RG_ECLOSED, "rank %d has left the group", i), i);
    }
    return RG_OK;
}

static void tell(const rg_rank_memory *g, rg_stage stage, uint64_t value, const char *what,
                 uint64_t waited_ns)
{
    char whom[400] = "";
    size_t used = 0;
    for (int i = 0; i < g->size && used < sizeof whom - 60; i++)
        if (rg_rank_memory_stage(g, i, stage) < value)
            used += (size_t)snprintf(whom + used, sizeof whom - used,
                                     "%srank %d (it is busy with something else)",
                                     used > 0 ? ", " : "", i);
    rg_log(RG_LOG_W, "coll", "\"%s waits for %s\" seconds=%llu", what, whom,
           (unsigned long long)(waited_ns / 1000000000u));
}

rg_status rg_rank_memory_wait(rg_rank_memory *g, int rank, rg_stage stage, uint64_t value,
                              const char *what)
{
    member *m = &g->members[rank];
    for (int i = 0; i < SPINS; i++) {
        if (rg_rank_memory_stage(g, rank, stage) >= value)
            return RG_OK;
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
    }
    uint64_t began = rg_clock_ns(), looked = began, tell_at = TELL_AFTER_NS;
    for (;;) {
        /* In this order: a change after the look at it rings the bell that was seen before. */
        uint32_t seen = atomic_load(&m->bell);
        atomic_store(&m->asleep, 1);
        if (atomic_load(&m->at[stage]) >= value)
            return RG_OK;
        RG_TRY(look_for_the_gone(g, rank, stage, value));
        sleep_on(m, seen);
        uint64_t now = rg_clock_ns();
        if (now - looked < RG_LOOK_NS)
            continue;
        looked = now;
        look_for_the_dead(g);
        RG_TRY(rg_interrupted());
        if (now - began >= tell_at) {
            tell(g, stage, value, what, now - began);
            tell_at = now - began + TELL_EVERY_NS;
        }
    }
}
