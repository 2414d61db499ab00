/* serve_rendezvous.c - trainers that wait for each other: barriers, and numbers over all of them.
 */
#include "dist/serve_priv.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "sys/fault.h"

#include <stdio.h>
#include <string.h>

static void end_meeting(rg_rendezvous *m)
{
    rg_free(m->name);
    *m = (rg_rendezvous){0};
}

/* {name}, and of a reduction {u32 op, u32 0, doubles}, which begin at a multiple of 8. */
static rg_status read_meeting(rg_rpc_request *request, rg_rendezvous *m)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n), *bytes;
    rg_cursor in = {body, n};
    uint32_t spare;
    m->kind = rg_rpc_request_method(request);
    RG_TRY(rg_handshake_read_text(&in, &m->name));
    if (m->kind == RG_PS_BARRIER)
        return in.left == 0 ? RG_OK : rg_fail(RG_ECORRUPT, "%zu bytes too many", in.left);
    RG_TRY(rg_cursor_take(&in, rg_ps_padded(n - in.left) - (n - in.left), &bytes));
    RG_TRY(rg_cursor_u32(&in, &m->op));
    RG_TRY(rg_cursor_u32(&in, &spare));
    if (m->op > 2 || in.left % sizeof(double) != 0)
        return rg_fail(RG_ECORRUPT, "%zu bytes to be reduced by operation %u", in.left, m->op);
    m->numbers = (const double *)(const void *)in.at;
    m->n = in.left / sizeof(double);
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
    if (read_meeting(request, &m) != RG_OK) {
        rg_free(m.name);
        rg_rpc_refuse(request, RG_ECORRUPT, "%s", rg_error_message());
        return;
    }
    m.request = request;
    trainer->rendezvous = m;
    rg_serve_try_rendezvous(s);
    rg_serve_try_step(s); /* it takes no part in steps while it waits */
}

/* The first trainer that waits for something else than `m`; NULL: none. */
static const rg_member *stranger(const rg_engine *s, const rg_rendezvous *m)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_rendezvous *each = &s->trainers[t].rendezvous;
        if (each->request != NULL && (each->kind != m->kind || strcmp(each->name, m->name) != 0 ||
                                      each->op != m->op || each->n != m->n))
            return &s->trainers[t];
    }
    return NULL;
}

static void combine(const rg_engine *s, const rg_rendezvous *m, double *out)
{
    bool first = true;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_rendezvous *each = &s->trainers[t].rendezvous;
        for (size_t i = 0; each->request != NULL && i < m->n; i++) {
            double x = each->numbers[i];
            if (first)
                out[i] = x;
            else if (m->op == 0)
                out[i] += x;
            else if (m->op == 1)
                out[i] = x > out[i] ? x : out[i];
            else
                out[i] = x < out[i] ? x : out[i];
        }
        first = first && each->request == NULL;
    }
}

void rg_serve_try_rendezvous(rg_engine *s)
{
    const rg_rendezvous *m = NULL;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        if (s->trainers[t].left)
            continue;
        if (s->trainers[t].rendezvous.request == NULL)
            return;
        m = &s->trainers[t].rendezvous;
    }
    if (m == NULL || s->ended)
        return;
    const rg_member *other = stranger(s, m);
    size_t bytes = m->n * sizeof(double);
    double *out = m->n > 0 && rg_fault("ps.reduce") == RG_FAULT_NONE ? rg_alloc(bytes) : NULL;
    char text[2 * RG_PS_MAX_NAME] = "";
    bool refused = other != NULL || (bytes > 0 && out == NULL);
    rg_status why = other != NULL ? RG_EINVAL : RG_ENOMEM;
    if (other != NULL)
        (void)snprintf(text, sizeof text, "trainers wait for different things: '%s' and, %s, '%s'",
                       m->name, other->who, other->rendezvous.name);
    else if (refused)
        (void)snprintf(text, sizeof text, "no memory for %zu bytes of numbers", bytes);
    else if (out != NULL)
        combine(s, m, out);
    s->rendezvous++;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        rg_rendezvous *each = &s->trainers[t].rendezvous;
        if (each->request == NULL)
            continue;
        if (refused)
            rg_rpc_refuse(each->request, why, "%s", text);
        else
            rg_rpc_reply(each->request, 0, &(rg_iov){out, bytes}, bytes > 0 ? 1 : 0, NULL, NULL);
        end_meeting(each);
    }
    rg_free(out);
}
