/* group_work.c - the group's thread: operations one after another, in the order they were started.
 *
 * All members start the same operations in the same order, so that order is the same everywhere.
 * That one thread makes all calls of a back end is also what MPI asks for in its simplest mode. */
#include "coll/group_work.h"

#include "base/mem.h"
#include "coll/group_shared.h"
#include "sys/cond.h"
#include "sys/interrupt.h"
#include "sys/log.h"
#include "sys/metrics.h"
#include "sys/process.h"

#include <string.h>

enum { TELL_AFTER_LOOKS = 10000 / RG_LOOK_MS };
static const uint64_t IDLE_NS = 100 * 1000 * 1000;

static void *thread_main(void *arg)
{
    rg_group *group = arg;
    rg_works_for_another(&group->given_up);
    rg_thread_waits_its_turn();
    for (bool last = false; !last;) {
        pthread_mutex_lock(&group->lock);
        while (group->first == NULL) {
            if (rg_cond_wait(&group->change, &group->lock, IDLE_NS) ||
                group->backend->idle == NULL || group->state == NULL)
                continue;
            pthread_mutex_unlock(&group->lock);
            group->backend->idle(group);
            pthread_mutex_lock(&group->lock);
        }
        rg_group_work *work = group->first;
        group->first = work->next;
        if (group->first == NULL)
            group->last = NULL;
        pthread_mutex_unlock(&group->lock);
        last = work->is_last;
        work->code = work->run(work);
        if (work->code != RG_OK)
            (void)snprintf(work->why, sizeof work->why, "%s", rg_error_message());
        rg_latch_open(&work->done); /* it may be gone from here on */
    }
    return NULL;
}

rg_status rg_group_thread_begin(rg_group *group)
{
    pthread_mutex_init(&group->lock, NULL);
    rg_cond_init(&group->change);
    if (pthread_create(&group->thread, NULL, thread_main, group) != 0)
        return rg_fail(RG_ENOMEM, "a thread for a group of processes cannot be made");
    group->has_thread = true;
    (void)pthread_setname_np(group->thread, "rg-coll");
    return RG_OK;
}

void rg_group_thread_end(rg_group *group)
{
    if (group->has_thread)
        (void)pthread_join(group->thread, NULL);
    pthread_mutex_destroy(&group->lock);
    pthread_cond_destroy(&group->change);
}

rg_status rg_group_start(rg_group_work **out, rg_group *group, const rg_group_work *what)
{
    rg_group_work *work = rg_alloc(sizeof *work);
    if (work == NULL)
        return rg_no_memory(sizeof *work, "an operation of a group");
    *work = *what;
    work->group = group;
    work->in_memory = work->kind != RG_GROUP_NONE && group->shared != NULL;
    rg_latch_init(&work->done);
    if (work->kind == RG_GROUP_LIST &&
        (work->counts = rg_alloc_zero((size_t)group->size, sizeof *work->counts)) == NULL) {
        rg_latch_fini(&work->done);
        rg_free(work);
        return rg_no_memory((size_t)group->size * sizeof *work->counts, "a gather");
    }
    *out = work;
    atomic_fetch_add(&group->refs, 1);
    if (work->in_memory) {
        rg_shared_start(group->shared, work);
        return RG_OK;
    }
    pthread_mutex_lock(&group->lock);
    if (group->last != NULL)
        group->last->next = work;
    else
        group->first = work;
    group->last = work;
    (void)pthread_cond_signal(&group->change);
    pthread_mutex_unlock(&group->lock);
    return RG_OK;
}

static rg_status wait_shared(rg_group_work *work)
{
    rg_step_part before = rg_step_within(RG_STEP_WAIT);
    rg_shared *shared = work->group->shared;
    if (shared != NULL)
        work->code = rg_shared_wait(shared, work);
    else if (work->code != RG_OK) /* the group has ended, and this with it */
        (void)rg_fail(work->code, "the group has ended");
    (void)rg_step_enter(before);
    if (work->code != RG_OK)
        (void)snprintf(work->why, sizeof work->why, "%s", rg_error_message());
    work->waited = true;
    return work->code;
}

rg_status rg_group_wait(rg_group_work *work)
{
    rg_status interrupted = RG_OK;
    char why[256] = "";
    if (work->waited)
        return work->code == RG_OK ? RG_OK : rg_fail(work->code, "%s", work->why);
    if (work->in_memory)
        return wait_shared(work);
    rg_step_part before = rg_step_within(RG_STEP_WAIT);
    /* What is given up ends soon: until then the thread may still write the caller's memory. */
    for (int looks = 0; !rg_latch_wait(&work->done, RG_LOOK_MS); looks++) {
        if (looks == TELL_AFTER_LOOKS && work->voice != NULL)
            rg_log(RG_LOG_W, "coll", "\"%s\" seconds=10", work->voice);
        if (interrupted == RG_OK && (interrupted = rg_interrupted()) != RG_OK) {
            (void)snprintf(why, sizeof why, "%s", rg_error_message());
            atomic_store(&work->group->given_up, true);
        }
    }
    (void)rg_step_enter(before);
    work->waited = true;
    if (interrupted != RG_OK)
        return rg_fail(interrupted, "%s", why);
    return work->code == RG_OK ? RG_OK : rg_fail(work->code, "%s", work->why);
}

void rg_group_work_close(rg_group_work *work)
{
    if (work == NULL)
        return;
    if (!work->waited)
        (void)rg_group_wait(work);
    rg_latch_fini(&work->done);
    rg_free(work->counts);
    rg_group_release(work->group);
    rg_free(work);
}

rg_status rg_group_do(rg_group *group, const rg_group_work *what)
{
    rg_group_work *work;
    RG_TRY(rg_group_start(&work, group, what));
    rg_status code = rg_group_wait(work);
    rg_group_work_close(work);
    return code;
}
