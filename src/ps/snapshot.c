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

#define PREFIX "ckpt-"
#define UNDONE ".tmp"

static void name_of(char name[64], uint64_t number, const char *end)
{
    (void)snprintf(name, 64, PREFIX "%016llx%s", (unsigned long long)number, end);
}

/* ---- those of a folder ---- */

typedef struct listing {
    uint64_t *numbers; /* owned; growing */
    size_t n, cap;
    const rg_folder *folder;
    bool clean; /* what was not finished goes */
} listing;

static rg_status note(void *arg, const char *name)
{
    listing *l = arg;
    char same[64], *end;
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return RG_OK;
    uint64_t number = strtoull(name + strlen(PREFIX), &end, 16);
    if (l->clean && strcmp(end, UNDONE) == 0)
        return rg_folder_remove(l->folder, name);
    name_of(same, number, "");
    if (strcmp(name, same) != 0)
        return RG_OK;
    RG_TRY(rg_grow((void **)&l->numbers, l->n, &l->cap, sizeof *l->numbers));
    l->numbers[l->n++] = number;
    return RG_OK;
}

/* ---- writing ---- */

struct rg_snapshot {
    const rg_folder *folder;
    uint64_t number;
    pthread_mutex_t lock;
    rg_file *file;
    uint64_t next, bytes;
    rg_buf last; /* of add_last(): u32 kind, u64 bytes, the bytes; one behind the other */
    rg_status failed;
    char why[512];
};

rg_status rg_snapshot_begin(rg_snapshot **out, const rg_folder *folder, uint64_t lineage,
                            uint64_t number)
{
    char name[64];
    rg_snapshot *s = rg_alloc_zero(1, sizeof *s);
    if (s == NULL)
        return rg_no_memory(sizeof *s, "a snapshot");
    s->folder = folder;
    s->number = number;
    name_of(name, number, UNDONE);
    (void)rg_fault("snapshot.begin");
    rg_status code = rg_folder_remove(folder, name);
    if (code == RG_OK)
        code = rg_records_create(&s->file, folder, name,
                                 &(rg_records_about){RG_RECORDS_SNAPSHOT, lineage, 0});
    if (code != RG_OK) {
        rg_free(s);
        return code;
    }
    pthread_mutex_init(&s->lock, NULL);
    rg_buf_init(&s->last, 0);
    *out = s;
    return RG_OK;
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
    name_of(name, s->number, UNDONE);
    (void)rg_folder_remove(s->folder, name); /* else the next one does */
    free_snapshot(s);
}

/* Those before the last two. */
static rg_status drop_older(const rg_folder *folder, uint64_t *oldest)
{
    listing all = {.folder = folder, .clean = true};
    rg_status code = rg_folder_each(folder, note, &all);
    size_t drop = all.n > RG_SNAPSHOTS_KEPT ? all.n - RG_SNAPSHOTS_KEPT : 0;
    for (size_t i = 0; code == RG_OK && i < drop; i++) {
        char name[64];
        name_of(name, all.numbers[i], "");
        (void)rg_fault("snapshot.drop");
        code = rg_folder_remove(folder, name);
    }
    if (code == RG_OK && all.n > 0)
        *oldest = all.numbers[drop];
    rg_free(all.numbers);
    return code;
}

static rg_status put_in_place(rg_snapshot *s)
{
    char undone[64], name[64];
    uint8_t count[8];
    RG_TRY(write_last(s));
    for (int i = 0; i < 8; i++)
        count[i] = (uint8_t)(s->next >> (8 * i));
    RG_TRY(rg_snapshot_add(s, RG_RECORD_END, &(rg_iov){count, sizeof count}, 1));
    (void)rg_fault("snapshot.sync");
    RG_TRY(rg_file_sync(s->file));
    name_of(undone, s->number, UNDONE);
    name_of(name, s->number, "");
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

static rg_status read_all(const rg_folder *folder, uint64_t number, uint64_t *lineage,
                          rg_status (*each)(void *arg, const rg_record *record), void *arg)
{
    char name[64];
    rg_records_reader *reader = NULL;
    rg_records_about about;
    rg_record record;
    bool more = true, ended = false;
    name_of(name, number, "");
    RG_TRY(rg_records_open(&reader, folder, name, &about));
    rg_status code = RG_OK;
    while (code == RG_OK && more) {
        code = rg_records_next(reader, &record, &more);
        if (code != RG_OK || !more)
            break;
        if (ended)
            code = rg_fail(RG_ECORRUPT, "%s/%s is damaged at byte %llu: it goes on behind its end",
                           rg_folder_path(folder), name,
                           (unsigned long long)rg_records_offset(reader));
        ended = record.kind == RG_RECORD_END;
        if (code == RG_OK && !ended && each != NULL)
            code = each(arg, &record);
    }
    if (code == RG_OK && (!ended || about.kind != RG_RECORDS_SNAPSHOT))
        code = rg_fail(RG_ECORRUPT, "%s/%s is damaged at byte %llu: it has no end",
                       rg_folder_path(folder), name, (unsigned long long)rg_records_size(reader));
    *lineage = about.lineage;
    rg_records_close(reader);
    return code;
}

rg_status rg_snapshot_newest(const rg_folder *folder, uint64_t *lineage, uint64_t *number)
{
    return rg_snapshot_before(folder, UINT64_MAX, lineage, number);
}

rg_status rg_snapshot_before(const rg_folder *folder, uint64_t below, uint64_t *lineage,
                             uint64_t *number)
{
    listing all = {.folder = folder};
    char why[512] = "";
    rg_status code = rg_folder_each(folder, note, &all);
    while (all.n > 0 && all.numbers[all.n - 1] >= below)
        all.n--;
    if (code == RG_OK)
        code = all.n == 0 ? rg_fail(RG_ENOENT, "there is no snapshot") : RG_ECORRUPT;
    for (size_t i = all.n; code == RG_ECORRUPT && i-- > 0;) {
        *number = all.numbers[i];
        code = read_all(folder, *number, lineage, NULL, NULL);
        if (code == RG_ECORRUPT)
            rg_log(RG_LOG_W, "ps", "\"%s; %s\"", rg_error_message(),
                   i > 0 ? "the snapshot before it is taken" : "there is none before it");
        if (code == RG_ECORRUPT && why[0] == '\0')
            (void)snprintf(why, sizeof why, "%s", rg_error_message());
    }
    rg_free(all.numbers);
    return code == RG_ECORRUPT ? rg_fail(code, "no snapshot is whole: %s", why) : code;
}

rg_status rg_snapshot_read(const rg_folder *folder, uint64_t number,
                           rg_status (*each)(void *arg, const rg_record *record), void *arg)
{
    uint64_t lineage;
    return read_all(folder, number, &lineage, each, arg);
}
