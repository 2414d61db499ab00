/* serve_wait.c - whom a server waits for: it says so, and gives up those that never come. */
#include "dist/serve_members.h"
#include "dist/serve_tell.h"

#include "sys/because.h"
#include "sys/clock.h"
#include "sys/events.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <stdio.h>

static const uint64_t SECOND = 1000000000;
enum { TELL_AFTER_S = 10, TELL_EVERY_S = 30, MOST_NAMED = 8 };

/* ---- who is where ---- */

static bool is_waiting(const rg_member *trainer)
{
    return trainer->waiting != NULL || trainer->rendezvous.request != NULL || trainer->fetches;
}

/* Whether nothing goes on before one comes that has not, or does what the others did: someone
 * waits for it, or nobody is left. In async modes a trainer at work waits for none. */
static bool is_held_up(const rg_engine *s)
{
    bool all_left = true, any_waits = false;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *trainer = &s->trainers[t];
        any_waits = any_waits || is_waiting(trainer);
        all_left = all_left && (!trainer->joined || trainer->left);
    }
    return any_waits || all_left;
}

/* Whether some are done, and those that are not ask for nothing: they may be stuck. */
static bool is_quiet(const rg_engine *s, uint64_t now)
{
    bool any_left = false;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *trainer = &s->trainers[t];
        any_left = any_left || trainer->left;
        if (!trainer->left && !rg_serve_is_absent(s, trainer) &&
            (!trainer->joined || now - atomic_load(&trainer->asked_ns) < SECOND))
            return false;
    }
    return any_left;
}

static uint32_t count_missing(const rg_engine *s)
{
    uint32_t missing = 0;
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        missing += !s->trainers[t].joined && !rg_serve_is_absent(s, &s->trainers[t]);
    return missing;
}

/* Grows with everything that a wait may be for. */
static uint64_t progress_of(const rg_engine *s)
{
    uint64_t sum = s->steps + s->rendezvous + (s->desc != NULL);
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        sum += (uint64_t)s->trainers[t].joined + (uint64_t)s->trainers[t].left;
    return sum;
}

/* ---- in words ---- */

static void add_name(rg_buf *out, uint32_t *n, const char *name, const char *more)
{
    if (*n < MOST_NAMED)
        rg_buf_printf(out, "%s%s%s", *n > 0 ? ", " : "", name, more);
    else if (*n == MOST_NAMED)
        rg_buf_text(out, " and others");
    (*n)++;
}

static void add_missing(const rg_engine *s, rg_buf *out, uint32_t *n)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        char name[32];
        (void)snprintf(name, sizeof name, "trainer %u", t);
        if (!s->trainers[t].joined && !rg_serve_is_absent(s, &s->trainers[t]))
            add_name(out, n, name, ", which was never seen");
    }
}

/* Those that have come and are at something of their own. */
static void add_busy(const rg_engine *s, rg_buf *out, uint32_t *n)
{
    uint64_t now = rg_clock_ns();
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *trainer = &s->trainers[t];
        char more[80];
        if (!trainer->joined || trainer->left || is_waiting(trainer))
            continue;
        if (trainer->away_ns != 0)
            (void)snprintf(more, sizeof more, ", which is gone and may be started again");
        else if (atomic_load(&trainer->asked_ns) == 0)
            (void)snprintf(more, sizeof more, ", which lives and has not asked for anything yet");
        else
            (void)snprintf(more, sizeof more,
                           ", which lives and last asked for something %.0f s ago",
                           (double)(now - atomic_load(&trainer->asked_ns)) * 1e-9);
        add_name(out, n, trainer->who, more);
    }
}

static void add_come(const rg_engine *s, rg_buf *out)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        if (s->trainers[t].joined && (s->trainers[t].left || is_waiting(&s->trainers[t])))
            add_name(out, &n, s->trainers[t].who, s->trainers[t].left ? ", which is done" : "");
    if (n == 0)
        rg_buf_text(out, "nobody");
}

/* What someone has asked to meet for; NULL: nobody has. */
static const char *meeting_of(const rg_engine *s)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        if (s->trainers[t].rendezvous.request != NULL)
            return s->trainers[t].rendezvous.name;
    return NULL;
}

void rg_serve_whom(rg_engine *s, rg_buf *out)
{
    uint32_t n = 0;
    pthread_mutex_lock(&s->members);
    if (!s->ended && !s->stepping && (is_held_up(s) || is_quiet(s, rg_clock_ns()))) {
        const char *rendezvous = meeting_of(s);
        rg_buf_printf(out, "%s waits ", s->who);
        if (rendezvous != NULL)
            rg_buf_printf(out, "(for '%s') ", rendezvous);
        else if (s->steps > 0)
            rg_buf_printf(out, "(to make step %llu) ", (unsigned long long)s->steps);
        rg_buf_text(out, "for ");
        add_missing(s, out, &n);
        add_busy(s, out, &n);
        rg_buf_text(out, "; ready: ");
        add_come(s, out);
    }
    pthread_mutex_unlock(&s->members);
}

/* ---- what to do about it ---- */

static void give_up_missing(rg_engine *s, int64_t seconds)
{
    uint32_t n = 0;
    int first = -1;
    rg_buf text;
    rg_buf_init(&text, 0);
    pthread_mutex_lock(&s->members);
    for (uint32_t t = 0; first < 0 && t < s->schema.trainers; t++)
        first = s->trainers[t].joined ? first : (int)t;
    add_missing(s, &text, &n);
    rg_buf_text(&text, "; ready: ");
    add_come(s, &text);
    pthread_mutex_unlock(&s->members);
    rg_because_say((rg_because){.worker = true, .index = first});
    rg_serve_fail(
        s, RG_ETIMEOUT,
        "%lld s (FLAGS_ps_join_seconds) were waited for %s; start who is missing, or look "
        "at its log",
        (long long)seconds, rg_buf_cstr(&text));
    rg_buf_fini(&text);
}

static void tell(rg_engine *s, uint64_t now)
{
    rg_buf text;
    if (now < s->tell_ns)
        return;
    s->tell_ns = now + TELL_EVERY_S * SECOND;
    rg_buf_init(&text, 0);
    rg_serve_whom(s, &text);
    if (text.len > 0)
        rg_event("stalled", NULL, "%s", rg_buf_cstr(&text));
    if (text.len > 0)
        rg_log(RG_LOG_W, "ps", "server=%d \"%s\" seconds=%.0f", s->id, rg_buf_cstr(&text),
               (double)(now - s->held_ns) * 1e-9);
    rg_buf_fini(&text);
}

void rg_serve_look(rg_engine *s)
{
    uint64_t now = rg_clock_ns();
    int64_t seconds = rg_flag_int("ps_join_seconds");
    pthread_mutex_lock(&s->members);
    bool held = !s->ended && is_held_up(s), quiet = !s->ended && is_quiet(s, now);
    uint32_t missing = count_missing(s);
    uint64_t progress = progress_of(s);
    pthread_mutex_unlock(&s->members);
    if ((!held && !quiet) || progress != s->progress) {
        s->progress = progress;
        s->held_ns = now;
        s->tell_ns = now + TELL_AFTER_S * SECOND;
        return;
    }
    if (held && missing > 0 && seconds > 0 && now - s->held_ns > (uint64_t)seconds * SECOND)
        give_up_missing(s, seconds);
    else
        tell(s, now);
}
