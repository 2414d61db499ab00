/* group_rpc.c - a group over our own rpc: rank 0 has a hub, and every other member asks it.
 *
 * Each operation is one request of each, and a call of rank 0's own. The hub holds them until all
 * have come, checks that all ask for the same, makes the result in the order of ranks and answers
 * everybody. So bytes go through one process: right for a few ranks, slow for many, which are the
 * work of MPI or NCCL. Ranks of one host meet here, and then have memory in common.
 *
 * A request says which operation of the group it is (`round`), and its answer is remembered: one
 * that is sent again after a lost connection is answered again, and not counted twice.
 *
 * Threads: requests, and whoever leaves or dies, come from the hub's one loop; hello() from the
 * acceptor. `lock` is for what both touch, and for the close. */
#include "base/buf.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "coll/group_shared.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "sys/clock.h"
#include "sys/cond.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/latch.h"
#include "sys/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHOD_OPERATE = 1, METHOD_WHO, METHOD_FAIL };
typedef enum operation { REDUCE, BROADCAST, GATHER, BARRIER, OPERATIONS } operation;
static const char *const operation_names[] = {"all_reduce", "broadcast", "all_gather", "barrier"};
enum { HEAD = 64, TELL_AFTER_MS = 10000, TELL_EVERY_MS = 30000, LINGER_NS = 100 * 1000 * 1000 };
enum { LAST_WORDS_MS = 1000 };
enum { LINGER_TIMES = 50 }; /* the hub waits so long, 5 s, for the others to close */

/* What all members of a round must agree about. */
typedef struct ask {
    uint64_t round, bytes; /* bytes: of the data of one member */
    uint32_t operation, dtype, op, root;
} ask;

/* Rank 0's own part, which needs no connection: it waits on the latch. */
typedef struct own_part {
    rg_latch done;
    void *out;
    size_t wanted;
    rg_status code;
    char why[400];
} own_part;

typedef struct member {
    bool here, gone;
    uint64_t session;
    bool come; /* for this round, by one of these: */
    rg_rpc_request *request;
    own_part *own;
    ask ask;
    const uint8_t *data; /* of the request's body, or rank 0's own */
} member;

typedef struct hub {
    rg_rpc_server *server;
    rg_group *group; /* rank 0's, borrowed */
    int size;
    pthread_mutex_t lock;
    pthread_cond_t change; /* someone has gone */
    member *members;
    uint64_t round;
    char broken[400]; /* why the group is of no use any more; "": it is */
} hub;

typedef struct state {
    hub *hub; /* rank 0's; NULL */
    rg_rpc_client *client;
    uint64_t round;
} state;

/* ---- the hub ---- */

/* Answered to several members, freed with the last. */
typedef struct result {
    atomic_int refs;
    size_t bytes;
    _Alignas(16) uint8_t data[];
} result;

static void release(void *arg)
{
    result *r = arg;
    if (atomic_fetch_sub(&r->refs, 1) == 1)
        rg_free(r);
}

static void break_off(hub *h, const char *why)
{
    if (h->broken[0] == '\0')
        (void)snprintf(h->broken, sizeof h->broken, "%s", why);
    for (int i = 0; i < h->size; i++) {
        member *m = &h->members[i];
        if (!m->come)
            continue;
        m->come = false;
        if (m->own != NULL) {
            m->own->code = RG_ECLOSED;
            (void)snprintf(m->own->why, sizeof m->own->why, "%s", h->broken);
            rg_latch_open(&m->own->done);
        } else {
            rg_rpc_refuse(m->request, RG_ECLOSED, "%s", h->broken);
        }
    }
    (void)pthread_cond_broadcast(&h->change);
}

static void describe(char *out, size_t size, int rank, const ask *a)
{
    (void)snprintf(out, size, "rank %d calls %s of %llu bytes (dtype %u, op %u, root %u)", rank,
                   a->operation < OPERATIONS ? operation_names[a->operation] : "?",
                   (unsigned long long)a->bytes, a->dtype, a->op, a->root);
}

/* Whether all have come, and for the same. */
static bool is_complete(hub *h)
{
    int first = -1;
    for (int i = 0; i < h->size; i++) {
        const member *m = &h->members[i];
        if (!m->come)
            continue;
        if (first < 0)
            first = i;
        const ask *a = &h->members[first].ask, *b = &m->ask;
        if (a->operation == b->operation && a->bytes == b->bytes && a->dtype == b->dtype &&
            a->op == b->op && a->root == b->root)
            continue;
        char one[160], other[160], why[400];
        describe(one, sizeof one, first, a);
        describe(other, sizeof other, i, b);
        (void)snprintf(why, sizeof why, "%s, and %s: members must call the same", one, other);
        break_off(h, why);
        return false;
    }
    for (int i = 0; i < h->size; i++)
        if (!h->members[i].come)
            return false;
    return true;
}

static result *make_result(const hub *h)
{
    const ask *a = &h->members[0].ask;
    size_t bytes = a->operation == GATHER ? (size_t)a->bytes * (size_t)h->size : (size_t)a->bytes;
    result *r = rg_alloc(sizeof *r + bytes);
    if (r == NULL)
        return NULL;
    atomic_init(&r->refs, h->size);
    r->bytes = bytes;
    if (bytes == 0)
        return r;
    if (a->operation == BROADCAST)
        memcpy(r->data, h->members[a->root].data, bytes);
    for (int i = 0; a->operation == GATHER && i < h->size; i++)
        memcpy(r->data + (size_t)i * (size_t)a->bytes, h->members[i].data, (size_t)a->bytes);
    for (int i = 0; a->operation == REDUCE && i < h->size; i++) {
        rg_dtype dtype = (rg_dtype)a->dtype;
        if (i == 0)
            memcpy(r->data, h->members[0].data, bytes);
        else
            rg_group_combine(r->data, r->data, h->members[i].data, bytes / rg_dtype_size(dtype),
                             dtype, (rg_group_op)a->op);
    }
    return r;
}

static void answer_all(hub *h)
{
    result *r = make_result(h);
    if (r == NULL) {
        break_off(h, "rank 0 has no memory for the result");
        return;
    }
    h->round++;
    for (int i = 0; i < h->size; i++) {
        member *m = &h->members[i];
        m->come = false;
        if (m->own != NULL) {
            if (r->bytes == m->own->wanted && r->bytes > 0)
                memcpy(m->own->out, r->data, r->bytes);
            m->own->code = RG_OK;
            rg_latch_open(&m->own->done); /* it may be gone from here on */
            release(r);
            continue;
        }
        rg_rpc_request_remember(m->request);
        rg_rpc_reply(m->request, 0, &(rg_iov){r->data, r->bytes}, 1, release, r);
    }
}

/* What the bytes of a request say; nothing of it is believed before it is checked. */
static rg_status read_ask(const hub *h, const uint8_t *body, size_t n, int rank, ask *a)
{
    rg_cursor in = {body, n};
    RG_TRY(rg_cursor_u64(&in, &a->round));
    RG_TRY(rg_cursor_u64(&in, &a->bytes));
    RG_TRY(rg_cursor_u32(&in, &a->operation));
    RG_TRY(rg_cursor_u32(&in, &a->dtype));
    RG_TRY(rg_cursor_u32(&in, &a->op));
    RG_TRY(rg_cursor_u32(&in, &a->root));
    bool has_data = a->operation != BROADCAST || a->root == (uint32_t)rank;
    if (n < HEAD || a->operation >= OPERATIONS || a->root >= (uint32_t)h->size ||
        n - HEAD != (has_data ? a->bytes : 0) || a->op > RG_GROUP_MIN)
        return rg_fail(RG_ECORRUPT, "operation %u with %zu bytes", a->operation, n);
    size_t each = rg_dtype_valid((int)a->dtype) ? rg_dtype_size((rg_dtype)a->dtype) : 0;
    if (a->operation == REDUCE && (each == 0 || a->bytes % each != 0))
        return rg_fail(RG_ECORRUPT, "%llu bytes of dtype %u to be reduced",
                       (unsigned long long)a->bytes, a->dtype);
    if (a->operation == GATHER && a->bytes > RG_RPC_MAX_BODY / (uint64_t)h->size)
        return rg_fail(RG_ETOOBIG, "%llu bytes to be gathered from each of %d",
                       (unsigned long long)a->bytes, h->size);
    if (a->round != h->round)
        return rg_fail(RG_EINVAL, "operation %llu of the group, which is at %llu",
                       (unsigned long long)a->round, (unsigned long long)h->round);
    return RG_OK;
}

static void operate(hub *h, member *m, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    int rank = (int)(m - h->members);
    ask a = {0};
    if (h->broken[0] != '\0') {
        rg_rpc_refuse(request, RG_ECLOSED, "%s", h->broken);
    } else if (m->come) {
        rg_rpc_refuse(request, RG_EINVAL, "rank %d has called %s already", rank,
                      operation_names[m->ask.operation]);
    } else if (read_ask(h, body, n, rank, &a) != RG_OK) {
        rg_rpc_refuse(request, RG_ECORRUPT, "rank %d: %s", rank, rg_error_message());
    } else {
        m->request = request;
        m->come = true;
        m->ask = a;
        m->data = body + HEAD;
        if (is_complete(h))
            answer_all(h);
    }
}

/* Ranks that are waited for: "rank 1 (it calls nothing), rank 2 (it has not come)". */
static void list_missing(const hub *h, rg_buf *out)
{
    for (int i = 0; i < h->size; i++)
        if (!h->members[i].come)
            rg_buf_printf(out, "%srank %d (%s)", out->len > 0 ? ", " : "", i,
                          h->members[i].here ? "it is busy with something else"
                                             : "it has not come");
}

static void who(const hub *h, rg_rpc_request *request)
{
    rg_buf out;
    rg_buf_init(&out, 4096);
    list_missing(h, &out);
    rg_rpc_reply(request, 0, &(rg_iov){out.data, out.len}, 1, NULL, NULL);
    rg_buf_fini(&out);
}

/* A member fails, and says why: its reason reaches the others. */
static void take_failure(hub *h, const member *m, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *text = rg_rpc_request_body(request, &n);
    char why[400];
    (void)snprintf(why, sizeof why, "rank %d has failed: %.*s", (int)(m - h->members),
                   (int)(n < 200 ? n : 200), (const char *)text);
    break_off(h, why);
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
}

static void on_request(void *user, rg_rpc_request *request)
{
    hub *h = user;
    pthread_mutex_lock(&h->lock);
    member *m = rg_rpc_peer_user(rg_rpc_request_peer(request));
    if (rg_rpc_request_method(request) == METHOD_OPERATE)
        operate(h, m, request);
    else if (rg_rpc_request_method(request) == METHOD_WHO)
        who(h, request);
    else if (rg_rpc_request_method(request) == METHOD_FAIL)
        take_failure(h, m, request);
    else
        rg_rpc_refuse(request, RG_EINVAL, "method %u", rg_rpc_request_method(request));
    pthread_mutex_unlock(&h->lock);
}

static rg_status on_hello(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello,
                          rg_rpc_arrival arrival)
{
    hub *h = user;
    rg_status code = RG_OK;
    (void)arrival;
    if (hello->trainer < 0 || hello->trainer >= h->size || hello->trainers != (uint32_t)h->size)
        return rg_fail(RG_EINVAL, "rank %d of %u comes to a group of %d", hello->trainer,
                       hello->trainers, h->size);
    pthread_mutex_lock(&h->lock);
    member *m = &h->members[hello->trainer];
    if (m->here && m->session != rg_rpc_peer_session(peer)) {
        code = rg_fail(RG_EDENIED, "rank %d is there already: two processes have one rank",
                       hello->trainer);
    } else {
        m->here = true;
        m->session = rg_rpc_peer_session(peer);
        rg_rpc_peer_set_user(peer, m);
    }
    pthread_mutex_unlock(&h->lock);
    return code;
}

static void gone(hub *h, rg_rpc_peer *peer, const char *how)
{
    pthread_mutex_lock(&h->lock);
    member *m = rg_rpc_peer_user(peer);
    char why[400];
    int rank = (int)(m - h->members);
    struct rg_shared *shared = atomic_load(&h->group->shared);
    m->gone = true;
    (void)snprintf(why, sizeof why, "rank %d %s", rank, how);
    if (shared != NULL) /* they may wait for it there */
        rg_rank_memory_lost(rg_shared_memory(shared), rank, how);
    /* Its own request, if one waits, is not answered to anybody: break_off() refuses it. */
    break_off(h, why);
    pthread_mutex_unlock(&h->lock);
}

static void on_left(void *user, rg_rpc_peer *peer)
{
    gone(user, peer, "has left the group");
}

static void on_dead(void *user, rg_rpc_peer *peer, const char *how)
{
    char text[300];
    (void)snprintf(text, sizeof text, "is dead: %s", how);
    gone(user, peer, text);
}

static rg_status open_hub(hub **out, rg_group *group, const rg_group_config *config)
{
    hub *h = rg_alloc_zero(1, sizeof *h);
    if (h == NULL)
        return rg_no_memory(sizeof *h, "a group");
    pthread_mutex_init(&h->lock, NULL);
    rg_cond_init(&h->change);
    *out = h;
    h->group = group;
    h->size = config->size;
    h->members = rg_alloc_zero((size_t)config->size, sizeof *h->members);
    if (h->members == NULL)
        return rg_no_memory((size_t)config->size * sizeof *h->members, "a group");
    rg_rpc_server_config server = {
        .endpoints = config->endpoints,
        .n_endpoints = 1,
        .job = config->job,
        .name = "rank 0",
        .security = config->security,
        .events = {.hello = on_hello, .request = on_request, .left = on_left, .dead = on_dead},
        .user = h};
    return rg_rpc_server_open(&h->server, &server);
}

/* Answers may still be on their way: those who got theirs close, too. */
static void let_others_go(hub *h)
{
    const struct rg_shared *shared = atomic_load(&h->group->shared);
    pthread_mutex_lock(&h->lock);
    for (int turn = 0; turn < LINGER_TIMES; turn++) {
        int left = 0;
        for (int i = 1; i < h->size; i++)
            left += h->members[i].here && !h->members[i].gone &&
                    !(shared != NULL && rg_rank_memory_is_lost(rg_shared_memory(shared), i));
        if (left == 0 || rg_interrupted() != RG_OK)
            break;
        (void)rg_cond_wait(&h->change, &h->lock, LINGER_NS);
    }
    break_off(h, "rank 0 has left the group");
    pthread_mutex_unlock(&h->lock);
}

static void close_hub(hub *h)
{
    if (h == NULL)
        return;
    if (h->server != NULL)
        let_others_go(h);
    rg_rpc_server_close(h->server);
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->change);
    rg_free(h->members);
    rg_free(h);
}

/* ---- a member ---- */

static void answered(void *user, rg_rpc_call *call)
{
    (void)call;
    rg_latch_open(user);
}

/* Where a text names another member, it is the one to blame. */
static rg_status blame(const rg_group *group, rg_status code)
{
    const char *at = strstr(rg_error_message(), "rank ");
    int rank = at != NULL && at[5] >= '0' && at[5] <= '9' ? (int)strtol(at + 5, NULL, 10) : -1;
    if (code == RG_ECLOSED && rank >= 0 && rank < group->size && rank != group->rank)
        return rg_group_blame(code, rank);
    return code;
}

/* In a hurry: the process ends, and the others' wait with it, whether or not it is heard. */
static void tell_failure(const state *s, const char *why)
{
    rg_latch done;
    rg_rpc_call *call = NULL;
    const rg_iov text = {(void *)(uintptr_t)why, strlen(why)};
    rg_rpc_ask rpc = {.method = METHOD_FAIL, .iov = &text, .n = 1, .done = answered, .user = &done};
    rg_latch_init(&done);
    if (rg_rpc_start(&call, s->client, &rpc) == RG_OK)
        (void)rg_latch_wait(&done, LAST_WORDS_MS);
    rg_rpc_call_close(call);
    rg_latch_fini(&done);
}

static void tell(const state *s, operation which, uint64_t waited_ms)
{
    rg_buf text;
    rg_buf_init(&text, 4096);
    if (s->hub != NULL) {
        pthread_mutex_lock(&s->hub->lock);
        list_missing(s->hub, &text);
        pthread_mutex_unlock(&s->hub->lock);
    } else {
        uint8_t *answer = NULL;
        size_t n = 0;
        if (rg_rpc_ask_once(s->client, METHOD_WHO, NULL, 0, &answer, &n) == RG_OK)
            rg_buf_add(&text, answer, n);
        rg_free(answer);
    }
    if (text.len > 0)
        rg_log(RG_LOG_W, "coll", "\"%s waits for %s\" seconds=%llu", operation_names[which],
               rg_buf_cstr(&text), (unsigned long long)waited_ms / 1000);
    rg_buf_fini(&text);
}

/* limit_ms 0: as long as all live. */
static rg_status wait_for(const state *s, rg_latch *done, operation which, uint64_t limit_ms)
{
    uint64_t began = rg_clock_ns(), tell_ms = TELL_AFTER_MS;
    while (!rg_latch_wait(done, RG_LOOK_MS)) {
        uint64_t waited = (rg_clock_ns() - began) / 1000000;
        RG_TRY(rg_interrupted());
        if (waited >= tell_ms) {
            tell(s, which, waited);
            tell_ms = waited + TELL_EVERY_MS;
        }
        if (limit_ms > 0 && waited >= limit_ms)
            return rg_fail(RG_ETIMEOUT, "not all members came within %llu s (FLAGS_rpc_deadline)",
                           (unsigned long long)limit_ms / 1000);
    }
    return RG_OK;
}

/* Rank 0 takes part in its own hub. */
static rg_status call_own(rg_group *group, ask a, const void *data, void *out, size_t wanted,
                          uint64_t limit_ms)
{
    state *s = group->state;
    hub *h = s->hub;
    own_part part = {.out = out, .wanted = wanted};
    rg_status code = RG_OK;
    a.round = s->round++;
    rg_latch_init(&part.done);
    pthread_mutex_lock(&h->lock);
    if (h->broken[0] != '\0') {
        code = rg_fail(RG_ECLOSED, "%s", h->broken);
    } else {
        h->members[0].own = &part;
        h->members[0].come = h->members[0].here = true;
        h->members[0].ask = a;
        h->members[0].data = data;
        if (is_complete(h))
            answer_all(h);
    }
    pthread_mutex_unlock(&h->lock);
    if (code == RG_OK)
        code = wait_for(s, &part.done, (operation)a.operation, limit_ms);
    if (code != RG_OK) { /* nobody may touch the part any more */
        char why[400];
        (void)snprintf(why, sizeof why, "%s", rg_error_message());
        pthread_mutex_lock(&h->lock);
        h->members[0].come = false;
        break_off(h, "rank 0 has given up");
        pthread_mutex_unlock(&h->lock);
        code = rg_fail(code, "%s", why);
    } else if (part.code != RG_OK) {
        code = rg_fail(part.code, "%s", part.why);
    }
    rg_latch_fini(&part.done);
    return code == RG_OK ? RG_OK
                         : rg_context(blame(group, code), "%s", operation_names[a.operation]);
}

/* `bytes` of data go there where `sends`; `wanted` bytes come to `out`. */
static rg_status call_hub(rg_group *group, ask a, const void *data, bool sends, void *out,
                          size_t wanted, uint64_t limit_ms)
{
    static const uint8_t padding[HEAD] = {0};
    state *s = group->state;
    if (s->hub != NULL)
        return call_own(group, a, data, out, wanted, limit_ms);
    rg_buf head;
    rg_latch done;
    rg_rpc_call *call = NULL;
    a.round = s->round;
    rg_buf_init(&head, HEAD);
    rg_buf_u64(&head, a.round);
    rg_buf_u64(&head, a.bytes);
    rg_buf_u32(&head, a.operation);
    rg_buf_u32(&head, a.dtype);
    rg_buf_u32(&head, a.op);
    rg_buf_u32(&head, a.root);
    rg_buf_add(&head, padding, HEAD - head.len);
    rg_latch_init(&done);
    rg_iov iov[2] = {{head.data, HEAD}, {(void *)(uintptr_t)data, (size_t)a.bytes}};
    rg_rpc_ask rpc = {.method = METHOD_OPERATE,
                      .iov = iov,
                      .n = sends && a.bytes > 0 ? 2 : 1,
                      .done = answered,
                      .user = &done};
    rg_status code = rg_buf_status(&head);
    if (code == RG_OK)
        code = rg_rpc_start(&call, s->client, &rpc);
    if (code == RG_OK)
        code = wait_for(s, &done, (operation)a.operation, limit_ms);
    if (code == RG_OK)
        code = blame(group, rg_rpc_result(call));
    if (code == RG_OK) {
        size_t n;
        const uint8_t *body = rg_rpc_answer(call, &n);
        if (n != wanted)
            code = rg_fail(RG_ECORRUPT, "%zu bytes of a result, and %zu are wanted", n, wanted);
        else if (n > 0)
            memcpy(out, body, n);
    }
    rg_rpc_call_close(call);
    rg_latch_fini(&done);
    rg_buf_fini(&head);
    s->round++;
    return code == RG_OK ? RG_OK : rg_context(code, "%s", operation_names[a.operation]);
}

static rg_status join_rpc(rg_group *group, const rg_group_config *config)
{
    state *s = rg_alloc_zero(1, sizeof *s);
    if (s == NULL)
        return rg_no_memory(sizeof *s, "a group");
    group->state = s;
    if (group->rank == 0) {
        RG_TRY(open_hub(&s->hub, group, config));
    } else {
        rg_rpc_client_config client = {.security = config->security,
                                       .me = {.role = RG_RPC_TRAINER,
                                              .trainer = group->rank,
                                              .trainers = (uint32_t)group->size}};
        (void)snprintf(client.me.job, sizeof client.me.job, "%s", config->job ? config->job : "");
        (void)snprintf(client.me.name, sizeof client.me.name, "rank %d", group->rank);
        RG_TRY(rg_rpc_client_open(&s->client, config->endpoints[0], &client));
        RG_TRY(rg_rpc_client_ready(s->client, NULL));
    }
    return call_hub(group, (ask){.operation = BARRIER}, NULL, false, NULL, 0,
                    (uint64_t)rg_flag_int("rpc_deadline"));
}

static rg_status all_reduce(rg_group *group, void *data, size_t n, rg_dtype dtype, rg_group_op op)
{
    size_t bytes = n * rg_dtype_size(dtype);
    ask a = {.operation = REDUCE, .bytes = bytes, .dtype = (uint32_t)dtype, .op = (uint32_t)op};
    return call_hub(group, a, data, true, data, bytes, 0);
}

static rg_status broadcast(rg_group *group, void *data, size_t bytes, int root)
{
    ask a = {.operation = BROADCAST, .bytes = bytes, .root = (uint32_t)root};
    return call_hub(group, a, data, group->rank == root, data, bytes, 0);
}

static rg_status all_gather(rg_group *group, const void *mine, size_t bytes, void *all)
{
    ask a = {.operation = GATHER, .bytes = bytes};
    return call_hub(group, a, mine, true, all, bytes * (size_t)group->size, 0);
}

static rg_status barrier(rg_group *group)
{
    return call_hub(group, (ask){.operation = BARRIER}, NULL, false, NULL, 0, 0);
}

/* Who fails says so before it goes; a connection that just closes would be waited for. */
static void close_rpc(rg_group *group, const char *failed)
{
    state *s = group->state;
    if (s == NULL)
        return;
    if (failed != NULL && s->client != NULL)
        tell_failure(s, failed);
    if (failed != NULL && s->hub != NULL) {
        char why[300];
        (void)snprintf(why, sizeof why, "rank 0 has failed: %s", failed);
        pthread_mutex_lock(&s->hub->lock);
        break_off(s->hub, why);
        pthread_mutex_unlock(&s->hub->lock);
    }
    rg_rpc_client_close(s->client);
    close_hub(s->hub);
    rg_free(s);
}

const rg_group_backend rg_group_rpc = {.name = "rpc",
                                       .join = join_rpc,
                                       .all_reduce = all_reduce,
                                       .broadcast = broadcast,
                                       .all_gather = all_gather,
                                       .barrier = barrier,
                                       .close = close_rpc};
