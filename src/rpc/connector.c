/* connector.c - the client's side of the handshake. */
#include "rpc/connector_priv.h"

#include "base/escape.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/profile.h"

#include <stdio.h>
#include <string.h>

struct rg_connector {
    const rg_route *route;
    const rg_connector_events *events;
    void *user;
    rg_link *link;
    rg_handshake_hello hello;
    rg_buf said; /* the body of our HELLO */
    rg_handshake_challenge challenge;
    uint8_t expected;   /* kind of the next frame */
    bool final;         /* why it failed will not change */
    uint64_t proved_ns; /* when PROOF was sent */
    size_t n;
    uint8_t body[RG_SHAKE_MAX];
};

void rg_connector_close(rg_connector *connector)
{
    if (connector == NULL)
        return;
    rg_link_close(connector->link);
    rg_buf_fini(&connector->said);
    rg_free(connector);
}

static void on_failed(void *user, rg_status why, const char *message)
{
    rg_connector *connector = user;
    const rg_connector_events *events = connector->events;
    void *owner = connector->user;
    bool final = connector->final || why == RG_EDENIED || why == RG_EUNIMPL;
    rg_connector_close(connector);
    events->out(owner, why, final, message);
}

bool rg_connector_is_connected(const rg_connector *connector)
{
    return connector->expected != 0;
}

void rg_connector_prod(rg_connector *connector)
{
    if (rg_connector_is_connected(connector))
        rg_link_prod(connector->link);
}

static void on_opened(void *user)
{
    rg_connector *connector = user;
    if (connector->route->key.bytes != NULL &&
        rg_link_needs_seal(connector->link, connector->route->seal))
        connector->hello.options |= RG_OPTION_SEAL;
    rg_buf_clear(&connector->said); /* it has the room: it was filled before */
    rg_handshake_put_hello(&connector->said, &connector->hello);
    rg_link_send_small(connector->link, RG_FRAME_HELLO, RG_OK, 0, connector->said.data,
                       connector->said.len);
    connector->expected = RG_FRAME_CHALLENGE;
}

static rg_status on_header(void *user, const rg_frame *frame)
{
    rg_connector *connector = user;
    connector->n = 0;
    if (frame->kind != connector->expected && frame->kind != RG_FRAME_REFUSE)
        return rg_fail(RG_ECORRUPT, "a frame of kind %u in the handshake", frame->kind);
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    rg_connector *connector = user;
    connector->n = frame->bytes; /* at most RG_SHAKE_MAX: the link's limit */
    *at = connector->body + offset;
    *size = sizeof connector->body - offset;
    return RG_OK;
}

static rg_status take_challenge(rg_connector *connector)
{
    uint8_t proof[RG_PROOF_BYTES];
    const rg_job_key *key = &connector->route->key;
    RG_TRY(rg_handshake_get_challenge(&connector->challenge, connector->body, connector->n));
    connector->final = true;
    if (connector->challenge.has_key && key->bytes == NULL)
        return rg_fail(RG_EDENIED, "the server asks for the job key, and this process has none");
    if (!connector->challenge.has_key && key->bytes != NULL)
        return rg_fail(RG_EDENIED, "the server has no job key, and this process has one: it is not"
                                   " a server of this job");
    RG_TRY(rg_proof(proof, key, false, connector->challenge.nonce, connector->said.data,
                    connector->said.len, NULL, 0));
    connector->final = false;
    connector->proved_ns = rg_clock_ns();
    rg_link_send_small(connector->link, RG_FRAME_PROOF, RG_OK, 0, proof, sizeof proof);
    connector->expected = RG_FRAME_WELCOME;
    return RG_OK;
}

/* Both sides have proved what they said of it, so that nobody on the way can talk them out of it.
 */
static rg_status seal(const rg_connector *connector, uint32_t options)
{
    rg_seal *up, *down;
    const rg_job_key *key = &connector->route->key;
    if ((options & RG_OPTION_SEAL) == 0)
        return (connector->hello.options & RG_OPTION_SEAL) == 0
                   ? RG_OK
                   : rg_fail(RG_EDENIED, "the server does not seal its frames (FLAGS_rpc_mac)");
    if (key->bytes == NULL)
        return rg_fail(RG_ECORRUPT, "a server without a key that seals its frames");
    RG_TRY(rg_seals_derive(&up, &down, key, connector->challenge.nonce, connector->said.data,
                           connector->said.len));
    rg_link_seal(connector->link, down, up);
    return RG_OK;
}

/* The server looked at its clock between our PROOF and now. */
static void compare_clocks(const rg_connector *connector, const rg_rpc_welcome *welcome)
{
    uint64_t half = (rg_clock_ns() - connector->proved_ns) / 2;
    uint64_t then = rg_clock_wall_ns() - half;
    rg_profile_peer(welcome->name, (int64_t)(welcome->clock_ns - then), half);
}

static rg_status take_welcome(rg_connector *connector)
{
    uint8_t proof[RG_PROOF_BYTES];
    uint32_t options;
    rg_rpc_welcome welcome = {0};
    const rg_job_key *key = &connector->route->key;
    RG_TRY(rg_handshake_get_welcome(&welcome, &options, connector->body, connector->n));
    RG_TRY(rg_proof(proof, key, true, connector->challenge.nonce, connector->said.data,
                    connector->said.len, connector->body + RG_PROOF_BYTES,
                    connector->n - RG_PROOF_BYTES));
    if (key->bytes != NULL && !rg_proof_equal(proof, connector->body))
        return rg_fail(RG_EDENIED, "the server does not have the job key");
    RG_TRY(seal(connector, options));
    compare_clocks(connector, &welcome);
    const rg_connector_events *events = connector->events;
    void *owner = connector->user;
    rg_link *link = connector->link;
    connector->link = NULL;
    rg_connector_close(connector);
    events->in(owner, link, &welcome);
    return RG_OK;
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    rg_connector *connector = user;
    if (frame->kind == RG_FRAME_REFUSE) {
        char text[1100];
        connector->final = frame->status != RG_ENOMEM; /* which may be there the next time */
        (void)rg_escape(text, sizeof text, connector->body, connector->n);
        return rg_fail(frame->status != RG_OK ? (rg_status)frame->status : RG_EDENIED, "%s", text);
    }
    return frame->kind == RG_FRAME_CHALLENGE ? take_challenge(connector) : take_welcome(connector);
}

static const rg_link_events visit_events = {
    {on_header, on_place, on_frame}, on_opened, on_failed, NULL};

rg_status rg_connector_open(rg_connector **out, rg_loop *loop, const rg_route *route,
                            rg_purpose purpose, const rg_rpc_hello *who,
                            const rg_connector_events *events, void *user)
{
    rg_connector *connector = rg_alloc_zero(1, sizeof *connector);
    if (connector == NULL)
        return rg_no_memory(sizeof *connector, "a connection");
    connector->route = route;
    connector->events = events;
    connector->user = user;
    connector->hello = (rg_handshake_hello){
        .session = route->session,
        .purpose = purpose,
        .options = route->keeps && purpose == RG_PURPOSE_REQUESTS ? RG_OPTION_KEEPS : 0,
        .who = *who};
    rg_buf_init(&connector->said, RG_SHAKE_MAX);
    rg_status status = rg_random(connector->hello.nonce, sizeof connector->hello.nonce);
    rg_handshake_put_hello(&connector->said, &connector->hello);
    if (status == RG_OK)
        status = rg_buf_status(&connector->said);
    if (status == RG_OK)
        status = rg_link_connect(&connector->link, loop, route->endpoint, route->transport,
                                 purpose == RG_PURPOSE_PULSE, route->tls, route->tls_name,
                                 RG_SHAKE_MAX, &visit_events, connector);
    if (status != RG_OK) {
        rg_connector_close(connector);
        return status;
    }
    *out = connector;
    return RG_OK;
}
