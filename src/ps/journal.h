/* journal.h - the log of a server: what changes its state is appended before it is answered.
 *
 * A folder has segments, journal-NUMBER (records.h), the number that of their first record. Records
 * are what their writer says. Those of kind RG_RECORD_SYNCED are the journal's own: all records
 * below a number had reached the disk. So a reader knows the end that a power cut has torn, which
 * is cut off with a line in the log, from damage below, which is refused with file and offset.
 *
 * A record is with the system when append() returns, so that the death of the process loses
 * nothing: in the segment itself, or in what stands in front of it, journal-front (sys/front.h),
 * from which the journal's thread writes it on in blocks.
 *
 * Modes. everysec: the thread flushes once a second. always: the thread flushes as soon as
 * there is something, all of it at a time, and durable() says how far; who answers waits for that.
 *
 * Failures. A record that cannot be written (a full disk) is not there, append() says why, and so
 * does every one that follows. A flush that failed is final: nothing is known of what was written
 * since the last, so failed() is told, and nothing is appended any more. */
#ifndef RG_PS_JOURNAL_H
#define RG_PS_JOURNAL_H

#include "ps/records.h"

typedef struct rg_journal rg_journal;

typedef enum rg_journal_mode {
    RG_JOURNAL_OFF,
    RG_JOURNAL_EVERYSEC,
    RG_JOURNAL_ALWAYS,
} rg_journal_mode;

enum { RG_RECORD_SYNCED = 0x7ffffff0 };

/* As users write it; RG_EINVAL says what it may be. */
rg_status rg_journal_mode_of(const char *text, rg_journal_mode *mode);

typedef struct rg_journal_events {
    void (*durable)(void *user, uint64_t number); /* records below it are on the disk */
    void (*failed)(void *user, rg_status status, const char *why);
    void *user;
} rg_journal_events;

/* ---- reading ---- */

/* Calls each() for the records from number `from` on, in order, and repairs the end: what is torn
 * is cut off. *next is the number behind the last, not below `from`. RG_ECORRUPT, naming file and
 * offset, where records are missing, damaged or of another lineage (0: any; *lineage is what it
 * is). */
rg_status rg_journal_read(const rg_folder *folder, uint64_t from, uint64_t *lineage,
                          rg_status (*each)(void *arg, const rg_record *record), void *arg,
                          uint64_t *next);
/* The same, and nothing is changed: a torn end is passed over. */
rg_status rg_journal_look(const rg_folder *folder, uint64_t from, uint64_t *lineage,
                          rg_status (*each)(void *arg, const rg_record *record), void *arg,
                          uint64_t *next);

/* ---- writing ---- */

typedef struct rg_journal_about {
    rg_journal_mode mode;
    uint64_t lineage;
    size_t front_bytes; /* in front of it, whole pages (sys/front.h); 0: nothing is */
} rg_journal_about;

/* A new segment, from number `next` on. What is there was read: what stands in front of the last
 * segment goes. Owned; the folder is borrowed until it is closed. */
rg_status rg_journal_open(rg_journal **journal, const rg_folder *folder,
                          const rg_journal_about *about, uint64_t next,
                          const rg_journal_events *events);
/* Flushes; the events are not called any more when it returns. NULL is allowed. */
rg_status rg_journal_close(rg_journal *journal);
/* *number (may be NULL): that of the record. Any thread. */
rg_status rg_journal_append(rg_journal *journal, uint32_t kind, const rg_iov *pieces, size_t n,
                            uint64_t *number);
/* What was appended is flushed now, and not at the end of the second. */
void rg_journal_hurry(rg_journal *journal);
/* Until all that was appended is on the disk, what the journal writes for itself too: whoever
 * relies on the number of the next record finds all below it. */
rg_status rg_journal_wait(rg_journal *journal);
/* The number of the next record; bytes in segments that were begun since the last cut. */
uint64_t rg_journal_next(rg_journal *journal);
uint64_t rg_journal_bytes(rg_journal *journal);
/* A new segment begins, with the number *first: what came before is whole, and on the disk when it
 * returns. Others append meanwhile. One thread at a time. */
rg_status rg_journal_cut(rg_journal *journal, uint64_t *first);
/* Segments of which no record has this number or one above go. */
rg_status rg_journal_forget(rg_journal *journal, uint64_t before);

#endif
