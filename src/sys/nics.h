/* nics.h - the network interfaces of this machine. */
#ifndef RG_SYS_NICS_H
#define RG_SYS_NICS_H

#include "base/buf.h"
#include "base/status.h"

/* Calls found(arg, "10.0.0.7") for each address of the interface `nic`: IPv4, and IPv6 but for
 * those of one link alone. RG_ENOENT, listing the interfaces that there are, where it is none of
 * them, and where it has no address. */
rg_status rg_nic_addresses(const char *nic, rg_status (*found)(void *arg, const char *address),
                           void *arg);
/* "lo, eth0" */
void rg_nics_list(rg_buf *out);

#endif
