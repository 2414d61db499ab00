/* client_priv.h - what client.c, call.c and heartbeat.c share. */
#ifndef RG_RPC_CLIENT_PRIV_H
#define RG_RPC_CLIENT_PRIV_H

#include "rpc/client.h"
#include "rpc/connector_priv.h"
#include "sys/latch.h"

struct rg_rpc_client {
    rg_route route;
    rg_rpc_client_events events;
    void *user;
    const char *(*method_name)(uint16_t method); /* NULL: not in profiles */
    uint64_t max_body, deadline_ms, lease_ms;    /* lease_ms 0: what the server says */
    int64_t retry_times;
    uint64_t return_ms;
    rg_rpc_window *window;      /* NULL: nothing is kept */
    rg_loop *loop, *pulse_loop; /* shared by all clients */
    rg_traffic traffic, total;
    _Atomic(const char *) transport; /* its name */
    atomic_bool local, sound;        /* as rg_link_is_local(), _is_sound() */
    atomic_bool keeps;               /* the server says that requests are to be */
    _Atomic uint64_t alive_ns;       /* the last sign of life of the server */
    rg_latch ready;                  /* let in, or failed */

    /* under the lock: set by the loop, read by who waits */
    rg_lock lock;
    rg_rpc_welcome welcome;
    rg_status failed; /* not RG_OK: for good */
    char failure[600];
    rg_status lost; /* not RG_OK: the server that let us in is no more, and why */
    char how_lost[600];

    /* the loop's */
    rg_rpc_hello me;
    bool is_ready;   /* the latch is open */
    bool let_in;     /* at least once */
    bool heard;      /* this connection has brought a reply */
    bool reborn;     /* it is to another process than the one before */
    uint64_t cut_ns; /* when the last one was closed */
    bool closing;
    rg_connector *connector;
    rg_link *link; /* NULL: not connected now */
    rg_timer *again;
    uint64_t wait_ms, opened_ns, told_ns; /* before the next try; for "waiting for ..." */
    uint64_t visit_ns;                    /* when the connector began */
    uint64_t foreign_ns; /* since when every answer was another protocol's; 0: none was */
    bool prodded;        /* the connector's other end was, since it says nothing */
    char last_error[300];
    char broke[300];              /* why the last connection did */
    uint64_t next_id, connection; /* connections so far */
    bool catching_up; /* what was sent before is sent again, and the new has to wait: in order */
    rg_rpc_call *first, **last; /* not done, in the order they were started */
    rg_rpc_call *receiving;
    /* kept.h */
    struct rg_kept *kept, *last_kept; /* answered, in the order of their answers */
    struct rg_kept *owed;             /* to be sent again, by their ids */
    uint64_t n_kept_answers;
    uint8_t refusal[300]; /* of one of those */

    /* the heartbeat loop's */
    struct rg_pulse {
        rg_rpc_hello me;
        rg_connector *connector;
        rg_link *link;
        rg_timer *timer;
        rg_task begin;
        rg_task silent; /* posted to the loop: the deadline has passed */
        rg_task stale;  /* posted to the loop: the lease has passed */
        rg_task lost;   /* posted here, and then to the loop: it is another server now */
        atomic_bool silent_posted, stale_posted, lost_posted;
        uint64_t lease_ns; /* 0: not known yet */
        uint64_t tried_ns, ticked_ns, beat;
        bool told_dead;
        bool returns; /* the state of the server outlives its process */
    } heartbeat;
};

/* ---- client.c ---- */
void rg_client_failed(rg_rpc_client *client, rg_status status, const char *text); /* for good */
void rg_client_cut(rg_rpc_client *client); /* close the connection and make it again */

/* ---- call.c: in the client's loop ---- */
extern const rg_link_events rg_client_link_events;
void rg_calls_send_all(rg_rpc_client *client);
void rg_calls_fail_all(rg_rpc_client *client, rg_status status, const char *text);
void rg_calls_interrupted(rg_rpc_client *client); /* the connection is gone */

/* ---- heartbeat.c ---- */
rg_status rg_pulse_open(rg_rpc_client *client);
void rg_pulse_close(rg_rpc_client *client);
/* From the client's loop: there is a session now, heartbeats can begin. */
void rg_pulse_begin(rg_rpc_client *client, const rg_rpc_welcome *welcome);
/* From either loop: the server that let us in will never be there again. Told as a death, and then
 * the client has failed. */
void rg_client_lost(rg_rpc_client *client, rg_status why, const char *how);
/* Whether the server has let us in before, and this is another process in its place: then it is
 * lost, and the link closed. */
bool rg_client_is_another(rg_rpc_client *client, rg_link *link, const rg_rpc_welcome *welcome);

#endif
