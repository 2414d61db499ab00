/* journal.c - segments of a journal, and the thread that flushes them. */
#include "ps/journal.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/cond.h"
#include "sys/fault.h"
#include "sys/log.h"
#include "sys/metrics.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "journal-"
#define COMING PREFIX "next"  /* a segment, until all before it is on the disk */
#define FRONT  PREFIX "front" /* what stands in front of the last segment (sys/front.h) */
enum { BLOCK = 1 << 20 };     /* bytes there that are worth a write */
static const uint64_t SECOND = 1000000000, A_WHILE = 3600 * UINT64_C(1000000000);

rg_status rg_journal_mode_of(const char *text, rg_journal_mode *mode)
{
    static const char *const names[] = {"off", "everysec", "always"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *mode = (rg_journal_mode)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "FLAGS_ps_journal is '%s': off, everysec or always are possible",
                   text);
}

/* ---- the segments of a folder ---- */

typedef struct segments {
    uint64_t *first; /* owned; growing, as the names stand in the folder */
    size_t n, cap;
} segments;

static void name_of(char name[64], uint64_t first)
{
    (void)snprintf(name, 64, PREFIX "%016llx", (unsigned long long)first);
}

static rg_status note_segment(void *arg, const char *name)
{
    segments *s = arg;
    char same[64], *end;
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return RG_OK;
    uint64_t first = strtoull(name + strlen(PREFIX), &end, 16);
    name_of(same, first);
    if (strcmp(name, same) != 0)
        return RG_OK;
    RG_TRY(rg_grow((void **)&s->first, s->n, &s->cap, sizeof *s->first));
    s->first[s->n++] = first;
    return RG_OK;
}

/* ---- reading ---- */

typedef struct reading {
    const rg_folder *folder;
    uint64_t from, next, lineage;
    rg_status (*each)(void *arg, const rg_record *record);
    void *arg;
    bool repairs;
} reading;

/* The end of the last segment, as it is read. */
typedef struct ending {
    reading *of;
    const char *name;
    rg_records_reader *reader;
    rg_front_rest front; /* what a process left in front of it; owned */
    uint64_t joined;     /* from here on it is that which is read; 0: it is not */
} ending;

static void path_in(char path[4200], const reading *r, const char *name)
{
    (void)snprintf(path, 4200, "%s/%s", rg_folder_path(r->folder), name);
}

/* What is not whole was on the disk once, and so it is damaged; else it was being written when the
 * power went, or the process. */
static rg_status check_torn(const ending *e)
{
    char why[512];
    bool synced;
    (void)snprintf(why, sizeof why, "%s", rg_error_message());
    RG_TRY(rg_records_find(e->reader, RG_RECORD_SYNCED, e->of->next + 1, &synced));
    return !synced ? RG_OK
                   : rg_fail(RG_ECORRUPT,
                             "%s, and behind it stands that it had reached the disk: take the "
                             "snapshot before it, or begin anew with an empty folder",
                             why);
}

/* Whether what stands in front of it goes on where records end here. It may be older, or newer than
 * what is lost with the power: then the record that is read next is not the one that is due. */
static rg_status join_front(ending *e, bool *more)
{
    uint64_t here = rg_records_offset(e->reader), size = rg_records_size(e->reader);
    uint64_t end = e->front.at + e->front.n, at = here > e->front.at ? here : e->front.at;
    *more = false;
    if (e->joined != 0 || e->front.n == 0 || end <= here || at > size)
        return RG_OK;
    RG_TRY(
        rg_records_go_on(e->reader, at, e->front.bytes + (at - e->front.at), (size_t)(end - at)));
    e->joined = at;
    *more = true;
    return RG_OK;
}

/* All records are read, and what is behind them goes. What stood in front of it is in it then. */
static rg_status end_segment(const ending *e, bool torn)
{
    char path[4200];
    bool zeros = !torn;
    uint64_t end = rg_records_offset(e->reader), left = rg_records_size(e->reader) - end;
    if (torn)
        RG_TRY(rg_records_only_zeros(e->reader, &zeros));
    path_in(path, e->of, e->name);
    if (!zeros)
        rg_log(RG_LOG_W, "ps", "\"the end of %s was torn: %llu bytes are %s at byte %llu\"", path,
               (unsigned long long)left, e->of->repairs ? "cut off" : "passed over",
               (unsigned long long)end);
    if (!e->of->repairs)
        return RG_OK;
    return e->joined != 0 && e->joined < end
               ? rg_file_end_with(path, e->joined, e->front.bytes + (e->joined - e->front.at),
                                  (size_t)(end - e->joined))
               : rg_file_cut(path, end);
}

static rg_status read_records(ending *e, bool last)
{
    reading *r = e->of;
    rg_record record;
    bool more = true;
    while (true) {
        rg_status code = rg_records_next(e->reader, &record, &more);
        bool torn = code == RG_ECORRUPT;
        if (last && (torn || (code == RG_OK && !more))) {
            if (torn)
                RG_TRY(check_torn(e));
            RG_TRY(join_front(e, &more));
            if (more)
                continue;
            return end_segment(e, torn);
        }
        RG_TRY(code);
        if (!more)
            return RG_OK;
        if (record.kind != RG_RECORD_SYNCED && record.number >= r->from)
            RG_TRY(r->each(r->arg, &record));
        r->next = record.number + 1;
    }
}

static rg_status check_about(const reading *r, const rg_records_about *about, const char *name,
                             uint64_t first)
{
    const char *folder = rg_folder_path(r->folder);
    if (about->kind != RG_RECORDS_JOURNAL || about->first != first)
        return rg_fail(RG_ECORRUPT, "%s/%s is damaged at byte 0: it is another file", folder, name);
    if (r->lineage != 0 && about->lineage != r->lineage)
        return rg_fail(RG_ECORRUPT, "%s/%s is of another server, or of another life of it", folder,
                       name);
    if (first > r->next)
        return rg_fail(RG_ECORRUPT, "%s: records %llu to %llu are missing", folder,
                       (unsigned long long)r->next, (unsigned long long)first - 1);
    return RG_OK;
}

/* A file that was being begun has no records: it need not be there. One that cannot be looked into
 * may have some. */
static rg_status is_unborn(const reading *r, const char *name, bool *unborn)
{
    rg_file *file = NULL;
    RG_TRY(rg_folder_read(&file, r->folder, name));
    *unborn = rg_file_size(file) < RG_RECORDS_HEAD;
    rg_file_close(file);
    return RG_OK;
}

static rg_status read_segment(reading *r, const char *name, uint64_t first, bool last)
{
    ending e = {.of = r, .name = name};
    rg_records_about about;
    bool unborn = false;
    if (last)
        RG_TRY(is_unborn(r, name, &unborn));
    if (unborn)
        return r->repairs ? rg_folder_remove(r->folder, name) : RG_OK;
    RG_TRY(rg_records_open(&e.reader, r->folder, name, &about));
    rg_status code = check_about(r, &about, name, first);
    if (code == RG_OK && last)
        code = rg_front_read(&e.front, r->folder, FRONT, about.lineage, first);
    if (code == RG_OK) {
        r->lineage = about.lineage;
        r->next = first;
        code = read_records(&e, last);
    }
    rg_records_close(e.reader);
    rg_free(e.front.bytes);
    return code;
}

/* The segment with record `from`, or the first there is. */
static size_t begin_of(const segments *s, uint64_t from)
{
    size_t begin = 0;
    for (size_t i = 0; i < s->n && s->first[i] <= from; i++)
        begin = i;
    return begin;
}

/* What was appended while the segment before it was flushed. Where that ended well but for its name
 * it goes on there; where records between them are lost, with the power, so is it. */
static rg_status read_coming(reading *r)
{
    char path[4200], name[64];
    rg_records_reader *reader = NULL;
    rg_records_about about;
    bool unborn;
    path_in(path, r, COMING);
    if (!rg_path_exists(path))
        return RG_OK;
    RG_TRY(is_unborn(r, COMING, &unborn));
    rg_status code = unborn ? RG_ECORRUPT : rg_records_open(&reader, r->folder, COMING, &about);
    rg_records_close(reader);
    if (code == RG_ECORRUPT || (code == RG_OK && about.first != r->next)) {
        rg_log(RG_LOG_W, "ps", "\"%s is behind records that were lost: it is not read\"", path);
        return r->repairs ? rg_folder_remove(r->folder, COMING) : RG_OK;
    }
    RG_TRY(code);
    if (!r->repairs)
        return read_segment(r, COMING, about.first, true);
    name_of(name, about.first);
    RG_TRY(rg_folder_move(r->folder, COMING, r->folder, name));
    return read_segment(r, name, about.first, true);
}

static rg_status read_from(reading *r, uint64_t *lineage, uint64_t *next)
{
    segments all = {0};
    char name[64];
    rg_status code = rg_folder_each(r->folder, note_segment, &all);
    for (size_t i = begin_of(&all, r->from); code == RG_OK && i < all.n; i++) {
        name_of(name, all.first[i]);
        code = read_segment(r, name, all.first[i], i + 1 == all.n);
    }
    if (code == RG_OK && all.n > 0)
        code = read_coming(r);
    rg_free(all.first);
    /* What is missing at the end is in the snapshot. Numbers below its own would not be read. */
    *next = r->next < r->from ? r->from : r->next;
    *lineage = r->lineage;
    return code;
}

rg_status rg_journal_read(const rg_folder *folder, uint64_t from, uint64_t *lineage,
                          rg_status (*each)(void *arg, const rg_record *record), void *arg,
                          uint64_t *next)
{
    return read_from(&(reading){folder, from, from, *lineage, each, arg, true}, lineage, next);
}

rg_status rg_journal_look(const rg_folder *folder, uint64_t from, uint64_t *lineage,
                          rg_status (*each)(void *arg, const rg_record *record), void *arg,
                          uint64_t *next)
{
    return read_from(&(reading){folder, from, from, *lineage, each, arg, false}, lineage, next);
}

/* ---- writing ---- */

struct rg_journal {
    const rg_folder *folder;
    rg_journal_mode mode;
    uint64_t lineage;
    rg_journal_events events;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    rg_file *file;
    rg_front *front;      /* of it; NULL: records go to the file as they come */
    uint64_t next, first; /* of this segment */
    uint64_t synced;  /* records below it are on the disk, but for the journal's own at the end */
    uint64_t flushed; /* and all below this one are; */
    uint64_t wanted;  /* someone waits until it is so much */
    uint64_t bytes;   /* of this segment */
    bool syncing;     /* the thread uses the file */
    bool hurries;     /* someone waits for what was appended */
    bool stop;
    rg_status failed;
    char why[512];
};

static rg_status create_segment(rg_journal *j, const char *name)
{
    const rg_records_about about = {RG_RECORDS_JOURNAL, j->lineage, j->next};
    (void)rg_fault("journal.begin");
    RG_TRY(rg_folder_remove(j->folder, name)); /* of a life that ended before its first record */
    RG_TRY(rg_records_create(&j->file, j->folder, name, &about, j->front));
    if (j->front != NULL)
        RG_TRY(rg_front_write(j->front, true)); /* a segment that has no beginning is none */
    j->first = j->next;
    j->bytes = RG_RECORDS_HEAD;
    return RG_OK;
}

static rg_status begin_segment(rg_journal *j)
{
    char name[64];
    name_of(name, j->next);
    RG_TRY(create_segment(j, name));
    j->synced = j->flushed = j->next;
    RG_TRY(rg_file_sync(j->file));
    (void)rg_fault("journal.begun");
    return rg_folder_sync(j->folder);
}

/* With the lock. */
static void fail(rg_journal *j, rg_status code)
{
    if (j->failed != RG_OK)
        return;
    j->failed = code;
    (void)snprintf(j->why, sizeof j->why, "the journal cannot be written: %s", rg_error_message());
    (void)pthread_cond_broadcast(&j->change);
}

static rg_status append(rg_journal *j, uint32_t kind, const rg_iov *pieces, size_t n)
{
    uint64_t bytes = 0;
    if (j->failed != RG_OK)
        return rg_fail(j->failed, "%s", j->why);
    (void)rg_fault("journal.append");
    rg_status code = rg_records_append(j->file, kind, j->next, pieces, n);
    if (code != RG_OK) {
        fail(j, code);
        return rg_fail(code, "%s", j->why);
    }
    (void)rg_fault("journal.appended");
    for (size_t i = 0; i < n; i++)
        bytes += pieces[i].bytes;
    j->next++;
    j->bytes += rg_record_bytes(bytes);
    rg_metric_add(RG_M_JOURNAL, rg_record_bytes(bytes));
    return RG_OK;
}

static bool has_block(const rg_journal *j)
{
    return j->front != NULL && rg_front_waiting(j->front) >= BLOCK;
}

rg_status rg_journal_append(rg_journal *j, uint32_t kind, const rg_iov *pieces, size_t n,
                            uint64_t *number)
{
    pthread_mutex_lock(&j->lock);
    rg_status code = append(j, kind, pieces, n);
    if (number != NULL)
        *number = j->next - 1;
    if (j->mode == RG_JOURNAL_ALWAYS || has_block(j))
        (void)pthread_cond_broadcast(&j->change);
    pthread_mutex_unlock(&j->lock);
    return code;
}

/* With the lock, which is let go while the disk works. */
static void sync_now(rg_journal *j)
{
    uint64_t upto = j->next;
    rg_file *file = j->file;
    bool news = j->synced < upto;
    j->syncing = true;
    j->hurries = false;
    pthread_mutex_unlock(&j->lock);
    (void)rg_fault("journal.sync");
    rg_status code = rg_file_sync(file);
    rg_file_forget(file); /* where it went through the cache: for gigabytes, each page a new one */
    pthread_mutex_lock(&j->lock);
    j->syncing = false;
    (void)pthread_cond_broadcast(&j->change); /* who waits looks when the lock is let go */
    if (code != RG_OK) {
        fail(j, code);
        return;
    }
    uint8_t body[8];
    rg_record_put_u64(body, upto);
    j->synced = j->flushed = upto;
    if (!news)
        return;
    /* For its reader alone: there is nothing new to flush because of it. */
    if (append(j, RG_RECORD_SYNCED, &(rg_iov){body, sizeof body}, 1) == RG_OK &&
        j->next == upto + 1)
        j->synced = j->next;
}

/* The same: so that what follows has room in front of the file, and a flush little to do. */
static void write_blocks(rg_journal *j)
{
    j->syncing = true;
    pthread_mutex_unlock(&j->lock);
    rg_status code = rg_front_write(j->front, false);
    pthread_mutex_lock(&j->lock);
    j->syncing = false;
    (void)pthread_cond_broadcast(&j->change);
    if (code != RG_OK)
        fail(j, code);
}

/* Whether there is nothing to flush, or it is not the time. */
static bool is_idle(const rg_journal *j, uint64_t due_ns)
{
    bool all = j->synced == j->next && j->flushed >= j->wanted;
    return j->syncing || all ||
           (j->mode == RG_JOURNAL_EVERYSEC && rg_clock_ns() < due_ns && !j->hurries && !j->stop);
}

/* Until something has happened, or it is the time. */
static void wait_for_more(rg_journal *j, uint64_t due_ns)
{
    uint64_t now = rg_clock_ns();
    uint64_t a_second = now < due_ns && due_ns - now < SECOND ? due_ns - now : SECOND;
    (void)rg_cond_wait(&j->change, &j->lock, j->mode == RG_JOURNAL_ALWAYS ? A_WHILE : a_second);
}

static void *flush(void *arg)
{
    rg_journal *j = arg;
    bool told = false;
    pthread_mutex_lock(&j->lock);
    uint64_t durable = j->synced; /* as it was told */
    uint64_t due_ns = rg_clock_ns() + SECOND;
    while (!j->stop || (j->failed == RG_OK && (j->synced < j->next || durable < j->synced))) {
        if (j->failed != RG_OK && !told) {
            told = true;
            pthread_mutex_unlock(&j->lock);
            j->events.failed(j->events.user, j->failed, j->why);
            pthread_mutex_lock(&j->lock);
        } else if (j->failed == RG_OK && durable < j->synced) { /* by this thread, or by a cut */
            durable = j->synced;
            pthread_mutex_unlock(&j->lock);
            j->events.durable(j->events.user, durable);
            pthread_mutex_lock(&j->lock);
        } else if (j->failed == RG_OK && !is_idle(j, due_ns)) {
            due_ns = rg_clock_ns() + SECOND;
            sync_now(j);
        } else if (j->failed == RG_OK && !j->syncing && has_block(j)) {
            write_blocks(j);
        } else {
            wait_for_more(j, due_ns);
        }
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* A disk that has no room for it has none for records soon; where files cannot be mapped, records
 * go the common way. */
static rg_status open_front(rg_journal *j, size_t bytes)
{
    rg_status code = bytes > 0 ? rg_front_open(&j->front, j->folder, FRONT, bytes)
                               : rg_folder_remove(j->folder, FRONT);
    if (bytes == 0 || code == RG_OK)
        return code;
    rg_log(RG_LOG_W, "ps", "\"the journal goes through the system's cache: %s\"",
           rg_error_message());
    return rg_folder_remove(j->folder, FRONT);
}

static void end_front(rg_journal *j, rg_status *code)
{
    if (j->front == NULL)
        return;
    rg_status ended = rg_front_detach(j->front);
    rg_front_close(j->front);
    j->front = NULL;
    if (*code == RG_OK && (*code = ended) == RG_OK)
        *code = rg_folder_remove(j->folder, FRONT);
}

rg_status rg_journal_open(rg_journal **out, const rg_folder *folder, const rg_journal_about *about,
                          uint64_t next, const rg_journal_events *events)
{
    rg_journal *j = rg_alloc_zero(1, sizeof *j);
    if (j == NULL)
        return rg_no_memory(sizeof *j, "a journal");
    j->folder = folder;
    j->mode = about->mode;
    j->lineage = about->lineage;
    j->events = *events;
    j->next = next;
    pthread_mutex_init(&j->lock, NULL);
    rg_cond_init(&j->change);
    rg_status code = open_front(j, about->front_bytes);
    if (code == RG_OK)
        code = begin_segment(j);
    if (code == RG_OK && pthread_create(&j->thread, NULL, flush, j) != 0)
        code = rg_fail(RG_EIO, "cannot start a thread for the journal");
    if (code != RG_OK) {
        end_front(j, &code);
        rg_file_close(j->file);
        pthread_mutex_destroy(&j->lock);
        pthread_cond_destroy(&j->change);
        rg_free(j);
        return code;
    }
    *out = j;
    return RG_OK;
}

rg_status rg_journal_close(rg_journal *j)
{
    if (j == NULL)
        return RG_OK;
    pthread_mutex_lock(&j->lock);
    j->stop = true;
    (void)pthread_cond_broadcast(&j->change);
    pthread_mutex_unlock(&j->lock);
    (void)pthread_join(j->thread, NULL);
    rg_status code = j->failed == RG_OK ? RG_OK : rg_fail(j->failed, "%s", j->why);
    end_front(j, &code);
    rg_file_close(j->file);
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->change);
    rg_free(j);
    return code;
}

/* With the lock. */
static void hurry(rg_journal *j)
{
    j->hurries = true;
    (void)pthread_cond_broadcast(&j->change);
}

void rg_journal_hurry(rg_journal *j)
{
    pthread_mutex_lock(&j->lock);
    hurry(j);
    pthread_mutex_unlock(&j->lock);
}

rg_status rg_journal_wait(rg_journal *j)
{
    pthread_mutex_lock(&j->lock);
    uint64_t upto = j->next;
    j->wanted = upto;
    hurry(j);
    while (j->flushed < upto && j->failed == RG_OK)
        (void)rg_cond_wait(&j->change, &j->lock, SECOND);
    rg_status code = j->failed != RG_OK ? rg_fail(j->failed, "%s", j->why) : RG_OK;
    pthread_mutex_unlock(&j->lock);
    return code;
}

uint64_t rg_journal_next(rg_journal *j)
{
    pthread_mutex_lock(&j->lock);
    uint64_t next = j->next;
    pthread_mutex_unlock(&j->lock);
    return next;
}

uint64_t rg_journal_bytes(rg_journal *j)
{
    pthread_mutex_lock(&j->lock);
    uint64_t bytes = j->bytes;
    pthread_mutex_unlock(&j->lock);
    return bytes;
}

/* The old one is flushed while the new one is written; only then the new one has its name. */
static rg_status flush_both(const rg_journal *j, const rg_file *before, const rg_file *file,
                            uint64_t first)
{
    char name[64];
    name_of(name, first);
    (void)rg_fault("journal.cut");
    RG_TRY(rg_file_sync(before));
    RG_TRY(rg_file_sync(file));
    RG_TRY(rg_folder_move(j->folder, COMING, j->folder, name));
    (void)rg_fault("journal.begun");
    return rg_folder_sync(j->folder);
}

rg_status rg_journal_cut(rg_journal *j, uint64_t *first)
{
    pthread_mutex_lock(&j->lock);
    while (j->syncing)
        (void)rg_cond_wait(&j->change, &j->lock, SECOND);
    rg_status code = j->failed != RG_OK ? rg_fail(j->failed, "%s", j->why) : RG_OK;
    rg_file *before = NULL;
    if (code == RG_OK && j->next > j->first) {
        before = j->file;
        if (j->front != NULL)
            code = rg_front_detach(j->front);
        if (code == RG_OK)
            code = create_segment(j, COMING);
        if (code == RG_OK) {
            const rg_file *file = j->file;
            uint64_t upto = j->next;
            j->syncing = true;
            pthread_mutex_unlock(&j->lock);
            code = flush_both(j, before, file, upto);
            pthread_mutex_lock(&j->lock);
            j->syncing = false;
            j->synced = j->flushed = upto;
        }
        if (j->file != before)
            rg_file_close(before);
        if (code != RG_OK)
            fail(j, code);
        (void)pthread_cond_broadcast(&j->change);
    }
    *first = j->first;
    pthread_mutex_unlock(&j->lock);
    return code;
}

rg_status rg_journal_forget(rg_journal *j, uint64_t before)
{
    segments all = {0};
    rg_status code = rg_folder_each(j->folder, note_segment, &all);
    for (size_t i = 0; code == RG_OK && i + 1 < all.n && all.first[i + 1] <= before; i++) {
        char name[64];
        name_of(name, all.first[i]);
        (void)rg_fault("journal.forget");
        code = rg_folder_remove(j->folder, name);
    }
    rg_free(all.first);
    return code;
}
