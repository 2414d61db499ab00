/* records.c - files of numbered, checksummed records: written, and read with doubt. */
#include "ps/records.h"

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/cursor.h"
#include "base/mem.h"

#include <string.h>

static const char MAGIC[8] = "RGRECRD2"; /* the last is the version */
enum { ALIGN = 8, LOOK = 1 << 20, DISK_PAGE = 4096 };

static uint64_t padded(uint64_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

uint64_t rg_record_bytes(uint64_t body)
{
    return RG_RECORD_HEAD + padded(body);
}

static void put(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

void rg_record_put_u64(uint8_t out[8], uint64_t value)
{
    put(out, value, 8);
}

static uint64_t get(const uint8_t *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

/* ---- writing ---- */

rg_status rg_records_create(rg_file **out, const rg_folder *folder, const char *name,
                            const rg_records_about *about, rg_front *front)
{
    uint8_t head[RG_RECORDS_HEAD];
    memcpy(head, MAGIC, sizeof MAGIC);
    put(head + 8, about->lineage, 8);
    put(head + 16, about->first, 8);
    put(head + 28, (uint64_t)about->kind, 4);
    put(head + 24, rg_crc32c(rg_crc32c(0, head, 24), head + 28, 4), 4);
    RG_TRY(rg_folder_create(out, folder, name));
    rg_status code = front != NULL ? rg_front_attach(front, *out, about->lineage, about->first)
                                   : RG_OK;
    if (code == RG_OK)
        code = rg_file_append(*out, &(rg_iov){head, sizeof head}, 1);
    if (code != RG_OK) {
        if (front != NULL)
            (void)rg_front_detach(front);
        rg_file_close(*out);
        *out = NULL;
    }
    return code;
}

rg_status rg_records_append(rg_file *file, uint32_t kind, uint64_t number, const rg_iov *pieces,
                            size_t n)
{
    static const uint8_t zeros[ALIGN];
    rg_iov all[RG_RECORD_PIECES + 2];
    uint8_t head[RG_RECORD_HEAD];
    uint64_t bytes = 0;
    if (n > RG_RECORD_PIECES)
        return rg_fail(RG_EINVAL, "a record of %zu pieces", n);
    for (size_t i = 0; i < n; i++)
        bytes += pieces[i].bytes;
    put(head + 4, kind, 4);
    put(head + 8, number, 8);
    put(head + 16, bytes, 8);
    uint32_t crc = rg_crc32c(0, head + 4, sizeof head - 4);
    all[0] = (rg_iov){head, sizeof head};
    for (size_t i = 0; i < n; i++) {
        crc = rg_crc32c(crc, pieces[i].at, pieces[i].bytes);
        all[i + 1] = pieces[i];
    }
    all[n + 1] = (rg_iov){zeros, (size_t)(padded(bytes) - bytes)};
    put(head, crc, 4);
    return rg_file_append(file, all, n + 2);
}

/* ---- reading ---- */

struct rg_records_reader {
    rg_file *file;
    uint64_t at; /* in the file, where it is read next */
    uint64_t size;
    uint64_t split;      /* from here on it is not the file that is read, ... */
    const uint8_t *rest; /* ... but this, which is borrowed */
    rg_records_about about;
    uint64_t next;   /* the number that is expected */
    uint64_t offset; /* of the record that was read last, or failed */
    uint64_t end;    /* of it */
    uint8_t *body;   /* owned */
    size_t room;
};

rg_status rg_records_open(rg_records_reader **out, const rg_folder *folder, const char *name,
                          rg_records_about *about)
{
    uint8_t head[RG_RECORDS_HEAD];
    rg_file *file = NULL;
    RG_TRY(rg_folder_read(&file, folder, name));
    rg_status code = rg_file_read(file, head, sizeof head);
    uint32_t kind = (uint32_t)get(head + 28, 4);
    if (code == RG_OK && (memcmp(head, MAGIC, sizeof MAGIC - 1) != 0 ||
                          get(head + 24, 4) != rg_crc32c(rg_crc32c(0, head, 24), head + 28, 4) ||
                          (kind < RG_RECORDS_JOURNAL || kind > RG_RECORDS_DELTA)))
        code = rg_fail(RG_ECORRUPT, "%s is damaged at byte 0: it does not begin as it should",
                       rg_file_path(file));
    else if (code == RG_OK && head[7] != MAGIC[7])
        code = rg_fail(RG_EUNIMPL,
                       "%s was written by another Regatta (its files have version %d, and ours "
                       "%d): go on with that one, or begin in another folder",
                       rg_file_path(file), head[7] - '0', MAGIC[7] - '0');
    rg_records_reader *reader = code == RG_OK ? rg_alloc_zero(1, sizeof *reader) : NULL;
    if (code == RG_OK && reader == NULL)
        code = rg_no_memory(sizeof *reader, "a reader");
    if (code != RG_OK) {
        rg_file_close(file);
        return code;
    }
    *reader = (rg_records_reader){
        .file = file,
        .at = sizeof head,
        .size = rg_file_size(file),
        .split = rg_file_size(file),
        .about = {(rg_records_kind)kind, get(head + 8, 8), get(head + 16, 8)},
        .offset = sizeof head,
        .end = sizeof head,
    };
    reader->next = reader->about.first;
    *about = reader->about;
    *out = reader;
    return RG_OK;
}

void rg_records_close(rg_records_reader *reader)
{
    if (reader == NULL)
        return;
    rg_file_close(reader->file);
    rg_free(reader->body);
    rg_free(reader);
}

uint64_t rg_records_offset(const rg_records_reader *reader)
{
    return reader->offset;
}

uint64_t rg_records_size(const rg_records_reader *reader)
{
    return reader->size;
}

rg_status rg_records_go_on(rg_records_reader *r, uint64_t at, const uint8_t *bytes, size_t n)
{
    if (at > r->split)
        return rg_fail(RG_EINVAL, "%s ends before byte %llu", rg_file_path(r->file),
                       (unsigned long long)at);
    r->split = at;
    r->rest = bytes;
    r->size = at + n;
    return RG_OK;
}

/* n bytes from `at` on; they are there. */
static rg_status read_at(rg_records_reader *r, uint64_t at, void *to, size_t n)
{
    size_t of_file = at >= r->split ? 0 : n;
    if (of_file > 0 && r->split - at < n)
        of_file = (size_t)(r->split - at);
    if (of_file > 0) {
        if (r->at != at)
            RG_TRY(rg_file_seek(r->file, at));
        r->at = UINT64_MAX; /* where it fails nobody knows */
        RG_TRY(rg_file_read(r->file, to, of_file));
        r->at = at + of_file;
    }
    if (n > of_file)
        memcpy((uint8_t *)to + of_file, r->rest + (at + of_file - r->split), n - of_file);
    return RG_OK;
}

static rg_status damaged(const rg_records_reader *r, const char *how)
{
    return rg_fail(RG_ECORRUPT, "%s is damaged at byte %llu: %s", rg_file_path(r->file),
                   (unsigned long long)r->offset, how);
}

static rg_status make_room(rg_records_reader *r, size_t n)
{
    if (n <= r->room)
        return RG_OK;
    uint8_t *body = rg_realloc(r->body, n);
    if (body == NULL)
        return rg_no_memory(n, rg_file_path(r->file));
    r->body = body;
    r->room = n;
    return RG_OK;
}

rg_status rg_records_next(rg_records_reader *r, rg_record *record, bool *more)
{
    uint8_t head[RG_RECORD_HEAD];
    uint64_t left = r->size - r->end;
    r->offset = r->end;
    *more = left > 0;
    if (left == 0)
        return RG_OK;
    if (left < sizeof head)
        return damaged(r, "it ends within a record");
    RG_TRY(read_at(r, r->end, head, sizeof head));
    uint64_t bytes = get(head + 16, 8);
    if (bytes > left - sizeof head || padded(bytes) > left - sizeof head)
        return damaged(r, "it ends within a record");
    RG_TRY(make_room(r, (size_t)padded(bytes) + ALIGN));
    RG_TRY(read_at(r, r->end + sizeof head, r->body, (size_t)padded(bytes)));
    uint32_t crc = rg_crc32c(rg_crc32c(0, head + 4, sizeof head - 4), r->body, (size_t)bytes);
    if (get(head, 4) != crc)
        return damaged(r, "the checksum of a record is another");
    for (uint64_t i = bytes; i < padded(bytes); i++)
        if (r->body[i] != 0)
            return damaged(r, "what stands between two records is not zero");
    *record = (rg_record){(uint32_t)get(head + 4, 4), get(head + 8, 8), r->body, (size_t)bytes};
    if (record->number != r->next)
        return damaged(r, "a record of another number stands there");
    r->next++;
    r->end = r->offset + sizeof head + padded(bytes);
    return RG_OK;
}

/* Whether these bytes are such a record. */
static bool is_wanted(const uint8_t *at, uint32_t kind, uint64_t least)
{
    return get(at + 4, 4) == kind && get(at + 16, 8) == 8 &&
           get(at, 4) == rg_crc32c(0, at + 4, RG_RECORD_HEAD - 4 + 8) &&
           get(at + RG_RECORD_HEAD, 8) >= least;
}

rg_status rg_records_find(rg_records_reader *r, uint32_t kind, uint64_t least, bool *found)
{
    enum { WHOLE = RG_RECORD_HEAD + 8 };
    uint64_t at = r->offset, size = r->size;
    *found = false;
    RG_TRY(make_room(r, LOOK));
    while (!*found && size - at >= WHOLE) {
        size_t n = size - at < LOOK ? (size_t)(size - at) : LOOK;
        RG_TRY(read_at(r, at, r->body, n));
        for (size_t i = 0; !*found && i + WHOLE <= n; i += ALIGN)
            *found = is_wanted(r->body + i, kind, least);
        at += n == LOOK ? LOOK - WHOLE : n;
    }
    return RG_OK;
}

rg_status rg_records_only_zeros(rg_records_reader *r, bool *zeros)
{
    uint8_t bytes[DISK_PAGE];
    uint64_t left = r->size - r->offset;
    *zeros = left < sizeof bytes;
    if (!*zeros)
        return RG_OK;
    RG_TRY(read_at(r, r->offset, bytes, (size_t)left));
    for (size_t i = 0; i < left; i++)
        *zeros = *zeros && bytes[i] == 0;
    return RG_OK;
}
