/* visit.c - the client's side of the handshake. */
#include "rpc/visit_priv.h"

#include "base/escape.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

struct rg_visit {
    const rg_errand *errand;
    const rg_visit_events *events;
    void *user;
    rg_link *link;
    rg_wire_hello hello;
    rg_buf said; /* the body of our HELLO */
    rg_wire_challenge challenge;
    uint8_t expected; /* kind of the next frame */
    bool final;       /* why it failed will not change */
    size_t n;
    uint8_t body[RG_SHAKE_MAX];
};

void rg_visit_close(rg_visit *visit)
{
    if (visit == NULL)
        return;
    rg_link_close(visit->link);
    rg_buf_fini(&visit->said);
    rg_free(visit);
}

static void on_failed(void *user, rg_status why, const char *message)
{
    rg_visit *visit = user;
    const rg_visit_events *events = visit->events;
    void *owner = visit->user;
    bool final = visit->final || why == RG_EDENIED || why == RG_EUNIMPL;
    rg_visit_close(visit);
    events->out(owner, why, final, message);
}

bool rg_visit_is_connected(const rg_visit *visit)
{
    return visit->expected != 0;
}

void rg_visit_prod(rg_visit *visit)
{
    if (rg_visit_is_connected(visit))
        rg_link_prod(visit->link);
}

static void on_opened(void *user)
{
    rg_visit *visit = user;
    rg_link_send_small(visit->link, RG_FRAME_HELLO, RG_OK, 0, visit->said.data, visit->said.len);
    visit->expected = RG_FRAME_CHALLENGE;
}

static rg_status on_header(void *user, const rg_frame *frame)
{
    rg_visit *visit = user;
    visit->n = 0;
    if (frame->kind != visit->expected && frame->kind != RG_FRAME_REFUSE)
        return rg_fail(RG_ECORRUPT, "a frame of kind %u in the handshake", frame->kind);
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    rg_visit *visit = user;
    visit->n = frame->bytes; /* at most RG_SHAKE_MAX: the link's limit */
    *at = visit->body + offset;
    *size = sizeof visit->body - offset;
    return RG_OK;
}

static rg_status take_challenge(rg_visit *visit)
{
    uint8_t proof[RG_PROOF_BYTES];
    const rg_job_key *key = &visit->errand->key;
    RG_TRY(rg_wire_get_challenge(&visit->challenge, visit->body, visit->n));
    visit->final = true;
    if (visit->challenge.has_key && key->bytes == NULL)
        return rg_fail(RG_EDENIED, "the server asks for the job key, and this process has none");
    if (!visit->challenge.has_key && key->bytes != NULL)
        return rg_fail(RG_EDENIED, "the server has no job key, and this process has one: it is not"
                                   " a server of this job");
    RG_TRY(rg_proof(proof, key, false, visit->challenge.nonce, visit->said.data, visit->said.len,
                    NULL, 0));
    visit->final = false;
    rg_link_send_small(visit->link, RG_FRAME_PROOF, RG_OK, 0, proof, sizeof proof);
    visit->expected = RG_FRAME_WELCOME;
    return RG_OK;
}

static rg_status take_welcome(rg_visit *visit)
{
    uint8_t proof[RG_PROOF_BYTES];
    rg_rpc_welcome welcome = {0};
    const rg_job_key *key = &visit->errand->key;
    RG_TRY(rg_wire_get_welcome(&welcome, visit->body, visit->n));
    RG_TRY(rg_proof(proof, key, true, visit->challenge.nonce, visit->said.data, visit->said.len,
                    visit->body + RG_PROOF_BYTES, visit->n - RG_PROOF_BYTES));
    if (key->bytes != NULL && !rg_proof_equal(proof, visit->body))
        return rg_fail(RG_EDENIED, "the server does not have the job key");
    const rg_visit_events *events = visit->events;
    void *owner = visit->user;
    rg_link *link = visit->link;
    visit->link = NULL;
    rg_visit_close(visit);
    events->in(owner, link, &welcome);
    return RG_OK;
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    rg_visit *visit = user;
    if (frame->kind == RG_FRAME_REFUSE) {
        char text[1100];
        visit->final = true;
        (void)rg_escape(text, sizeof text, visit->body, visit->n);
        return rg_fail(frame->status != RG_OK ? (rg_status)frame->status : RG_EDENIED, "%s", text);
    }
    return frame->kind == RG_FRAME_CHALLENGE ? take_challenge(visit) : take_welcome(visit);
}

static const rg_link_events visit_events = {
    {on_header, on_place, on_frame}, on_opened, on_failed, NULL};

rg_status rg_visit_open(rg_visit **out, rg_loop *loop, const rg_errand *errand, rg_purpose purpose,
                        const rg_rpc_hello *who, const rg_visit_events *events, void *user)
{
    rg_visit *visit = rg_alloc_zero(1, sizeof *visit);
    if (visit == NULL)
        return rg_no_memory(sizeof *visit, "a connection");
    visit->errand = errand;
    visit->events = events;
    visit->user = user;
    visit->hello = (rg_wire_hello){.session = errand->session, .purpose = purpose, .who = *who};
    rg_buf_init(&visit->said, RG_SHAKE_MAX);
    rg_status status = rg_random(visit->hello.nonce, sizeof visit->hello.nonce);
    rg_wire_put_hello(&visit->said, &visit->hello);
    if (status == RG_OK)
        status = rg_buf_status(&visit->said);
    if (status == RG_OK)
        status = rg_link_connect(&visit->link, loop, errand->endpoint, errand->transport,
                                 errand->tls, errand->tls_name, RG_SHAKE_MAX, &visit_events, visit);
    if (status != RG_OK) {
        rg_visit_close(visit);
        return status;
    }
    *out = visit;
    return RG_OK;
}
