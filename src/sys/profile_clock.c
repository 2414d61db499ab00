/* profile_clock.c - how far the clocks of a job's hosts are apart.
 *
 * Whoever enters a server is told what its clock shows, and half of the time that the answer took
 * is all that remains unknown of how far the two are apart. A process keeps the best of what it was
 * told by each peer, and writes it into its trace; who puts traces together has all of them go by
 * the clock of one process. A difference within what is unknown is none: so processes of one host,
 * which have one clock, are not moved against each other. */
#include "sys/profile_priv.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PEERS = 256 };

/* ---- of this process ---- */

typedef struct peer {
    char name[48];
    int64_t ahead_ns;
    uint64_t error_ns;
} peer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what is below, for moments */
static peer peers[MOST_PEERS];
static int n_peers;

void rg_profile_peer(const char *name, int64_t ahead_ns, uint64_t error_ns)
{
    char process[48];
    const char *number = strchr(name, ' ');
    /* "pserver 3" and "rank 0" are how servers call themselves. */
    if (number == NULL || strspn(number + 1, "0123456789") != strlen(number + 1))
        return;
    (void)snprintf(process, sizeof process, "%s.%.9s",
                   strncmp(name, "rank ", 5) == 0 ? "worker" : "server", number + 1);
    (void)pthread_mutex_lock(&lock);
    int i = 0;
    while (i < n_peers && strcmp(peers[i].name, process) != 0)
        i++;
    if (i < MOST_PEERS && (i == n_peers || error_ns < peers[i].error_ns)) {
        n_peers = i == n_peers ? i + 1 : n_peers;
        peers[i] = (peer){.ahead_ns = ahead_ns, .error_ns = error_ns};
        memcpy(peers[i].name, process, sizeof process);
    }
    (void)pthread_mutex_unlock(&lock);
}

void rg_profile_peers(rg_buf *out)
{
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < n_peers; i++)
        rg_buf_printf(out, "%s%s %lld %llu", i > 0 ? ";" : "", peers[i].name,
                      (long long)peers[i].ahead_ns, (unsigned long long)peers[i].error_ns);
    (void)pthread_mutex_unlock(&lock);
}

/* ---- of a job ---- */

void rg_clocks_fini(rg_clocks *clocks)
{
    rg_free(clocks->told);
    *clocks = (rg_clocks){0};
}

/* What rg_profile_peers() wrote; what is not of its form is passed over. */
rg_status rg_clocks_take(rg_clocks *clocks, const char *process, const char *text)
{
    while (*text != '\0') {
        rg_told_clock told;
        char *end;
        size_t n = strcspn(text, " ;");
        (void)snprintf(told.from, sizeof told.from, "%s", process);
        (void)snprintf(told.peer, sizeof told.peer, "%.*s", (int)n, text);
        text += n;
        told.ahead_ns = strtoll(text, &end, 10);
        bool whole = end != text && *end == ' ';
        text = end;
        told.error_ns = strtoull(text, &end, 10);
        whole = whole && end != text && (*end == ';' || *end == '\0');
        if (whole && n > 0 && n < sizeof told.peer) {
            RG_TRY(rg_grow((void **)&clocks->told, clocks->n, &clocks->capacity, sizeof told));
            clocks->told[clocks->n++] = told;
        }
        text = end + strcspn(end, ";");
        text += *text == ';';
    }
    return RG_OK;
}

static const rg_told_clock *find(const rg_clocks *clocks, const char *from, const char *of)
{
    for (size_t i = 0; i < clocks->n; i++)
        if (strcmp(clocks->told[i].from, from) == 0 && strcmp(clocks->told[i].peer, of) == 0)
            return &clocks->told[i];
    return NULL;
}

/* The difference of two that were measured may go beyond what fits where somebody made them up. */
static int64_t beyond(int64_t a, int64_t b, uint64_t error)
{
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return 0;
    uint64_t size = difference < 0 ? -(uint64_t)difference : (uint64_t)difference;
    return size > error ? difference : 0;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

int64_t rg_clocks_ahead(const rg_clocks *clocks, const char *process)
{
    const char *first = "worker.0"; /* of ranks without servers */
    for (size_t i = 0; i < clocks->n; i++)
        if (strcmp(clocks->told[i].peer, "server.0") == 0)
            first = "server.0";
    if (strcmp(process, first) == 0)
        return 0;
    const rg_told_clock *own = find(clocks, process, first);
    if (own != NULL)
        return beyond(own->ahead_ns, 0, own->error_ns);
    /* A server asks nobody: somebody has asked both. */
    for (size_t i = 0; i < clocks->n; i++) {
        const rg_told_clock *told = &clocks->told[i], *of_first = find(clocks, told->from, first);
        if (strcmp(told->peer, process) == 0 && of_first != NULL)
            return beyond(of_first->ahead_ns, told->ahead_ns,
                          sum_of(told->error_ns, of_first->error_ns));
    }
    return 0;
}
