/* serve_elastic.c - jobs whose trainers come and go: FLAGS_ps_elastic.
 *
 * The job has numbers for as many trainers as there may be at once. A number that nobody has had is
 * waited for only until as many have come as must. Who is gone is not waited for either: what it
 * had done counts, its ranges of the data go to others, and another process may come with its
 * number, in the next epoch. One that comes while others train takes part in steps as below. A
 * rendezvous is of all that have come and have not left; who comes later is answered what was met
 * for before it came, as one that was started again (serve_return.c). */
#include "dist/serve_members.h"

#include "base/cursor.h"
#include "sys/because.h"
#include "sys/clock.h"
#include "sys/flags.h"

bool rg_serve_is_absent(const rg_engine *s, const rg_member *trainer)
{
    return s->elastic > 0 && !trainer->joined &&
           atomic_load(&((rg_engine *)(uintptr_t)s)->n_joined) >= s->elastic;
}

/* ---- taking part in steps ----
 *
 * Each server makes its own steps of the pushes that come to it, and all servers must make the
 * same: were one to make a step with a trainer and another one without, those two trainers could
 * wait for each other at different servers for ever. Who goes (idle, or gone, or to a rendezvous)
 * has no push under way, so each server leaves it out from the same step on, whenever it hears so.
 * Who comes asks the first server from when on it can take part: that is the second step behind the
 * one that is made next, and the one before it is held there until all others have been told
 * (ENTER). No server can have made it then: it would need pushes that are sent when the first
 * server has answered the step that is held. */

bool rg_serve_is_of_turn(const rg_member *trainer, uint64_t turn)
{
    return trainer->waiting != NULL && trainer->enters <= turn;
}

bool rg_serve_steps_wait_for(const rg_engine *s, const rg_member *trainer, uint64_t turn)
{
    return !trainer->left && trainer->rendezvous.request == NULL && !trainer->idle &&
           trainer->enters <= turn && !rg_serve_is_absent(s, trainer);
}

/* Who is gone has its data taken from it, and is not waited for. It may be there all the same,
 * stand still in the middle of a step, and go on: it comes back, or is heard by a server that has
 * not missed it. */
bool rg_serve_may_be_passed_over(const rg_engine *s, const rg_member *trainer)
{
    return s->elastic > 0 || (trainer->leased && rg_serve_waits_for_return());
}

uint64_t rg_serve_next_turn(const rg_engine *s)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *trainer = &s->trainers[t];
        if (trainer->waiting == NULL && !rg_serve_steps_wait_for(s, trainer, UINT64_MAX))
            continue;
        if (trainer->enters <= s->turns)
            return s->turns;
        next = trainer->enters < next ? trainer->enters : next;
    }
    return next == UINT64_MAX ? s->turns : next;
}

bool rg_serve_is_held_back(const rg_engine *s, uint64_t turn)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        if (s->trainers[t].holds != 0 && turn >= s->trainers[t].holds)
            return true;
    return false;
}

void rg_serve_enter(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    uint64_t from = 0;
    rg_status code = rg_cursor_u64(&(rg_cursor){body, n}, &from);
    if (code != RG_OK || n != sizeof from) {
        rg_rpc_refuse(request, RG_ECORRUPT, "%zu bytes for the number of a step", n);
        return;
    }
    if (from > 0) {
        trainer->idle = false;
        trainer->enters = from;
        trainer->holds = 0;
        rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
        return;
    }
    uint64_t next = rg_serve_next_turn(s) + (s->stepping ? 1 : 0);
    trainer->idle = true;
    trainer->holds = next + 1;
    from = next + 2;
    rg_rpc_reply(request, 0, &(rg_iov){&from, sizeof from}, 1, NULL, NULL);
}

bool rg_serve_all_are_lost(const rg_engine *s)
{
    bool any = false;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *trainer = &s->trainers[t];
        if (trainer->joined && !trainer->lost)
            return false;
        any = any || trainer->lost;
    }
    return any;
}

void rg_serve_look_for_lost(rg_engine *s)
{
    uint64_t now = rg_clock_ns(), wait_s = (uint64_t)rg_flag_int("ps_return_seconds");
    if (s->elastic == 0)
        return;
    pthread_mutex_lock(&s->lock);
    pthread_mutex_lock(&s->members);
    bool lost = rg_serve_all_are_lost(s) && !s->ended;
    s->alone_ns = !lost ? 0 : s->alone_ns != 0 ? s->alone_ns : now;
    bool late = lost && now - s->alone_ns >= wait_s * 1000000000u;
    pthread_mutex_unlock(&s->members);
    if (late) {
        rg_because_say((rg_because){.worker = true, .index = RG_BECAUSE_ANY});
        rg_serve_fail(s, RG_ECLOSED,
                      "all trainers are gone, the last of them %s; none came within %llu s "
                      "(FLAGS_ps_return_seconds); each of their logs says why",
                      s->last_lost, (unsigned long long)wait_s);
    }
    pthread_mutex_unlock(&s->lock);
}
