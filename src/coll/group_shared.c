/* group_shared.c - operations as rounds in memory that all ranks have.
 *
 * An operation is one round, or several where a rank has more than a piece. Rounds have one order
 * on all ranks, and a rank takes each through three stages (rank_memory.h):
 *   published  what it has of the round stands in its area
 *   reduced    all have published, and agree about what it is. Many bytes are added up in shares:
 *              this rank's share of the sum stands where its numbers were now
 *   consumed   the result is where the caller wants it
 * Few bytes, or two ranks: everybody adds up everything, which reads as much as shares would and
 * waits once less. Either way numbers are added in the order of ranks.
 *
 * What more than two ranks add up may be in memory that each process lends (sys/lent.h): then it is
 * not copied to the area, shares are made of it where it is, and the operation is over when the
 * others need it no more. */
#include "coll/group_shared.h"

#include "base/copy_past.h"
#include "base/mem.h"
#include "sys/lent.h"

#include <string.h>

enum { SHARED_FROM = 64 << 10 }; /* bytes of a round from which more than two ranks have shares */
enum { BLOCK = 16 << 10 }; /* bytes that are added up at a time, to stay in the nearest cache */
enum { ALIGN = 64 };

static const char *const kind_names[] = {"nothing",    "all_reduce",          "broadcast",
                                         "all_gather", "all_gather of lists", "barrier"};

typedef struct span {
    size_t begin, end;
} span;

struct rg_shared {
    rg_rank_memory *memory;
    int rank, size;
    rg_group_work *first, *last;       /* not over, in their order */
    rg_group_work *current[RG_STAGES]; /* that each stage is at; NULL: behind the last */
    uint64_t at[RG_STAGES];            /* rounds that are through each */
    span held[RG_RANK_ROUNDS];         /* of our area, by round */
    size_t head;                       /* behind the last of them */
    rg_status code;                    /* why it is of no use any more; RG_OK */
    char why[600];
};

rg_shared *rg_shared_new(rg_rank_memory *memory, int rank, int size)
{
    rg_shared *s = rg_alloc_zero(1, sizeof *s);
    if (s != NULL)
        *s = (rg_shared){.memory = memory, .rank = rank, .size = size};
    return s;
}

rg_rank_memory *rg_shared_memory(const rg_shared *s)
{
    return s->memory;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Not of two ranks: memory that the other core reads is slow to write again, where backward does so
 * in the middle of a product, and adding up in place would take a wait more. */
bool rg_shared_lends(const rg_shared *s)
{
    return s->size > 2 && rg_rank_memory_lends(s->memory);
}

/* ---- published ---- */

/* Bytes of an operation that rank `of` has, where `items` are those of its list. */
static size_t bytes_of(const rg_group_work *w, int of, uint64_t items)
{
    switch (w->kind) {
    case RG_GROUP_REDUCE:
        return w->n * rg_dtype_size(w->dtype);
    case RG_GROUP_BROADCAST:
        return of == w->root ? w->n : 0;
    case RG_GROUP_GATHER:
        return w->n;
    case RG_GROUP_LIST:
        return (size_t)items * (w->list.item_bytes[0] + w->list.item_bytes[1]);
    default:
        return 0;
    }
}

/* Of `bytes` in all: those of a round. */
static size_t piece_of(size_t bytes, size_t round)
{
    size_t before = round * RG_RANK_PIECE;
    return bytes <= before ? 0 : smaller(bytes - before, RG_RANK_PIECE);
}

/* Our columns one behind the other, or theirs into ours: n bytes from `from` on. */
static void copy_columns(uint8_t *columns[2], const size_t bytes[2], size_t from, uint8_t *piece,
                         size_t n, bool out)
{
    for (int c = 0; c < 2 && n > 0; c++) {
        if (from >= bytes[c]) {
            from -= bytes[c];
            continue;
        }
        size_t part = smaller(bytes[c] - from, n);
        memcpy(out ? piece : columns[c] + from, out ? columns[c] + from : piece, part);
        piece += part;
        n -= part;
        from = 0;
    }
}

static void write_piece(const rg_group_work *w, size_t from, uint8_t *to, size_t n)
{
    const rg_group_list *l = &w->list;
    if (n == 0)
        return;
    if (w->kind == RG_GROUP_REDUCE && n >= SHARED_FROM) {
        /* Another core reads it next, and has the lines that are overwritten. */
        rg_copy_past(to, (const uint8_t *)w->data + from, n);
        return;
    }
    if (w->kind != RG_GROUP_LIST) {
        memcpy(to, (const uint8_t *)(w->from != NULL ? w->from : w->data) + from, n);
        return;
    }
    uint8_t *columns[2] = {(uint8_t *)(uintptr_t)l->mine[0], (uint8_t *)(uintptr_t)l->mine[1]};
    const size_t bytes[2] = {l->n * l->item_bytes[0], l->n * l->item_bytes[1]};
    copy_columns(columns, bytes, from, to, n, true);
}

/* Our area is used again from its beginning as soon as nobody reads it, so that it stays small and
 * in the cache; else as a ring. */
static bool take_room(rg_shared *s, size_t bytes, size_t *at)
{
    uint64_t oldest = s->at[RG_PUBLISHED];
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    for (int i = 0; i < s->size; i++) {
        uint64_t is = rg_rank_memory_stage(s->memory, i, RG_CONSUMED);
        oldest = is < oldest ? is : oldest;
    }
    if (s->at[RG_PUBLISHED] - oldest == RG_RANK_ROUNDS)
        return false;
    size_t tail = s->held[oldest % RG_RANK_ROUNDS].begin;
    if (oldest == s->at[RG_PUBLISHED] ||
        (s->head >= tail && RG_RANK_AREA - s->head < bytes && bytes < tail))
        s->head = 0;
    else if (s->head >= tail ? RG_RANK_AREA - s->head < bytes : bytes >= tail - s->head)
        return false;
    *at = s->head;
    s->held[s->at[RG_PUBLISHED] % RG_RANK_ROUNDS] = (span){s->head, s->head + bytes};
    s->head += bytes;
    return true;
}

static void pass_stage(rg_shared *s, rg_stage stage)
{
    rg_group_work *w = s->current[stage];
    if (++w->passed[stage] == w->rounds)
        s->current[stage] = w->next;
    rg_rank_memory_advance(s->memory, stage, ++s->at[stage]);
}

/* False: not now. How many rounds a list has is known when all have published its first. */
static bool publish(rg_shared *s)
{
    rg_group_work *w = s->current[RG_PUBLISHED];
    size_t at;
    if (w == NULL || (w->rounds == 0 && w->passed[RG_PUBLISHED] > 0))
        return false;
    size_t round = w->passed[RG_PUBLISHED];
    size_t n = piece_of(bytes_of(w, s->rank, w->list.n), round);
    if (!take_room(s, w->is_lent ? 0 : n, &at))
        return false;
    if (w->is_lent)
        at = (size_t)w->lent_at + round * RG_RANK_PIECE;
    else
        write_piece(w, round * RG_RANK_PIECE, rg_rank_memory_area(s->memory, s->rank) + at, n);
    *rg_rank_memory_round(s->memory, s->rank, s->at[RG_PUBLISHED]) = (rg_rank_round){
        .kind = (uint32_t)w->kind,
        .dtype = (uint32_t)w->dtype,
        .op = (uint32_t)w->op,
        .root = (uint32_t)w->root,
        .whole = w->kind == RG_GROUP_LIST     ? w->list.n
                 : w->kind == RG_GROUP_REDUCE ? bytes_of(w, s->rank, 0)
                                              : w->n,
        .at = at,
        .bytes = n,
        .is_lent = w->is_lent};
    pass_stage(s, RG_PUBLISHED);
    return true;
}

/* ---- reduced ---- */

static void describe(char *out, size_t size, int rank, const rg_rank_round *r)
{
    (void)snprintf(out, size, "rank %d calls %s of %llu %s (dtype %u, op %u, root %u)", rank,
                   r->kind < RG_GROUP_KINDS ? kind_names[r->kind] : "?",
                   (unsigned long long)r->whole, r->kind == RG_GROUP_LIST ? "items" : "bytes",
                   r->dtype, r->op, r->root);
}

static rg_status check_agreement(const rg_shared *s, uint64_t round)
{
    const rg_rank_round *a = rg_rank_memory_round(s->memory, 0, round);
    for (int i = 0; i < s->size; i++) {
        const rg_rank_round *b = rg_rank_memory_round(s->memory, i, round);
        char one[160], other[160];
        if (b->bytes > RG_RANK_PIECE ||
            b->at > (b->is_lent ? RG_LENT_BYTES : RG_RANK_AREA) - b->bytes)
            return rg_fail(RG_ECORRUPT, "rank %d has %llu bytes at %llu", i,
                           (unsigned long long)b->bytes, (unsigned long long)b->at);
        if (a->kind == b->kind && (a->whole == b->whole || a->kind == RG_GROUP_LIST) &&
            a->dtype == b->dtype && a->op == b->op && a->root == b->root)
            continue;
        describe(one, sizeof one, 0, a);
        describe(other, sizeof other, i, b);
        return rg_fail(RG_ECLOSED, "%s, and %s: members must call the same", one, other);
    }
    return RG_OK;
}

static const uint8_t *theirs(const rg_shared *s, int rank, uint64_t round)
{
    const rg_rank_round *r = rg_rank_memory_round(s->memory, rank, round);
    return r->is_lent ? rg_rank_memory_lent(s->memory, rank, r->at, r->bytes)
                      : rg_rank_memory_area(s->memory, rank) + r->at;
}

/* Where our numbers of a round are that the others look at. */
static uint8_t *ours(const rg_shared *s, const rg_group_work *w, uint64_t round)
{
    const rg_rank_round *r = rg_rank_memory_round(s->memory, s->rank, round);
    return r->is_lent ? (uint8_t *)w->data + (r->at - w->lent_at)
                      : rg_rank_memory_area(s->memory, s->rank) + r->at;
}

/* The sum of `n` elements, from `begin` on, of what all have; `own` are all of ours. Of two ranks
 * the sum may stand where those are: each is read before it is written. */
static void add_up(const rg_shared *s, const rg_group_work *w, uint64_t round, const uint8_t *own,
                   uint8_t *to, size_t begin, size_t n)
{
    size_t each = rg_dtype_size(w->dtype), block = s->size > 2 ? BLOCK / each : n;
    for (size_t at = 0, part; at < n; at += part) {
        const void *sum = NULL;
        part = smaller(n - at, block);
        for (int i = 0; i < s->size; i++) {
            const uint8_t *of = (i == s->rank ? own : theirs(s, i, round)) + (begin + at) * each;
            if (i > 0)
                rg_group_combine(to + at * each, sum, of, part, w->dtype, w->op);
            sum = i > 0 ? to + at * each : of;
        }
    }
}

/* The same everywhere, since it is by what all have published. */
static bool in_shares(const rg_shared *s, const rg_group_work *w, uint64_t round)
{
    if (w->kind != RG_GROUP_REDUCE)
        return false;
    for (int i = 0; i < s->size; i++)
        if (rg_rank_memory_round(s->memory, i, round)->is_lent)
            return true;
    return s->size > 2 && rg_rank_memory_round(s->memory, s->rank, round)->bytes >= SHARED_FROM;
}

/* Shares begin at a line. In bytes. */
static span share_of(const rg_shared *s, size_t bytes, int rank)
{
    size_t each = (bytes / (size_t)s->size + ALIGN - 1) / ALIGN * ALIGN;
    return (span){smaller(bytes, each * (size_t)rank), smaller(bytes, each * ((size_t)rank + 1))};
}

/* A share is read by its rank alone, so that its sum may stand where our part of it was. */
static void add_up_share(const rg_shared *s, const rg_group_work *w, uint64_t round)
{
    size_t each = rg_dtype_size(w->dtype);
    span share = share_of(s, (size_t)rg_rank_memory_round(s->memory, s->rank, round)->bytes,
                          s->rank);
    uint8_t *own = ours(s, w, round);
    _Alignas(ALIGN) uint8_t block[BLOCK];
    if (s->size == 2) {
        add_up(s, w, round, own, own + share.begin, share.begin / each,
               (share.end - share.begin) / each);
        return;
    }
    for (size_t at = share.begin, part; at < share.end; at += part) {
        part = smaller(share.end - at, BLOCK);
        add_up(s, w, round, own, block, at / each, part / each);
        memcpy(own + at, block, part);
    }
}

/* How many items each has is known now: there is room for them, and the number of rounds. */
static rg_status measure_list(const rg_shared *s, rg_group_work *w, uint64_t round)
{
    size_t all = 0, most = 1;
    for (int i = 0; i < s->size; i++) {
        size_t bytes;
        w->counts[i] = rg_rank_memory_round(s->memory, i, round)->whole;
        if (!rg_mul_size((size_t)w->counts[i], w->list.item_bytes[0] + w->list.item_bytes[1],
                         &bytes) ||
            bytes > SIZE_MAX / 2 - all)
            return rg_fail(RG_ETOOBIG, "%llu items of rank %d", (unsigned long long)w->counts[i],
                           i);
        all += (size_t)w->counts[i];
        size_t rounds = (bytes + RG_RANK_PIECE - 1) / RG_RANK_PIECE;
        most = rounds > most ? rounds : most;
    }
    for (int c = 0; c < w->list.columns; c++) {
        w->columns[c] = w->list.room(w->list.user, c, all * w->list.item_bytes[c]);
        if (w->columns[c] == NULL)
            return rg_no_memory(all * w->list.item_bytes[c], "what all ranks have");
    }
    w->rounds = most;
    return RG_OK;
}

static rg_status reduce(rg_shared *s, bool *moved)
{
    rg_group_work *w = s->current[RG_REDUCED];
    uint64_t round = s->at[RG_REDUCED];
    *moved = false;
    if (w == NULL || round == s->at[RG_PUBLISHED] ||
        rg_rank_memory_behind(s->memory, RG_PUBLISHED, round + 1) >= 0)
        return RG_OK;
    RG_TRY(check_agreement(s, round));
    if (w->rounds == 0) {
        RG_TRY(measure_list(s, w, round));
        if (w->passed[RG_PUBLISHED] == w->rounds)
            s->current[RG_PUBLISHED] = w->next;
    }
    if (in_shares(s, w, round))
        add_up_share(s, w, round);
    pass_stage(s, RG_REDUCED);
    *moved = true;
    return RG_OK;
}

/* ---- consumed ---- */

static void take_sum(const rg_shared *s, const rg_group_work *w, uint64_t round, uint8_t *to,
                     size_t bytes)
{
    const uint8_t *own = ours(s, w, round);
    if (!in_shares(s, w, round)) {
        add_up(s, w, round, s->size == 2 ? to : own, to, 0, bytes / rg_dtype_size(w->dtype));
        return;
    }
    for (int i = 0; i < s->size; i++) {
        span share = share_of(s, bytes, i);
        const uint8_t *from = i == s->rank ? own : theirs(s, i, round);
        if (from != to) /* else it is there */
            memcpy(to + share.begin, from + share.begin, share.end - share.begin);
    }
}

static void take_list(const rg_shared *s, const rg_group_work *w, uint64_t round, size_t from)
{
    const rg_group_list *l = &w->list;
    size_t before = 0;
    for (int i = 0; i < s->size; i++) {
        size_t n = (size_t)w->counts[i];
        const size_t bytes[2] = {n * l->item_bytes[0], n * l->item_bytes[1]};
        uint8_t *columns[2] = {w->columns[0] + before * l->item_bytes[0],
                               w->columns[1] + before * l->item_bytes[1]};
        copy_columns(columns, bytes, from, (uint8_t *)(uintptr_t)theirs(s, i, round),
                     (size_t)rg_rank_memory_round(s->memory, i, round)->bytes, false);
        before += n;
    }
}

static void take(const rg_shared *s, const rg_group_work *w)
{
    uint64_t round = s->at[RG_CONSUMED];
    size_t from = w->passed[RG_CONSUMED] * RG_RANK_PIECE;
    if (w->kind == RG_GROUP_LIST) {
        take_list(s, w, round, from);
        return;
    }
    for (int i = 0; i < s->size; i++) {
        size_t n = (size_t)rg_rank_memory_round(s->memory, i, round)->bytes;
        if (n == 0 || (w->kind == RG_GROUP_REDUCE && i != s->rank))
            continue;
        if (w->kind == RG_GROUP_REDUCE)
            take_sum(s, w, round, (uint8_t *)w->data + from, n);
        else if (w->kind == RG_GROUP_GATHER)
            memcpy((uint8_t *)w->data + w->n * (size_t)i + from, theirs(s, i, round), n);
        else if (i != s->rank)
            memcpy((uint8_t *)w->data + from, theirs(s, i, round), n);
    }
}

static bool consume(rg_shared *s)
{
    rg_group_work *w = s->current[RG_CONSUMED];
    uint64_t round = s->at[RG_CONSUMED];
    if (w == NULL || round == s->at[RG_REDUCED] ||
        (in_shares(s, w, round) && rg_rank_memory_behind(s->memory, RG_REDUCED, round + 1) >= 0))
        return false;
    take(s, w);
    pass_stage(s, RG_CONSUMED);
    if (w->passed[RG_CONSUMED] == w->rounds) {
        s->first = w->next;
        s->last = s->first != NULL ? s->last : NULL;
        w->is_over = true;
        w->end = s->at[RG_CONSUMED];
    }
    return true;
}

/* ---- operations ---- */

/* The group is of no more use: whatever is under way ends. */
static void give_up(rg_shared *s, rg_status code)
{
    s->code = code;
    (void)snprintf(s->why, sizeof s->why, "%s", rg_error_message());
    rg_lent_leave(); /* others may still look at what this process frees now */
    for (rg_group_work *w = s->first; w != NULL; w = w->next)
        w->is_over = true, w->code = code;
    s->first = s->last = NULL;
    for (int i = 0; i < RG_STAGES; i++)
        s->current[i] = NULL;
}

/* Who has an operation that is under way may look at it later. */
void rg_shared_free(rg_shared *s)
{
    if (s == NULL)
        return;
    if (s->first != NULL)
        give_up(s, rg_fail(RG_ECLOSED, "the group has ended"));
    rg_rank_memory_close(s->memory);
    rg_free(s);
}

/* What others wait for first. */
static void proceed(rg_shared *s)
{
    for (bool moved = true; moved;) {
        moved = publish(s);
        if (moved)
            continue;
        rg_status code = reduce(s, &moved);
        if (code != RG_OK) {
            give_up(s, code);
            return;
        }
        if (!moved)
            moved = consume(s);
    }
}

void rg_shared_start(rg_shared *s, rg_group_work *w)
{
    size_t bytes = w->kind == RG_GROUP_BROADCAST ? w->n : bytes_of(w, s->rank, w->list.n);
    if (s->code != RG_OK) {
        w->is_over = true;
        w->code = s->code;
        return;
    }
    w->is_lent = w->kind == RG_GROUP_REDUCE && bytes > 0 && rg_shared_lends(s) &&
                 rg_lent_find(w->data, bytes, &w->lent_at);
    w->rounds = bytes > 0 ? (bytes + RG_RANK_PIECE - 1) / RG_RANK_PIECE : 1;
    if (w->kind == RG_GROUP_LIST)
        w->rounds = 0;
    if (s->last != NULL)
        s->last->next = w;
    else
        s->first = w;
    s->last = w;
    for (int i = 0; i < RG_STAGES; i++)
        if (s->current[i] == NULL)
            s->current[i] = w;
    proceed(s);
}

/* The round that is next to be over is the one that others may still owe us something for. */
static rg_status wait_for_others(rg_shared *s)
{
    uint64_t round = s->at[RG_CONSUMED];
    rg_stage stage = RG_CONSUMED;
    const char *what = kind_names[s->first->kind];
    int rank = 0;
    if (s->at[RG_REDUCED] > round)
        stage = RG_REDUCED;
    else if (s->at[RG_PUBLISHED] > round)
        stage = RG_PUBLISHED;
    if (stage != RG_CONSUMED) {
        rank = rg_rank_memory_behind(s->memory, stage, round + 1);
        return rank < 0 ? RG_OK : rg_rank_memory_wait(s->memory, rank, stage, round + 1, what);
    }
    for (int i = 1; i < s->size; i++) /* for room in our area: by who is furthest behind */
        if (rg_rank_memory_stage(s->memory, i, stage) <
            rg_rank_memory_stage(s->memory, rank, stage))
            rank = i;
    uint64_t is = rg_rank_memory_stage(s->memory, rank, stage);
    return is == round ? RG_OK : rg_rank_memory_wait(s->memory, rank, stage, is + 1, what);
}

/* What was lent is the caller's own again when all have taken their part of it. */
static rg_status wait_for_lent(rg_shared *s, const rg_group_work *w)
{
    int rank;
    while (w->code == RG_OK && s->code == RG_OK &&
           (rank = rg_rank_memory_behind(s->memory, RG_CONSUMED, w->end)) >= 0)
        RG_TRY(rg_rank_memory_wait(s->memory, rank, RG_CONSUMED, w->end, kind_names[w->kind]));
    return RG_OK;
}

rg_status rg_shared_wait(rg_shared *s, rg_group_work *w)
{
    proceed(s);
    while (!w->is_over) {
        rg_status code = wait_for_others(s);
        if (code != RG_OK)
            give_up(s, code);
        else
            proceed(s);
    }
    if (w->is_lent) {
        rg_status code = wait_for_lent(s, w);
        if (code != RG_OK)
            give_up(s, code);
        w->code = w->code != RG_OK ? w->code : code;
    }
    return w->code == RG_OK ? RG_OK : rg_fail(w->code, "%s", s->why);
}
