/* host.c - names, addresses and ports of machines; what the kernel says about memory. */
#include "sys/host.h"

#include "base/buf.h"
#include "sys/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

void rg_host_name(char *name, size_t size)
{
    if (gethostname(name, size) != 0 || name[0] == '\0')
        (void)snprintf(name, size, "localhost");
    name[size - 1] = '\0';
}

/* ---- addresses ---- */

typedef union any_address {
    struct sockaddr generic;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} any_address;

static bool parse_address(const char *text, any_address *out, socklen_t *length)
{
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        *length = sizeof out->v4;
        return true;
    }
    if (inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        *length = sizeof out->v6;
        return true;
    }
    return false;
}

rg_status rg_host_resolve(const char *host, char address[RG_ADDRESS_TEXT])
{
    any_address parsed;
    socklen_t length;
    if (host[0] == '\0')
        return rg_fail(RG_EINVAL, "a host name is empty");
    if (parse_address(host, &parsed, &length)) {
        (void)snprintf(address, RG_ADDRESS_TEXT, "%s", host);
        return RG_OK;
    }
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int why = getaddrinfo(host, NULL, &wanted, &found);
    if (why != 0 || found == NULL)
        return rg_fail(RG_ENOENT, "host %s has no address: %s", host,
                       why == EAI_SYSTEM ? strerror(errno) : gai_strerror(why));
    /* IPv4 where there is one: lists of servers are written so, and addresses are compared. */
    const struct addrinfo *best = found;
    for (const struct addrinfo *at = found; at != NULL && best->ai_family != AF_INET;
         at = at->ai_next)
        if (at->ai_family == AF_INET)
            best = at;
    why = getnameinfo(best->ai_addr, best->ai_addrlen, address, RG_ADDRESS_TEXT, NULL, 0,
                      NI_NUMERICHOST);
    freeaddrinfo(found);
    return why == 0 ? RG_OK : rg_fail(RG_ENOENT, "host %s: %s", host, gai_strerror(why));
}

bool rg_address_is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* 0, or errno. `listening`: also ask for connections. */
static int try_bind(any_address *address, socklen_t length, int port, bool listening, int *got)
{
    int fd = socket(address->generic.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, why = 0;
    if (fd < 0)
        return errno;
    /* As our servers do: a port that an ended server held is free. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (address->generic.sa_family == AF_INET)
        address->v4.sin_port = htons((uint16_t)port);
    else
        address->v6.sin6_port = htons((uint16_t)port);
    if (bind(fd, &address->generic, length) != 0 || (listening && listen(fd, 1) != 0))
        why = errno;
    any_address own = {.generic = {.sa_family = AF_UNSPEC}};
    socklen_t size = sizeof own;
    if (why == 0 && got != NULL && getsockname(fd, &own.generic, &size) == 0)
        *got = ntohs(own.generic.sa_family == AF_INET ? own.v4.sin_port : own.v6.sin6_port);
    (void)close(fd);
    return why;
}

bool rg_address_is_ours(const char *address)
{
    any_address parsed;
    socklen_t length;
    return parse_address(address, &parsed, &length) &&
           try_bind(&parsed, length, 0, false, NULL) == 0;
}

rg_status rg_port_is_free(const char *host, int port, bool *is_free)
{
    char text[RG_ADDRESS_TEXT];
    any_address address;
    socklen_t length;
    if (port < 1 || port > 65535)
        return rg_fail(RG_EINVAL, "port %d is not between 1 and 65535", port);
    RG_TRY(rg_host_resolve(host, text));
    if (!parse_address(text, &address, &length))
        return rg_fail(RG_ENOENT, "host %s has the address %s, which cannot be used", host, text);
    *is_free = try_bind(&address, length, port, true, NULL) == 0;
    return RG_OK;
}

/* The first port of those that the system gives to outgoing connections. */
static int first_outgoing_port(void)
{
    int port = 0;
    FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range",
                       "re"); /* no disk: no fault point */
    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &port) != 1)
        port = 0;
    (void)fclose(file);
    return port;
}

rg_status rg_port_find(const char *host, int *port)
{
    enum { LOWEST = 10000, FEWEST = 1000, TRIES = 50 };
    char text[RG_ADDRESS_TEXT];
    any_address address;
    socklen_t length;
    RG_TRY(rg_host_resolve(host, text));
    if (!parse_address(text, &address, &length))
        return rg_fail(RG_ENOENT, "host %s has the address %s, which cannot be used", host, text);
    /* One of the system's choice could be given to any process's connection before a server listens
     * on it; those below are not. Chance keeps launchers apart that look at the same time. */
    int end = first_outgoing_port();
    for (int i = 0; end >= LOWEST + FEWEST && i < TRIES; i++) {
        uint32_t number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            break;
        int tried = LOWEST + (int)(number % (uint32_t)(end - LOWEST));
        if (try_bind(&address, length, tried, true, port) == 0)
            return RG_OK;
    }
    int why = try_bind(&address, length, 0, true, port);
    return why == 0 ? RG_OK : rg_fail(RG_EIO, "no port can be had at %s: %s", host, strerror(why));
}

/* ---- control groups ---- */

enum { MAX_CGROUP_FILE = 65536 };

/* "name value" or "value" lines of a control group's file; -1 where it has none. */
static int64_t read_number(const char *path, const char *name)
{
    rg_buf text;
    int64_t number = -1;
    rg_buf_init(&text, MAX_CGROUP_FILE);
    if (rg_file_read_all(path, MAX_CGROUP_FILE, &text) == RG_OK) {
        size_t skip = strlen(name);
        const char *at = rg_buf_cstr(&text);
        while (at != NULL && strncmp(at, name, skip) != 0)
            at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
        char *end = NULL;
        long long value = at != NULL ? strtoll(at + skip, &end, 10) : -1;
        if (at != NULL && end != at + skip && value >= 0)
            number = value;
    }
    rg_buf_fini(&text);
    return number;
}

/* "0::/a/b" (version 2) or "4:memory:/a/b" (version 1) of /proc/self/cgroup. */
static int64_t line_number(char *line, const char *v2, const char *v1, const char *name)
{
    char path[1024];
    char *controllers = strchr(line, ':');
    char *folder = controllers ? strchr(controllers + 1, ':') : NULL;
    if (folder == NULL)
        return -1;
    *folder++ = '\0';
    if (controllers[1] == '\0')
        (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, v2);
    else if (strstr(controllers + 1, "memory") != NULL)
        (void)snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/%s", folder, v1);
    else
        return -1;
    return read_number(path, name);
}

/* From our control group; in a container it is often mounted as if it were the root. */
static int64_t group_number(const char *v2, const char *v1, const char *name)
{
    rg_buf groups;
    char path[128];
    int64_t number = -1;
    rg_buf_init(&groups, MAX_CGROUP_FILE);
    if (rg_file_read_all("/proc/self/cgroup", MAX_CGROUP_FILE, &groups) == RG_OK) {
        char *line = (char *)groups.data;
        while (number < 0 && line != NULL && *line != '\0') {
            char *next = strchr(line, '\n');
            if (next != NULL)
                *next++ = '\0';
            number = line_number(line, v2, v1, name);
            line = next;
        }
    }
    rg_buf_fini(&groups);
    if (number < 0) {
        (void)snprintf(path, sizeof path, "/sys/fs/cgroup/%s", v2);
        number = read_number(path, name);
    }
    if (number < 0) {
        (void)snprintf(path, sizeof path, "/sys/fs/cgroup/memory/%s", v1);
        number = read_number(path, name);
    }
    return number;
}

int64_t rg_host_oom_kills(void)
{
    return group_number("memory.events", "memory.oom_control", "oom_kill ");
}

int64_t rg_host_memory_limit(void)
{
    int64_t limit = group_number("memory.max", "memory.limit_in_bytes", "");
    return limit > 0 && limit < INT64_C(1) << 60 ? limit : -1;
}

static uint64_t memory;

static void read_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t limit = rg_host_memory_limit();
    memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)4 << 30;
    if (limit > 0 && (uint64_t)limit < memory)
        memory = (uint64_t)limit;
}

uint64_t rg_host_memory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, read_memory);
    return memory;
}

int rg_host_cores(void)
{
    cpu_set_t ours;
    if (sched_getaffinity(0, sizeof ours, &ours) == 0 && CPU_COUNT(&ours) > 0)
        return CPU_COUNT(&ours);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than a set holds, or not said */
    return online > 0 ? (int)online : 1;
}
