/* host.h - this machine and its neighbours: names, addresses, ports, memory. */
#ifndef RG_SYS_HOST_H
#define RG_SYS_HOST_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_ADDRESS_TEXT = 64 };

/* The name of this machine; at least "localhost". */
void rg_host_name(char *name, size_t size);

/* The first IPv4 address of `host`, or else its first address, as text ("10.0.0.7", "::1"). A text
 * that is an address already asks nobody; a name may block while it is looked up. RG_ENOENT where
 * it has no address. */
rg_status rg_host_resolve(const char *host, char address[RG_ADDRESS_TEXT]);
/* An address (not a name) of this machine alone: 127.x.y.z or ::1. */
bool rg_address_is_loopback(const char *address);
/* Whether this machine has the address: a socket can be bound to it. */
bool rg_address_is_ours(const char *address);

/* Whether a server could listen there now. RG_ENOENT for a name without address. */
rg_status rg_port_is_free(const char *host, int port, bool *is_free);
/* A port nobody listens on at `host`, and that is not given to outgoing connections if that can be.
 */
rg_status rg_port_find(const char *host, int *port);

/* How many processes the kernel has killed for want of memory in our control group; -1 where
 * the system does not say. */
int64_t rg_host_oom_kills(void);
/* The most memory our control group may use, in bytes; -1: no limit, or not said. */
int64_t rg_host_memory_limit(void);
/* The cores that this process may use; at least 1. */
int rg_host_cores(void);
/* The memory that this process may use: the machine's, or less where its control group has less. */
uint64_t rg_host_memory(void);

#endif
