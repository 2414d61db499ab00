/* serve_elastic.c - jobs whose trainers come and go: FLAGS_ps_elastic.
 *
 * The job has numbers for as many trainers as there may be at once. A number that nobody has had is
 * waited for only until as many have come as must. Who is gone is not waited for either: what it
 * had done counts, its ranges of the data go to others, and another process may come with its
 * number, in the next epoch. One that comes while others train takes part in steps from its first
 * push on. A rendezvous is of all that have come and have not left; who comes later is answered
 * what was met for before it came, as one that was started again (serve_return.c). */
#include "dist/serve_priv.h"

#include "sys/because.h"
#include "sys/clock.h"
#include "sys/flags.h"

bool rg_serve_is_absent(const rg_engine *s, const rg_member *trainer)
{
    return s->elastic > 0 && !trainer->joined &&
           atomic_load(&((rg_engine *)(uintptr_t)s)->n_joined) >= s->elastic;
}

bool rg_serve_steps_wait_for(const rg_engine *s, const rg_member *trainer)
{
    return !trainer->left && trainer->rendezvous.request == NULL && !trainer->idle &&
           !rg_serve_is_absent(s, trainer);
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
