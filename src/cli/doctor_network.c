/* doctor_network.c - names, ports, keys, and the way to other hosts. */
#include "cli/commands.h"
#include "cli/doctor.h"
#include "rpc/credentials.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/machine.h"
#include "sys/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HOST = 256 };

/* HOST:PORT, [::1]:PORT; false: it is not of that form. */
static bool split(const char *endpoint, char host[MAX_HOST], int *port)
{
    const char *colon = strrchr(endpoint, ':');
    char *end;
    if (colon == NULL || colon == endpoint || colon - endpoint >= MAX_HOST)
        return false;
    bool bracketed = endpoint[0] == '[' && colon[-1] == ']';
    (void)snprintf(host, MAX_HOST, "%.*s", (int)(colon - endpoint) - 2 * bracketed,
                   endpoint + bracketed);
    *port = (int)strtol(colon + 1, &end, 10);
    return end != colon + 1 && *end == '\0' && *port >= 0 && *port < 65536;
}

/* The job's endpoints one after another: servers, then workers; NULL: no more. */
static const char *endpoint_at(const rg_doctor *d, int i)
{
    if (d->env == NULL)
        return NULL;
    if (i < d->env->n_servers)
        return d->env->servers[i];
    i -= d->env->n_servers;
    return i < d->env->n_workers ? d->env->workers[i] : NULL;
}

static bool no_job(rg_doctor *d)
{
    if (endpoint_at(d, 0) != NULL)
        return false;
    rg_finding(d, RG_FINDING_OK, NULL, "the environment names no endpoint: nothing to check");
    return true;
}

/* Whether the job is of several hosts: not all endpoints are of this one. */
static bool is_of_many(const rg_doctor *d)
{
    char host[MAX_HOST], address[RG_ADDRESS_TEXT];
    const char *endpoint;
    int port;
    for (int i = 0; (endpoint = endpoint_at(d, i)) != NULL; i++)
        if (split(endpoint, host, &port) && rg_host_resolve(host, address) == RG_OK &&
            !rg_address_is_ours(address))
            return true;
    return false;
}

/* ---- names ---- */

void rg_check_names(rg_doctor *d)
{
    char host[MAX_HOST], address[RG_ADDRESS_TEXT], own[MAX_HOST];
    const char *endpoint;
    int port, good = 0;
    rg_host_name(own, sizeof own);
    if (rg_host_resolve(own, address) != RG_OK)
        rg_finding(d, RG_FINDING_WARNING, "add it to /etc/hosts with its address in the network",
                   "this host's own name %s has no address", own);
    else if (strcmp(address, "127.0.1.1") == 0)
        rg_finding(
            d, RG_FINDING_WARNING,
            "in /etc/hosts give the name its address in the network: a server that is named so "
            "listens where no other host reaches it",
            "this host's own name %s is 127.0.1.1, as Debian writes it", own);
    for (int i = 0; (endpoint = endpoint_at(d, i)) != NULL; i++) {
        if (!split(endpoint, host, &port))
            rg_finding(d, RG_FINDING_PROBLEM, "write it as HOST:PORT", "%s is no endpoint",
                       endpoint);
        else if (rg_host_resolve(host, address) != RG_OK)
            rg_finding(d, RG_FINDING_PROBLEM,
                       "correct the name, or add it to /etc/hosts or the name server", "%s: %s",
                       endpoint, rg_error_message());
        else
            good++;
    }
    rg_finding(d, RG_FINDING_OK, NULL, "%d endpoint%s with an address; this host is %s", good,
               good == 1 ? "" : "s", own);
}

/* ---- ports ---- */

static void check_port(rg_doctor *d, const char *endpoint, int *good)
{
    char host[MAX_HOST], address[RG_ADDRESS_TEXT];
    int port;
    bool is_free = false;
    if (!split(endpoint, host, &port) || rg_host_resolve(host, address) != RG_OK ||
        !rg_address_is_ours(address))
        return; /* said by `names`, or another host's */
    if (rg_port_is_free(host, port, &is_free) == RG_OK && is_free)
        (*good)++;
    else if (port < 1024)
        rg_finding(d, RG_FINDING_PROBLEM, "choose a port from 1024 on",
                   "%s cannot be listened on: it is taken, or needs root", endpoint);
    else
        rg_finding(d, RG_FINDING_PROBLEM,
                   "end who listens there (ss -ltnp shows it; an earlier job?), or choose another "
                   "port",
                   "something listens on %s already", endpoint);
}

void rg_check_ports(rg_doctor *d)
{
    int good = 0;
    const char *endpoint;
    if (no_job(d))
        return;
    if (d->env->role == RG_JOB_SERVER && d->env->endpoint != NULL)
        check_port(d, d->env->endpoint, &good);
    else
        for (int i = 0; (endpoint = endpoint_at(d, i)) != NULL; i++)
            check_port(d, endpoint, &good);
    rg_finding(d, RG_FINDING_OK, NULL, "%d port%s of this host %s free", good, good == 1 ? "" : "s",
               good == 1 ? "is" : "are");
}

/* ---- keys ---- */

void rg_check_keys(rg_doctor *d)
{
    static const char *const secrets[] = {"rpc_tls_key"};
    rg_credentials credentials;
    bool bad = false;
    if (rg_credentials_read(&credentials) != RG_OK) {
        rg_finding(d, RG_FINDING_PROBLEM,
                   "openssl rand -hex 32 makes one; all processes need the "
                   "same",
                   "%s", rg_error_message());
        return;
    }
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        const char *path = "";
        (void)rg_flag_text(secrets[i], &path);
        if (path[0] == '\0' || !rg_path_is_open_to_others(path))
            continue;
        bad = true;
        rg_finding(d, RG_FINDING_PROBLEM,
                   "chmod 600 it, and make a new one if others could read it",
                   "FLAGS_%s=%s may be read by others than its owner", secrets[i], path);
    }
    if (credentials.n_key == 0 && is_of_many(d))
        rg_finding(d, RG_FINDING_WARNING,
                   "give all processes one REGATTA_JOB_KEY (openssl rand -hex 32): without it "
                   "whoever reaches the ports may take part",
                   "the job is of several hosts, and has no key");
    else if (!bad)
        rg_finding(d, RG_FINDING_OK, NULL,
                   credentials.n_key ? "the job has a key"
                                     : "no job key, and no other host in the environment");
}

/* ---- other hosts ---- */

static void check_reach(rg_doctor *d, const char *endpoint, int *tried)
{
    char host[MAX_HOST], address[RG_ADDRESS_TEXT];
    int port, wait_ms = 1000 * (int)rg_option_int(d->options, "timeout");
    uint64_t ns;
    if (!split(endpoint, host, &port) || rg_host_resolve(host, address) != RG_OK ||
        rg_address_is_ours(address))
        return;
    (*tried)++;
    rg_port_state state = rg_probe_port(address, port, wait_ms, &ns);
    if (state == RG_PORT_SILENT)
        rg_finding(d, RG_FINDING_PROBLEM,
                   "look at the host, at the way there (ip route get), and at firewalls between",
                   "%s (%s) does not answer: %s", endpoint, address, rg_error_message());
    else
        rg_finding(d, RG_FINDING_OK, NULL, "%s answers after %.2f ms%s", endpoint, (double)ns / 1e6,
                   state == RG_PORT_OPEN ? ", and somebody listens there"
                                         : "; nobody listens there yet");
}

void rg_check_reach(rg_doctor *d)
{
    const char *endpoint;
    int tried = 0;
    if (no_job(d))
        return;
    for (int i = 0; (endpoint = endpoint_at(d, i)) != NULL; i++)
        check_reach(d, endpoint, &tried);
    if (tried == 0)
        rg_finding(d, RG_FINDING_OK, NULL, "all endpoints are of this host");
}

static void check_peer(rg_doctor *d, const char *peer)
{
    const double SLOW = 10e6; /* bytes a second: a network of 100 Mbit */
    const int64_t FAR_NS = 1000000000;
    char host[MAX_HOST], address[RG_ADDRESS_TEXT];
    rg_probe_result found;
    int port, wait_ms = 1000 * (int)rg_option_int(d->options, "timeout");
    if (!split(peer, host, &port)) {
        rg_finding(d, RG_FINDING_PROBLEM, "write it as HOST:PORT", "%s is no endpoint", peer);
        return;
    }
    if (rg_host_resolve(host, address) != RG_OK ||
        rg_probe_ask(address, port, wait_ms, &found) != RG_OK) {
        rg_finding(
            d, RG_FINDING_PROBLEM,
            "start `paddle doctor --listen HOST:PORT` there; where it runs, look at firewalls",
            "%s: %s", peer, rg_error_message());
        return;
    }
    bool slow = found.bytes_a_second < SLOW;
    bool far = found.clock_ahead_ns > FAR_NS || found.clock_ahead_ns < -FAR_NS;
    rg_finding(d, slow || far ? RG_FINDING_WARNING : RG_FINDING_OK,
               far ? "let NTP set the clocks (timedatectl set-ntp true): logs of the hosts cannot "
                     "be compared"
               : slow ? "look at the network: a job's gradients go this way at each step"
                      : NULL,
               "%s: %.3f ms there and back, %.0f MB/s from here, its clock is %.3f s %s ours", peer,
               (double)found.round_trip_ns / 1e6, found.bytes_a_second / 1e6,
               (double)llabs((long long)found.clock_ahead_ns) / 1e9,
               found.clock_ahead_ns < 0 ? "behind" : "ahead of");
}

void rg_check_peers(rg_doctor *d)
{
    char peer[MAX_HOST + 8];
    const char *peers = rg_option_text(d->options, "peers");
    if (peers[0] == '\0') {
        rg_finding(d, RG_FINDING_OK, NULL,
                   "none was named: --peers, or --hosts, measure the network between hosts");
        return;
    }
    for (const char *at = peers; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        (void)snprintf(peer, sizeof peer, "%.*s", (int)strcspn(at, ","), at);
        check_peer(d, peer);
    }
}

/* ---- the other end ---- */

static void say_port(void *arg, int port)
{
    (void)printf("paddle doctor: listening at %s:%d\n", (const char *)arg, port);
    (void)fflush(stdout);
}

int rg_doctor_listen(const rg_options *options)
{
    char host[MAX_HOST];
    const char *at = rg_option_text(options, "listen");
    int port;
    if (!split(at, host, &port))
        return rg_cli_misused("doctor: --listen is HOST:PORT of this machine; port 0: any");
    if (rg_probe_serve(host, port, (int)rg_option_int(options, "seconds"), say_port, host) !=
        RG_OK) {
        (void)fprintf(stderr, "paddle doctor: %s\n", rg_error_message());
        return 1;
    }
    return 0;
}
