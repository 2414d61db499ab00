/* nics.c - the network interfaces of this machine, by getifaddrs(). */
#include "sys/nics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

void rg_nics_list(rg_buf *out)
{
    struct if_nameindex *all = if_nameindex();
    for (struct if_nameindex *nic = all; nic != NULL && nic->if_name != NULL; nic++)
        rg_buf_printf(out, "%s%s", nic == all ? "" : ", ", nic->if_name);
    if (all != NULL)
        if_freenameindex(all);
}

static rg_status no_such(const char *nic)
{
    rg_buf list;
    rg_buf_init(&list, 0);
    rg_nics_list(&list);
    rg_status code = if_nametoindex(nic) != 0
                         ? rg_fail(RG_ENOENT, "the network interface '%s' has no address", nic)
                         : rg_fail(RG_ENOENT,
                                   "there is no network interface '%s' here; there are: %s", nic,
                                   list.len ? rg_buf_cstr(&list) : "none");
    rg_buf_fini(&list);
    return code;
}

static bool text_of(const struct sockaddr *address, char text[INET6_ADDRSTRLEN])
{
    if (address->sa_family == AF_INET)
        return inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text,
                         INET6_ADDRSTRLEN) != NULL;
    if (address->sa_family != AF_INET6)
        return false;
    const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    return !IN6_IS_ADDR_LINKLOCAL(six) && inet_ntop(AF_INET6, six, text, INET6_ADDRSTRLEN) != NULL;
}

rg_status rg_nic_addresses(const char *nic, rg_status (*found)(void *arg, const char *address),
                           void *arg)
{
    struct ifaddrs *all;
    rg_status code = RG_OK;
    int n = 0;
    if (getifaddrs(&all) != 0)
        return rg_fail(RG_EIO, "cannot list the network interfaces: %s", strerror(errno));
    for (const struct ifaddrs *a = all; code == RG_OK && a != NULL; a = a->ifa_next) {
        char text[INET6_ADDRSTRLEN];
        if (a->ifa_addr == NULL || strcmp(a->ifa_name, nic) != 0 || !text_of(a->ifa_addr, text))
            continue;
        code = found(arg, text);
        n++;
    }
    freeifaddrs(all);
    return code == RG_OK && n == 0 ? no_such(nic) : code;
}
