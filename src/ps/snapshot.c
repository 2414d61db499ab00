/* snapshot.c - files of a server's whole state. */
#include "ps/snapshot.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "sys/fault.h"
#include "sys/log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE  "ckpt-"
#define DELTA  "delta-"
#define UNDONE ".tmp"

static void name_of(char name[64], bool delta, uint64_t number, const char *end)
{
    (void)snprintf(name, 64, "%s%016llx%s", delta ? DELTA : WHOLE, (unsigned long long)number, end);
}

/* ---- those of a folder ---- */

typedef struct one {
    uint64_t number;
    bool delta;
} one;

typedef struct listing {
    one *list; /* owned; growing */
    size_t n, cap;
    const rg_folder *folder;
    bool clean; /* what was not finished goes */
} listing;

static rg_status note(void *arg, const char *name)
{
    listing *l = arg;
    char same[64], *end;
    bool delta = strncmp(name, DELTA, strlen(DELTA)) == 0;
    const char *prefix = delta ? DELTA : WHOLE;
    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return RG_OK;
    uint64_t number = strtoull(name + strlen(prefix), &end, 16);
    if (l->clean && strcmp(end, UNDONE) == 0)
        return rg_folder_remove(l->folder, name);
    name_of(same, delta, number, "");
    if (strcmp(name, same) != 0)
        return RG_OK;
    RG_TRY(rg_grow((void **)&l->list, l->n, &l->cap, sizeof *l->list));
    l->list[l->n++] = (one){number, delta};
    return RG_OK;
}

static int compare(const void *a, const void *b)
{
    const one *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (int)y->delta - (int)x->delta; /* a whole one behind a delta that says the same */
}

static rg_status list_all(listing *l)
{
    RG_TRY(rg_folder_each(l->folder, note, l));
    if (l->n > 1)
        qsort(l->list, l->n, sizeof *l->list, compare);
    return RG_OK;
}

/* ---- writing ---- */

struct rg_snapshot {
    const rg_folder *folder;
    uint64_t number;
    bool delta;
    pthread_mutex_t lock;
    rg_file *file;
    uint64_t first, next, bytes; /* numbers of its first record, and of the next */
    rg_buf last; /* of add_last(): u32 kind, u64 bytes, the bytes; one behind the other */
    rg_status failed;
    char why[512];
};

static rg_status begin(rg_snapshot **out, const rg_folder *folder, const rg_records_about *about,
                       uint64_t number)
{
    char name[64];
    rg_snapshot *s = rg_alloc_zero(1, sizeof *s);
    if (s == NULL)
        return rg_no_memory(sizeof *s, "a snapshot");
    s->folder = folder;
    s->number = number;
    s->delta = about->kind == RG_RECORDS_DELTA;
    s->next = s->first = about->first;
    name_of(name, s->delta, number, UNDONE);
    (void)rg_fault("snapshot.begin");
    rg_status code = rg_folder_remove(folder, name);
    if (code == RG_OK)
        code = rg_records_create(&s->file, folder, name, about, NULL);
    if (code != RG_OK) {
        rg_free(s);
        return code;
    }
    pthread_mutex_init(&s->lock, NULL);
    rg_buf_init(&s->last, 0);
    *out = s;
    return RG_OK;
}

rg_status rg_snapshot_begin(rg_snapshot **out, const rg_folder *folder, uint64_t lineage,
                            uint64_t number)
{
    return begin(out, folder, &(rg_records_about){RG_RECORDS_SNAPSHOT, lineage, 0}, number);
}

rg_status rg_snapshot_begin_delta(rg_snapshot **out, const rg_folder *folder, uint64_t lineage,
                                  uint64_t number, uint64_t base)
{
    if (base >= number)
        return rg_fail(RG_EINVAL, "a delta from %llu to %llu", (unsigned long long)base,
                       (unsigned long long)number);
    return begin(out, folder, &(rg_records_about){RG_RECORDS_DELTA, lineage, base}, number);
}

bool rg_snapshot_is_delta(const rg_snapshot *s)
{
    return s->delta;
}

rg_status rg_snapshot_add(rg_snapshot *s, uint32_t kind, const rg_iov *pieces, size_t n)
{
    pthread_mutex_lock(&s->lock);
    rg_status code = s->failed;
    if (code != RG_OK)
        rg_set_message("%s", s->why);
    else
        code = rg_records_append(s->file, kind, s->next, pieces, n);
    if (code == RG_OK) {
        s->next++;
        for (size_t i = 0; i < n; i++)
            s->bytes += pieces[i].bytes;
    } else if (s->failed == RG_OK) {
        s->failed = code;
        (void)snprintf(s->why, sizeof s->why, "%s", rg_error_message());
    }
    pthread_mutex_unlock(&s->lock);
    return code;
}

rg_status rg_snapshot_add_last(rg_snapshot *s, uint32_t kind, const rg_iov *pieces, size_t n)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += pieces[i].bytes;
    pthread_mutex_lock(&s->lock);
    rg_buf_u32(&s->last, kind);
    rg_buf_u64(&s->last, bytes);
    for (size_t i = 0; i < n; i++)
        rg_buf_add(&s->last, pieces[i].at, pieces[i].bytes);
    rg_status code = rg_buf_status(&s->last);
    pthread_mutex_unlock(&s->lock);
    return code;
}

static rg_status write_last(rg_snapshot *s)
{
    rg_cursor in = {s->last.data, s->last.len};
    RG_TRY(rg_snapshot_add(s, RG_RECORD_LAST, NULL, 0));
    while (in.left > 0) {
        uint32_t kind;
        uint64_t bytes;
        const uint8_t *body;
        RG_TRY(rg_cursor_u32(&in, &kind));
        RG_TRY(rg_cursor_u64(&in, &bytes));
        RG_TRY(rg_cursor_take(&in, (size_t)bytes, &body));
        RG_TRY(rg_snapshot_add(s, kind, &(rg_iov){body, (size_t)bytes}, 1));
    }
    return RG_OK;
}

void rg_snapshot_gather(rg_snapshot *s)
{
    pthread_mutex_lock(&s->lock);
    rg_file_gather(s->file);
    pthread_mutex_unlock(&s->lock);
}

rg_status rg_snapshot_sync(rg_snapshot *s)
{
    return rg_file_sync(s->file);
}

uint64_t rg_snapshot_bytes(rg_snapshot *s)
{
    pthread_mutex_lock(&s->lock);
    uint64_t bytes = s->bytes;
    pthread_mutex_unlock(&s->lock);
    return bytes;
}

static void free_snapshot(rg_snapshot *s)
{
    rg_file_close(s->file);
    rg_buf_fini(&s->last);
    pthread_mutex_destroy(&s->lock);
    rg_free(s);
}

void rg_snapshot_abandon(rg_snapshot *s)
{
    char name[64];
    if (s == NULL)
        return;
    name_of(name, s->delta, s->number, UNDONE);
    (void)rg_folder_remove(s->folder, name); /* else the next one does */
    free_snapshot(s);
}

/* All before the last two that are whole. */
static rg_status drop_older(const rg_folder *folder, uint64_t *oldest)
{
    listing all = {.folder = folder, .clean = true};
    size_t drop = 0, wholes = 0;
    rg_status code = list_all(&all);
    for (size_t i = all.n; code == RG_OK && i-- > 0 && wholes < RG_SNAPSHOTS_KEPT;)
        if (!all.list[i].delta) {
            drop = i;
            wholes++;
        }
    drop = wholes == RG_SNAPSHOTS_KEPT ? drop : 0;
    for (size_t i = 0; code == RG_OK && i < drop; i++) {
        char name[64];
        name_of(name, all.list[i].delta, all.list[i].number, "");
        (void)rg_fault("snapshot.drop");
        code = rg_folder_remove(folder, name);
    }
    if (code == RG_OK && all.n > 0)
        *oldest = all.list[drop].number;
    rg_free(all.list);
    return code;
}

static rg_status put_in_place(rg_snapshot *s)
{
    char undone[64], name[64];
    uint8_t count[8];
    RG_TRY(write_last(s));
    rg_record_put_u64(count, s->next - s->first);
    RG_TRY(rg_snapshot_add(s, RG_RECORD_END, &(rg_iov){count, sizeof count}, 1));
    RG_TRY(rg_file_gather_end(s->file));
    (void)rg_fault("snapshot.sync");
    RG_TRY(rg_file_sync(s->file));
    name_of(undone, s->delta, s->number, UNDONE);
    name_of(name, s->delta, s->number, "");
    (void)rg_fault("snapshot.rename");
    RG_TRY(rg_folder_move(s->folder, undone, s->folder, name));
    (void)rg_fault("snapshot.renamed");
    return rg_folder_sync(s->folder);
}

rg_status rg_snapshot_finish(rg_snapshot *s, uint64_t *oldest)
{
    rg_status code = put_in_place(s);
    *oldest = 0;
    if (code == RG_OK)
        code = drop_older(s->folder, oldest);
    if (code != RG_OK) {
        rg_snapshot_abandon(s);
        return code;
    }
    free_snapshot(s);
    return RG_OK;
}

/* ---- reading ---- */

typedef struct reading {
    const listing *all;
    uint64_t lineage; /* 0: any; that of the newest is the first that is read */
    rg_status (*each)(void *arg, const rg_record *record);
    void *arg;
} reading;

/* Its records; where it is not the newest not the last of them. */
static rg_status read_records(const reading *r, rg_records_reader *reader, const char *name,
                              bool newest)
{
    const char *folder = rg_folder_path(r->all->folder);
    bool more = true, ended = false, last = false;
    rg_record record;
    for (;;) {
        RG_TRY(rg_records_next(reader, &record, &more));
        if (!more)
            break;
        if (ended)
            return rg_fail(RG_ECORRUPT, "%s/%s is damaged at byte %llu: it goes on behind its end",
                           folder, name, (unsigned long long)rg_records_offset(reader));
        ended = record.kind == RG_RECORD_END;
        last = last || record.kind == RG_RECORD_LAST;
        if (!ended && record.kind != RG_RECORD_LAST && (newest || !last) && r->each != NULL)
            RG_TRY(r->each(r->arg, &record));
    }
    if (!ended)
        return rg_fail(RG_ECORRUPT, "%s/%s is damaged at byte %llu: it has no end", folder, name,
                       (unsigned long long)rg_records_size(reader));
    return RG_OK;
}

static rg_status read_at(reading *r, size_t at, bool newest);

/* What this one goes on from. */
static rg_status read_base(reading *r, size_t at, const char *name, const rg_records_about *about)
{
    size_t base = at;
    while (base > 0 && r->all->list[base - 1].number >= about->first)
        base--;
    if (base < at && r->all->list[base].number == about->first) {
        while (base + 1 < at && r->all->list[base + 1].number == about->first)
            base++; /* the whole one */
        return read_at(r, base, false);
    }
    return rg_fail(RG_ECORRUPT, "%s/%s goes on from number %llu, which is not there",
                   rg_folder_path(r->all->folder), name, (unsigned long long)about->first);
}

static rg_status read_at(reading *r, size_t at, bool newest)
{
    const one *which = &r->all->list[at];
    rg_records_reader *reader = NULL;
    rg_records_about about;
    char name[64];
    name_of(name, which->delta, which->number, "");
    RG_TRY(rg_records_open(&reader, r->all->folder, name, &about));
    rg_status code = RG_OK;
    if (about.kind != (which->delta ? RG_RECORDS_DELTA : RG_RECORDS_SNAPSHOT))
        code = rg_fail(RG_ECORRUPT, "%s/%s is another kind of file", rg_folder_path(r->all->folder),
                       name);
    else if (r->lineage != 0 && about.lineage != r->lineage)
        code = rg_fail(RG_ECORRUPT, "%s/%s is of another life of its server",
                       rg_folder_path(r->all->folder), name);
    r->lineage = about.lineage;
    if (code == RG_OK && which->delta)
        code = read_base(r, at, name, &about);
    if (code == RG_OK)
        code = read_records(r, reader, name, newest);
    rg_records_close(reader);
    return code;
}

typedef rg_status (*take_record)(void *arg, const rg_record *record);

static rg_status find(const rg_folder *folder, uint64_t below, take_record each, void *arg,
                      rg_snapshot_found *found)
{
    listing all = {.folder = folder};
    char why[512] = "";
    rg_status code = list_all(&all);
    while (all.n > 0 && all.list[all.n - 1].number >= below)
        all.n--;
    if (code == RG_OK)
        code = all.n == 0 ? rg_fail(RG_ENOENT, "there is no snapshot") : RG_ECORRUPT;
    for (size_t i = all.n; code == RG_ECORRUPT && i-- > 0;) {
        reading r = {.all = &all, .each = each, .arg = arg};
        code = read_at(&r, i, true);
        *found = (rg_snapshot_found){r.lineage, all.list[i].number, all.list[i].delta};
        if (code == RG_ECORRUPT)
            rg_log(RG_LOG_W, "ps", "\"%s; %s\"", rg_error_message(),
                   i > 0 ? "the snapshot before it is taken" : "there is none before it");
        if (code == RG_ECORRUPT && why[0] == '\0')
            (void)snprintf(why, sizeof why, "%s", rg_error_message());
    }
    rg_free(all.list);
    return code == RG_ECORRUPT ? rg_fail(code, "no snapshot is whole: %s", why) : code;
}

rg_status rg_snapshot_newest(const rg_folder *folder, rg_snapshot_found *found)
{
    return find(folder, UINT64_MAX, NULL, NULL, found);
}

rg_status rg_snapshot_see(const rg_folder *folder, take_record each, void *arg,
                          rg_snapshot_found *found)
{
    return find(folder, UINT64_MAX, each, arg, found);
}

rg_status rg_snapshot_before(const rg_folder *folder, uint64_t below, rg_snapshot_found *found)
{
    return find(folder, below, NULL, NULL, found);
}

rg_status rg_snapshot_read(const rg_folder *folder, const rg_snapshot_found *found,
                           rg_status (*each)(void *arg, const rg_record *record), void *arg)
{
    listing all = {.folder = folder};
    reading r = {&all, 0, each, arg};
    rg_status code = list_all(&all);
    size_t at = all.n;
    while (code == RG_OK && at > 0 &&
           (all.list[at - 1].number != found->number || all.list[at - 1].delta != found->delta))
        at--;
    if (code == RG_OK)
        code = at > 0 ? read_at(&r, at - 1, true)
                      : rg_fail(RG_ENOENT, "there is no snapshot %llu",
                                (unsigned long long)found->number);
    rg_free(all.list);
    return code;
}
