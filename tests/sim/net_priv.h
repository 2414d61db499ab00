/* net_priv.h - what the two files of the network share. */
#ifndef RG_TESTS_SIM_NET_PRIV_H
#define RG_TESTS_SIM_NET_PRIV_H

#include "sim/sim.h"

#include "sys/transport.h"

enum { MOST_HOSTS = 128, MOST_ENDS = 4096, PIECE = 16 << 10 };

#define KEEPALIVE_NS (15 * SIM_S) /* as transport_tcp.c has it */

typedef struct net_chunk {
    struct net_chunk *next;
    uint64_t arrives;
    size_t n, taken;
    uint8_t bytes[];
} net_chunk;

/* A write of which not all is under way yet. */
typedef struct net_write {
    struct net_write *next;
    rg_iov *iov;
    size_t n, at, offset;
    void (*done)(void *arg);
    void *arg;
} net_write;

/* What one end has sent, and the other has not read. */
typedef struct net_pipe {
    net_chunk *flying, **last_flying; /* under way */
    net_chunk *there, **last_there;   /* arrived */
    size_t bytes;                     /* of both */
    uint64_t total, breaks_at;        /* at so many bytes; SIM_NEVER: never */
    uint64_t latest;                  /* when the last of it arrives */
    bool fin_sent, fin;               /* nothing more comes */
    uint64_t ns_a_byte;               /* it drips */
} net_pipe;

typedef struct net_end {
    struct net_end *other;
    const sim_process *process;
    int host;
    rg_loop *loop;
    rg_stream *stream; /* NULL: there is none yet, or no more */
    rg_dial *dial;
    rg_listener *listener;
    bool reading, working, posted, closed, broken, told;
    net_pipe out;
    net_write *writes, **last_write;
} net_end;

typedef struct net_gate {
    struct net_gate *next;
    rg_listener *listener;
    const sim_process *process;
    char endpoint[64];
} net_gate;

/* A task that an end has in a loop: when it runs the end may be another loop's. */
typedef struct net_knock {
    rg_task task;
    net_end *end;
    rg_loop *loop;
} net_knock;

typedef struct network {
    sim_weather weather;
    net_gate *gates;
    net_end *ends[MOST_ENDS];
    size_t n_ends;
    uint64_t cut_until[MOST_HOSTS][MOST_HOSTS]; /* from, to */
    bool gone[MOST_HOSTS];                      /* it was switched off */
} network;

extern network *net; /* on the heap */
extern const rg_transport net_transport;

/* ---- bytes (net.c) ---- */

uint64_t net_latency(void);
/* The end is no more; whoever reads or writes there hears of it. */
void net_break(net_end *e);
void net_break_later(void *e);
/* Nothing more comes from it, and the other end shall know. */
void net_send_fin(net_end *e);

/* ---- connections (net_calls.c) ---- */

void net_dial(rg_dial *dial, const rg_address *to);
void net_hang_up(void *attempt);
void net_join(rg_stream *stream, void *end);
rg_status net_listen(void **gate, rg_listener *listener, const rg_address *at);
void net_unlisten(void *gate);

#endif
