/* records.h - files of numbered, checksummed records: a journal's segments, and snapshots.
 *
 * A file begins with 32 bytes that say what it is; records follow, each a header of 24 bytes and
 * its body, padded to a multiple of 8:
 *
 *     file:    "RGRECRD2"  u64 lineage  u64 first number  u32 CRC32C  u32 what it is
 *     record:  u32 CRC32C of the rest  u32 kind  u64 number  u64 bytes  body  zeros
 *
 * Numbers grow by one, so that a record that is missing is missed. docs/formats.md has it. */
#ifndef RG_PS_RECORDS_H
#define RG_PS_RECORDS_H

#include "base/status.h"
#include "sys/folder.h"
#include "sys/front.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RG_RECORDS_HEAD = 32,  /* bytes in front of a file */
    RG_RECORD_HEAD = 24,   /* and of a record */
    RG_RECORD_PIECES = 60, /* of a body that is written at once */
};

typedef enum rg_records_kind {
    RG_RECORDS_JOURNAL = 1,
    RG_RECORDS_SNAPSHOT,
    RG_RECORDS_DELTA, /* its `first` is the number of what it goes on from */
} rg_records_kind;

typedef struct rg_records_about {
    rg_records_kind kind;
    uint64_t lineage;
    uint64_t first; /* the number of its first record */
} rg_records_about;

typedef struct rg_record {
    uint32_t kind;
    uint64_t number;
    const uint8_t *bytes; /* aligned to 8 */
    size_t n;
} rg_record;

/* ---- writing ---- */

/* A new file that has its beginning; fails where there is one of that name. front: what it is
 * written by way of, with lineage and first number as what it is; NULL: by itself. */
rg_status rg_records_create(rg_file **file, const rg_folder *folder, const char *name,
                            const rg_records_about *about, rg_front *front);
/* The body is the pieces one behind the other. Where it fails the file is as it was. */
rg_status rg_records_append(rg_file *file, uint32_t kind, uint64_t number, const rg_iov *pieces,
                            size_t n);
/* A number as it stands in a body. */
void rg_record_put_u64(uint8_t out[8], uint64_t value);
/* Bytes in the file of a record with so many. */
uint64_t rg_record_bytes(uint64_t body);

/* ---- reading ---- */

typedef struct rg_records_reader rg_records_reader;

/* RG_ECORRUPT, naming it, where its beginning is not one of ours. */
rg_status rg_records_open(rg_records_reader **reader, const rg_folder *folder, const char *name,
                          rg_records_about *about);
void rg_records_close(rg_records_reader *reader); /* NULL is allowed */
/* *more is false at the end of the file. RG_ECORRUPT names file and offset where what stands there
 * is not the next record, whole: torn or damaged. The bytes are good until the next call. */
rg_status rg_records_next(rg_records_reader *reader, rg_record *record, bool *more);
/* Where the record that was read last, or failed, begins; how large the file is. */
uint64_t rg_records_offset(const rg_records_reader *reader);
uint64_t rg_records_size(const rg_records_reader *reader);
/* From `at` on, which is not above its size, the file has these bytes, and ends behind them: the
 * record that failed, or the one behind the last, is read with them. Borrowed until it is closed.
 */
rg_status rg_records_go_on(rg_records_reader *reader, uint64_t at, const uint8_t *bytes, size_t n);
/* After a failure: whether all that is left is zeros, less than a page of the disk. */
rg_status rg_records_only_zeros(rg_records_reader *reader, bool *zeros);
/* After a failure: whether behind that place there is a whole record of this kind with a body of 8
 * bytes, a number that is not below `least`. */
rg_status rg_records_find(rg_records_reader *reader, uint32_t kind, uint64_t least, bool *found);

#endif
