/* group_mpi.c - a group over Open MPI: the ranks that mpirun has started.
 *
 * All calls are made by the group's thread, which starts each operation in its form that does not
 * block and looks for its end, ever more seldom, so that a rank that waits for another leaves it
 * the processor. Meanwhile it reads notes that ranks send each other beside the operations: who
 * waits long asks where the others are, who leaves or fails says so. A rank that is killed is the
 * business of mpirun, which names it and ends the rest.
 *
 * MPI is started once in a process and ends with it: a second group is refused after the first was
 * closed. Ranks of one host meet here, and then have memory in common. */
#include "base/mem.h"
#include "coll/group_priv.h"
#include "coll/mpi.h"
#include "sys/clock.h"
#include "sys/interrupt.h"
#include "sys/log.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1 << 27 };        /* elements of one call of MPI, which counts bytes by int */
enum { FEW_BYTES = 64 * 1024 }; /* of all ranks together */
enum { LOOKS_AT_ONCE = 10 };
static const uint64_t FIRST_NAP_NS = 40 * 1000, LONGEST_NAP_NS = 2000 * 1000;
static const uint64_t TELL_AFTER_NS = 10000000000u, TELL_EVERY_NS = 30000000000u,
                      ANSWER_NS = 1000000000u;

typedef enum operation { REDUCE, BROADCAST, GATHER, SCATTER, BARRIER, CLOSE, NONE } operation;
static const char *const operation_names[] = {
    "all_reduce", "broadcast", "all_gather", "reduce_scatter", "barrier", "close", "nothing"};

/* What ranks tell each other, on a communicator of its own. */
typedef enum note_kind { NOTE_ASKS, NOTE_IS_AT, NOTE_LEAVES, NOTE_FAILS } note_kind;
typedef struct note {
    int32_t kind;
    int32_t operation; /* that it is in */
    uint64_t round;    /* operations that it has begun */
    uint64_t bytes;
    char text[232];
} note;

typedef struct peer {
    note at; /* its last word */
    bool answered, left, failed;
} peer;

typedef struct state {
    const rg_mpi *mpi;
    rg_mpi_handle data, notes; /* communicators */
    peer *peers;
    uint8_t *parts; /* of a sum, as they come */
    size_t room;
    int *counts, *places; /* by rank, for a gather that is under way */
    note now;             /* where we are */
} state;

static bool
    was_closed; /* by this process's group; for its thread, of which there is one at a time */

static rg_status check(const state *s, int code, const char *call)
{
    char text[512] = "";
    int n = 0;
    if (code == 0)
        return RG_OK;
    (void)s->mpi->MPI_Error_string(code, text, &n);
    return rg_fail(RG_ECLOSED, "%s: %s", call, text);
}

/* ---- notes ---- */

static void send_note(const state *s, int to, const note *what)
{
    rg_mpi_handle request;
    /* Small enough to be on its way at once: MPI keeps a copy, and the request is not looked at. */
    if (s->mpi->MPI_Isend(what, (int)sizeof *what, s->mpi->ompi_mpi_byte, to, 0, s->notes,
                          &request) == 0)
        (void)s->mpi->MPI_Request_free(&request);
}

static void send_all(const rg_group *group, note *what)
{
    const state *s = group->state;
    for (int i = 0; i < group->size; i++)
        if (i != group->rank && !s->peers[i].left && !s->peers[i].failed)
            send_note(s, i, what);
}

static void read_notes(rg_group *group)
{
    state *s = group->state;
    for (;;) {
        int found = 0;
        rg_mpi_status status = {0};
        note got = {0};
        if (s->mpi->MPI_Iprobe(RG_MPI_ANY, 0, s->notes, &found, &status) != 0 || !found ||
            status.source < 0 || status.source >= group->size || status.bytes != sizeof got ||
            s->mpi->MPI_Recv(&got, (int)sizeof got, s->mpi->ompi_mpi_byte, status.source, 0,
                             s->notes, NULL) != 0)
            return;
        peer *from = &s->peers[status.source];
        got.text[sizeof got.text - 1] = '\0';
        from->at = got;
        from->answered = from->answered || got.kind == NOTE_IS_AT;
        from->left = from->left || got.kind == NOTE_LEAVES;
        from->failed = from->failed || got.kind == NOTE_FAILS;
        if (got.kind == NOTE_ASKS) {
            note answer = s->now;
            answer.kind = NOTE_IS_AT;
            send_note(s, status.source, &answer);
        }
    }
}

/* Whether someone is gone without whom this operation cannot end. */
static rg_status look_for_the_gone(const rg_group *group)
{
    const state *s = group->state;
    for (int i = 0; i < group->size; i++) {
        const peer *p = &s->peers[i];
        if (p->failed)
            return rg_group_blame(rg_fail(RG_ECLOSED, "rank %d has failed: %s", i, p->at.text), i);
        /* It may leave after an operation that we are still in: then its part is on its way. */
        if (p->left && p->at.round < s->now.round)
            return rg_group_blame(rg_fail(RG_ECLOSED, "rank %d has left the group", i), i);
    }
    return RG_OK;
}

static bool calls_another(const note *a, const note *b)
{
    return a->round == b->round && (a->operation != b->operation || a->bytes != b->bytes);
}

/* Ask all where they are, and say who is behind. A rank that is in another operation of the same
 * number will never come. */
static rg_status tell(rg_group *group, uint64_t waited_ns)
{
    state *s = group->state;
    char whom[400] = "";
    size_t used = 0;
    for (int i = 0; i < group->size; i++)
        s->peers[i].answered = i == group->rank;
    note ask = s->now;
    ask.kind = NOTE_ASKS;
    send_all(group, &ask);
    for (uint64_t began = rg_clock_ns(); rg_clock_ns() - began < ANSWER_NS;) {
        int missing = 0;
        read_notes(group);
        RG_TRY(look_for_the_gone(group));
        for (int i = 0; i < group->size; i++)
            missing += !s->peers[i].answered;
        if (missing == 0)
            break;
        rg_clock_sleep(LONGEST_NAP_NS);
    }
    for (int i = 0; i < group->size && used < sizeof whom - 80; i++) {
        const peer *p = &s->peers[i];
        if (i == group->rank || (p->answered && p->at.round > s->now.round))
            continue;
        if (p->answered && calls_another(&p->at, &s->now))
            return rg_fail(
                RG_ECLOSED,
                "rank %d calls %s of %llu bytes, and rank %d calls %s of %llu bytes: "
                "members must call the same",
                group->rank, operation_names[s->now.operation], (unsigned long long)s->now.bytes, i,
                operation_names[p->at.operation % (NONE + 1)], (unsigned long long)p->at.bytes);
        if (!p->answered || p->at.round < s->now.round)
            used += (size_t)snprintf(
                whom + used, sizeof whom - used, "%srank %d (%s)", used > 0 ? ", " : "", i,
                p->answered ? "it is busy with something else" : "it does not answer");
    }
    rg_log(RG_LOG_W, "coll", "\"%s waits for %s\" seconds=%llu", operation_names[s->now.operation],
           used > 0 ? whom : "the network", (unsigned long long)(waited_ns / 1000000000u));
    return RG_OK;
}

/* ---- operations ---- */

static void begin(state *s, operation which, size_t bytes)
{
    s->now = (note){.operation = which, .round = s->now.round + 1, .bytes = bytes};
}

/* Look at once a few times, then after naps that grow: a rank that is early must not take the
 * processor from who it waits for, nor from its own computing. */
static rg_status finish_both(rg_group *group, rg_mpi_handle first, rg_mpi_handle second, bool two)
{
    state *s = group->state;
    uint64_t began = rg_clock_ns(), nap = FIRST_NAP_NS, tell_at = TELL_AFTER_NS, looked = began;
    for (int looks = 0;; looks++) {
        int done = 0;
        RG_TRY(check(s, s->mpi->MPI_Test(&first, &done, NULL), "MPI_Test"));
        if (done && two)
            RG_TRY(check(s, s->mpi->MPI_Test(&second, &done, NULL), "MPI_Test"));
        if (done)
            return RG_OK;
        if (looks < LOOKS_AT_ONCE)
            continue;
        rg_clock_sleep(nap);
        uint64_t now = rg_clock_ns();
        nap = (now - began) / 4; /* so that it is late by a quarter at most */
        nap = nap < FIRST_NAP_NS ? FIRST_NAP_NS : nap > LONGEST_NAP_NS ? LONGEST_NAP_NS : nap;
        if (now - looked < RG_LOOK_NS)
            continue;
        looked = now;
        read_notes(group);
        RG_TRY(look_for_the_gone(group));
        RG_TRY(rg_interrupted());
        if (now - began >= tell_at) {
            RG_TRY(tell(group, now - began));
            tell_at = rg_clock_ns() - began + TELL_EVERY_NS;
        }
    }
}

static rg_status finish(rg_group *group, rg_mpi_handle request)
{
    return finish_both(group, request, NULL, false);
}

static rg_status make_room(state *s, size_t bytes)
{
    if (bytes <= s->room)
        return RG_OK;
    rg_free(s->parts);
    s->parts = rg_alloc(bytes);
    s->room = s->parts ? bytes : 0;
    return s->parts ? RG_OK : rg_no_memory(bytes, "a sum over ranks");
}

/* Few bytes: each has what all have, and adds up. */
static rg_status reduce_few(rg_group *group, void *data, size_t n, rg_dtype dtype, rg_group_op op)
{
    state *s = group->state;
    rg_mpi_handle request;
    size_t bytes = n * rg_dtype_size(dtype);
    RG_TRY(make_room(s, bytes * (size_t)group->size));
    RG_TRY(check(s,
                 s->mpi->MPI_Iallgather(data, (int)bytes, s->mpi->ompi_mpi_byte, s->parts,
                                        (int)bytes, s->mpi->ompi_mpi_byte, s->data, &request),
                 "MPI_Iallgather"));
    RG_TRY(finish(group, request));
    memcpy(data, s->parts, bytes);
    for (int i = 1; i < group->size; i++)
        rg_group_combine(data, data, s->parts + bytes * (size_t)i, n, dtype, op);
    return RG_OK;
}

/* To a rank `ahead` goes one part, from the one that is as far behind comes another. */
static rg_status pass_on(rg_group *group, int ahead, const void *out, size_t n_out, void *in,
                         size_t n_in)
{
    state *s = group->state;
    rg_mpi_handle sent, come, byte = s->mpi->ompi_mpi_byte;
    int to = (group->rank + ahead) % group->size,
        from = (group->rank + group->size - ahead) % group->size;
    RG_TRY(check(s, s->mpi->MPI_Irecv(in, (int)n_in, byte, from, 0, s->data, &come), "MPI_Irecv"));
    RG_TRY(check(s, s->mpi->MPI_Isend(out, (int)n_out, byte, to, 0, s->data, &sent), "MPI_Isend"));
    return finish_both(group, come, sent, true);
}

/* Where a rank's part of n elements begins; that of one behind the last is the end. */
static size_t begin_of(size_t n, size_t size, size_t part)
{
    return n / size * part + (part < n % size ? part : n % size);
}

/* Each rank gets its part from all others, and adds them up in the order of ranks: to `sum`, which
 * may be where our own are. */
static rg_status reduce_own_part(rg_group *group, const uint8_t *data, size_t n, rg_dtype dtype,
                                 rg_group_op op, uint8_t *sum)
{
    state *s = group->state;
    size_t each = rg_dtype_size(dtype), size = (size_t)group->size, rank = (size_t)group->rank;
    size_t begin = begin_of(n, size, rank), mine = begin_of(n, size, rank + 1) - begin;
    size_t bytes = mine * each;
    RG_TRY(make_room(s, bytes * size));
    for (size_t k = 1; k < size; k++) {
        size_t to = (rank + k) % size, from = (rank + size - k) % size;
        size_t at = begin_of(n, size, to);
        RG_TRY(pass_on(group, (int)k, data + at * each, (begin_of(n, size, to + 1) - at) * each,
                       s->parts + from * bytes, bytes));
    }
    memcpy(s->parts + rank * bytes, data + begin * each, bytes);
    memcpy(sum, s->parts, bytes);
    for (size_t i = 1; i < size; i++)
        rg_group_combine(sum, sum, s->parts + i * bytes, mine, dtype, op);
    return RG_OK;
}

/* Many: each rank adds up one part, and the parts go round the ring. Every byte is copied once and
 * into its place, where the library's own would go through memory of its own; and the order is the
 * same whatever release of MPI there is, and as in memory that ranks have in common. */
static rg_status reduce_parts(rg_group *group, uint8_t *data, size_t n, rg_dtype dtype,
                              rg_group_op op)
{
    size_t each = rg_dtype_size(dtype), size = (size_t)group->size, rank = (size_t)group->rank;
    RG_TRY(reduce_own_part(group, data, n, dtype, op, data + begin_of(n, size, rank) * each));
    for (size_t k = 0; k + 1 < size; k++) {
        size_t out = (rank + size - k) % size, in = (rank + size - k - 1) % size;
        size_t from = begin_of(n, size, out), to = begin_of(n, size, in);
        RG_TRY(pass_on(group, 1, data + from * each, (begin_of(n, size, out + 1) - from) * each,
                       data + to * each, (begin_of(n, size, in + 1) - to) * each));
    }
    return RG_OK;
}

static rg_status all_reduce(rg_group *group, void *data, size_t n, rg_dtype dtype, rg_group_op op)
{
    size_t each = rg_dtype_size(dtype);
    begin(group->state, REDUCE, n * each);
    if (n * each * (size_t)group->size <= FEW_BYTES)
        return reduce_few(group, data, n, dtype, op);
    for (size_t at = 0; at < n; at += MOST) {
        size_t part = n - at < MOST ? n - at : MOST;
        RG_TRY(reduce_parts(group, (uint8_t *)data + at * each, part, dtype, op));
    }
    return RG_OK;
}

static rg_status broadcast(rg_group *group, void *data, size_t bytes, int root)
{
    state *s = group->state;
    begin(s, BROADCAST, bytes);
    for (size_t at = 0; at < bytes; at += MOST) {
        rg_mpi_handle request;
        int part = (int)(bytes - at < MOST ? bytes - at : MOST);
        RG_TRY(check(s,
                     s->mpi->MPI_Ibcast((uint8_t *)data + at, part, s->mpi->ompi_mpi_byte, root,
                                        s->data, &request),
                     "MPI_Ibcast"));
        RG_TRY(finish(group, request));
    }
    return RG_OK;
}

static rg_status all_gather(rg_group *group, const void *mine, size_t bytes, void *all)
{
    state *s = group->state;
    rg_mpi_handle request;
    begin(s, GATHER, bytes);
    if (bytes > MOST)
        return rg_fail(RG_ETOOBIG,
                       "%zu bytes of each rank, and at most %d can be gathered at a "
                       "time",
                       bytes, MOST);
    RG_TRY(check(s,
                 s->mpi->MPI_Iallgather(mine, (int)bytes, s->mpi->ompi_mpi_byte, all, (int)bytes,
                                        s->mpi->ompi_mpi_byte, s->data, &request),
                 "MPI_Iallgather"));
    return finish(group, request);
}

static rg_status all_gather_in_place(rg_group *group, uint8_t *all, const size_t *at,
                                     const size_t *bytes)
{
    state *s = group->state;
    rg_mpi_handle request;
    int last = group->size - 1;
    begin(s, GATHER, bytes[0]);
    if (at[last] + bytes[last] > INT_MAX)
        return rg_fail(RG_ETOOBIG,
                       "%zu bytes of all ranks, and at most %d can be gathered at a "
                       "time",
                       at[last] + bytes[last], INT_MAX);
    for (int i = 0; i < group->size; i++) {
        s->counts[i] = (int)bytes[i];
        s->places[i] = (int)at[i];
    }
    RG_TRY(check(s,
                 s->mpi->MPI_Iallgatherv(RG_MPI_IN_PLACE, 0, s->mpi->ompi_mpi_byte, all, s->counts,
                                         s->places, s->mpi->ompi_mpi_byte, s->data, &request),
                 "MPI_Iallgatherv"));
    return finish(group, request);
}

static rg_status reduce_scatter(rg_group *group, const void *data, void *part, size_t n,
                                rg_dtype dtype, rg_group_op op)
{
    begin(group->state, SCATTER, n * rg_dtype_size(dtype));
    if (n > MOST)
        return rg_fail(RG_ETOOBIG, "%zu elements for each rank, and at most %d can be at a time", n,
                       MOST);
    return reduce_own_part(group, data, n * (size_t)group->size, dtype, op, part);
}

static rg_status barrier(rg_group *group)
{
    state *s = group->state;
    rg_mpi_handle request;
    begin(s, BARRIER, 0);
    RG_TRY(check(s, s->mpi->MPI_Ibarrier(s->data, &request), "MPI_Ibarrier"));
    return finish(group, request);
}

static void idle(rg_group *group)
{
    read_notes(group);
}

/* ---- joining and leaving ---- */

static rg_status begin_mpi(state *s, int rank, int size)
{
    int given, is_rank = -1, is_size = -1;
    const rg_mpi *mpi = s->mpi;
    RG_TRY(check(s, mpi->MPI_Init_thread(NULL, NULL, RG_MPI_FUNNELED, &given), "MPI_Init_thread"));
    if (given < RG_MPI_FUNNELED)
        return rg_fail(RG_EUNIMPL, "this MPI may not be called by a thread");
    RG_TRY(check(s, mpi->MPI_Comm_rank(mpi->ompi_mpi_comm_world, &is_rank), "MPI_Comm_rank"));
    RG_TRY(check(s, mpi->MPI_Comm_size(mpi->ompi_mpi_comm_world, &is_size), "MPI_Comm_size"));
    if (is_rank != rank || is_size != size)
        return rg_fail(RG_EINVAL,
                       "MPI says that this is rank %d of %d, and the job says rank %d of %d",
                       is_rank, is_size, rank, size);
    return RG_OK;
}

static rg_status join(rg_group *group, const rg_group_config *config)
{
    state *s = rg_alloc_zero(1, sizeof *s);
    int is_started = 0;
    (void)config;
    if (s == NULL)
        return rg_no_memory(sizeof *s, "a group");
    group->state = s;
    s->peers = rg_alloc_zero((size_t)group->size, sizeof *s->peers);
    s->counts = rg_alloc_zero((size_t)group->size, sizeof *s->counts);
    s->places = rg_alloc_zero((size_t)group->size, sizeof *s->places);
    if (s->peers == NULL || s->counts == NULL || s->places == NULL)
        return rg_no_memory((size_t)group->size * sizeof *s->peers, "a group");
    s->now.operation = NONE;
    rg_status code = rg_mpi_load(&s->mpi);
    if (code == RG_OK)
        code = check(s, s->mpi->MPI_Initialized(&is_started), "MPI_Initialized");
    if (code == RG_OK && is_started)
        code = rg_fail(RG_EINVAL, was_closed
                                      ? "MPI can be started once in a process, and its group was "
                                        "closed"
                                      : "MPI was started by someone else in this process (mpi4py), "
                                        "whose thread is not ours: import it after the group, or "
                                        "set FLAGS_coll_backend=rpc");
    if (code != RG_OK) {
        s->mpi = NULL; /* nothing to end */
        return code;
    }
    RG_TRY(begin_mpi(s, group->rank, group->size));
    rg_mpi_handle world = s->mpi->ompi_mpi_comm_world;
    RG_TRY(check(s, s->mpi->MPI_Comm_set_errhandler(world, s->mpi->ompi_mpi_errors_return),
                 "MPI_Comm_set_errhandler"));
    RG_TRY(check(s, s->mpi->MPI_Comm_dup(world, &s->data), "MPI_Comm_dup"));
    return check(s, s->mpi->MPI_Comm_dup(world, &s->notes), "MPI_Comm_dup");
}

/* MPI ends when all ranks end it, for which MPI itself would wait busily: so all meet before. A
 * rank that has failed, or is alone left, does not end it: mpirun sees that, and ends the others.
 */
static void end_mpi(rg_group *group)
{
    state *s = group->state;
    rg_mpi_handle request;
    note word = s->now;
    word.kind = NOTE_LEAVES;
    send_all(group, &word);
    begin(s, CLOSE, 0);
    s->now.round = word.round; /* no operation of the group */
    if (s->mpi->MPI_Ibarrier(s->notes, &request) == 0 && finish(group, request) == RG_OK)
        (void)s->mpi->MPI_Finalize();
}

static void close_mpi(rg_group *group, const char *failed)
{
    state *s = group->state;
    if (s == NULL)
        return;
    if (s->mpi != NULL && s->notes != NULL && failed == NULL) {
        end_mpi(group);
    } else if (s->mpi != NULL && s->notes != NULL) {
        note word = s->now;
        word.kind = NOTE_FAILS;
        (void)snprintf(word.text, sizeof word.text, "%s", failed);
        send_all(group, &word);
    }
    was_closed = true;
    rg_free(s->peers);
    rg_free(s->parts);
    rg_free(s->counts);
    rg_free(s->places);
    rg_free(s);
}

const rg_group_backend rg_group_mpi = {.name = "mpi",
                                       .join = join,
                                       .joins_silently = "MPI waits for ranks that have not "
                                                         "joined the group yet",
                                       .all_reduce = all_reduce,
                                       .broadcast = broadcast,
                                       .all_gather = all_gather,
                                       .all_gather_in_place = all_gather_in_place,
                                       .reduce_scatter = reduce_scatter,
                                       .barrier = barrier,
                                       .idle = idle,
                                       .close = close_mpi};
