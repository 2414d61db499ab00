/* serve_rendezvous.c - trainers that wait for each other: barriers, and numbers over all of them.
 */
#include "dist/serve_members.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "sys/fault.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SUM, MAX, MIN };
enum { NUMBER = 8 }; /* bytes of a double, and of an int64 */

static void end_rendezvous(rg_rendezvous *m)
{
    rg_free(m->name);
    *m = (rg_rendezvous){0};
}

/* {name}, and of a reduction {u32 op, u32 type, numbers}, which begin at a multiple of 8. */
static rg_status read_rendezvous(rg_rpc_request *request, rg_rendezvous *m)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n), *bytes;
    rg_cursor in = {body, n};
    m->kind = rg_rpc_request_method(request);
    RG_TRY(rg_ps_get_text(&in, &m->name));
    if (m->kind == RG_PS_BARRIER)
        return in.left == 0 ? RG_OK : rg_fail(RG_ECORRUPT, "%zu bytes too many", in.left);
    RG_TRY(rg_cursor_take(&in, rg_ps_padded(n - in.left) - (n - in.left), &bytes));
    RG_TRY(rg_cursor_u32(&in, &m->op));
    RG_TRY(rg_cursor_u32(&in, &m->type));
    if (m->op > 2 || m->type > 1 || in.left % NUMBER != 0)
        return rg_fail(RG_ECORRUPT, "%zu bytes to be reduced by operation %u, of type %u", in.left,
                       m->op, m->type);
    m->numbers = in.at;
    m->n = in.left / NUMBER;
    return RG_OK;
}

void rg_serve_rendezvous(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    if (trainer->rendezvous.request != NULL) {
        rg_rpc_refuse(request, RG_EINVAL, "%s waits already, for '%s'", trainer->who,
                      trainer->rendezvous.name);
        return;
    }
    rg_rendezvous m = {0};
    if (read_rendezvous(request, &m) != RG_OK) {
        rg_free(m.name);
        rg_rpc_refuse(request, RG_ECORRUPT, "%s", rg_error_message());
        return;
    }
    m.request = request;
    if (rg_serve_meet_again(s, trainer, &m)) {
        rg_free(m.name);
        return;
    }
    trainer->rendezvous = m;
    rg_serve_try_rendezvous(s);
}

/* The first trainer that waits for something else than `m`; NULL: none. */
static const rg_member *stranger(const rg_engine *s, const rg_rendezvous *m)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_rendezvous *each = &s->trainers[t].rendezvous;
        if (each->request != NULL &&
            (each->kind != m->kind || strcmp(each->name, m->name) != 0 || each->op != m->op ||
             each->type != m->type || each->n != m->n))
            return &s->trainers[t];
    }
    return NULL;
}

/* A NaN of any trainer is the result: it compares with nothing, and would depend on the order. */
static double join_floats(uint32_t op, double a, double b)
{
    if (op == SUM || isnan(a) || isnan(b))
        return a + b;
    return op == MAX ? (b > a ? b : a) : b < a ? b : a;
}

/* Whole numbers are added as such: a double has 53 bits of them. */
static bool join_wholes(uint32_t op, int64_t *a, int64_t b)
{
    if (op == SUM)
        return !__builtin_add_overflow(*a, b, a);
    *a = op == MAX ? (b > *a ? b : *a) : b < *a ? b : *a;
    return true;
}

/* Over all who wait, in their order. false: a sum of whole numbers is beyond 64 bits. */
static bool combine(const rg_engine *s, const rg_rendezvous *m, void *out)
{
    double *floats = out;
    int64_t *wholes = out;
    bool first = true, fits = true;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_rendezvous *each = &s->trainers[t].rendezvous;
        const double *more = (const double *)(const void *)each->numbers;
        const int64_t *more_wholes = (const int64_t *)(const void *)each->numbers;
        if (each->request == NULL)
            continue;
        if (first)
            memcpy(out, each->numbers, m->n * NUMBER);
        for (size_t i = 0; !first && i < m->n; i++)
            if (m->type == 0)
                floats[i] = join_floats(m->op, floats[i], more[i]);
            else
                fits = join_wholes(m->op, &wholes[i], more_wholes[i]) && fits;
        first = false;
    }
    return fits;
}

void rg_serve_try_rendezvous(rg_engine *s)
{
    const rg_rendezvous *m = NULL;
    if (s->cutting)
        return; /* it is tried again */
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        if (s->trainers[t].left || rg_serve_is_absent(s, &s->trainers[t]))
            continue;
        if (s->trainers[t].rendezvous.request == NULL)
            return;
        m = &s->trainers[t].rendezvous;
    }
    if (m == NULL || s->ended)
        return;
    const rg_member *other = stranger(s, m);
    size_t bytes = m->n * NUMBER;
    void *out = m->n > 0 && rg_fault("ps.reduce") == RG_FAULT_NONE ? rg_alloc(bytes) : NULL;
    char text[2 * RG_PS_MAX_NAME] = "";
    bool refused = other != NULL || (bytes > 0 && out == NULL);
    rg_status why = other != NULL ? RG_EINVAL : RG_ENOMEM;
    if (other != NULL)
        (void)snprintf(text, sizeof text, "trainers wait for different things: '%s' and, %s, '%s'",
                       m->name, other->who, other->rendezvous.name);
    else if (refused)
        (void)snprintf(text, sizeof text, "no memory for %zu bytes of numbers", bytes);
    else if (out != NULL && !combine(s, m, out)) {
        refused = true;
        why = RG_EVALUE;
        (void)snprintf(text, sizeof text, "a sum of whole numbers is beyond 64 bits");
    }
    s->rendezvous++;
    if (!refused)
        rg_serve_keep_meeting(s, m, out, bytes);
    if (s->ended) { /* there was no memory to keep it: all who wait have been told */
        rg_free(out);
        return;
    }
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        rg_rendezvous *each = &s->trainers[t].rendezvous;
        if (each->request == NULL)
            continue;
        if (refused)
            rg_rpc_refuse(each->request, why, "%s", text);
        else
            rg_rpc_reply(each->request, 0, &(rg_iov){out, bytes}, bytes > 0 ? 1 : 0, NULL, NULL);
        s->trainers[t].met += !refused;
        end_rendezvous(each);
    }
    rg_free(out);
}
