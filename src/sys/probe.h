/* probe.h - how far another host is: whether it answers, latency, bandwidth, its clock.
 *
 * rg_probe_port() needs nothing at the other end. The rest is between two doctors: one listens
 * (rg_probe_serve), the others ask it, one at a time. It takes bytes, throws them away and says
 * what its clock shows; nothing is read, run or written there, so it asks for no key. */
#ifndef RG_SYS_PROBE_H
#define RG_SYS_PROBE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum rg_port_state {
    RG_PORT_OPEN,   /* somebody listens */
    RG_PORT_CLOSED, /* the host answers, and nobody listens */
    RG_PORT_SILENT, /* nothing comes back: no host, no way, or a firewall */
} rg_port_state;

/* Connects and closes again. *ns: the time of a round trip, where there was an answer. For SILENT
 * the message says the system's reason. */
rg_port_state rg_probe_port(const char *address, int port, int wait_ms, uint64_t *ns);

typedef struct rg_probe_result {
    uint64_t round_trip_ns; /* the shortest of a few */
    int64_t clock_ahead_ns; /* of the other host's wall clock, to within half a round trip */
    double bytes_a_second;  /* from here to there */
} rg_probe_result;

/* Asks the doctor that listens there; takes about half a second. */
rg_status rg_probe_ask(const char *address, int port, int wait_ms, rg_probe_result *result);

/* Listens for so many seconds, or until rg_interrupted(). ready(arg, port) is told the port, for
 * which 0 means any. */
rg_status rg_probe_serve(const char *address, int port, int seconds,
                         void (*ready)(void *arg, int port), void *arg);

#endif
