/* serve_notes.h - what the rest of a server asks of its journal and its snapshots; their own inside
 * is serve_journal.h. */
#ifndef RG_DIST_SERVE_NOTES_H
#define RG_DIST_SERVE_NOTES_H

#include "dist/serve_priv.h"

/* ---- the journal (serve_journal.c) ---- */

/* By the flags; a state that is found decides how many loops there are. */
rg_status rg_serve_open_journal(rg_engine *s);
void rg_serve_close_journal(rg_engine *s);
uint64_t rg_serve_lineage(const rg_engine *s); /* 0: it has no journal */
/* The loops run, nobody has come: the state as it was, or the first snapshot of a new one. */
rg_status rg_serve_go_on(rg_engine *s);
/* Before it is applied. False: it could not be written, is refused, and the job is over. */
bool rg_serve_note_request(rg_engine *s, rg_rpc_request *request);
bool rg_serve_is_noted(uint16_t method); /* commands.c */
bool rg_serve_is_kept(uint16_t method);
bool rg_serve_is_counted(uint16_t method); /* its body begins with a call (rg_ps_change) */
/* Whether answers go before what they tell of is on the disk; one that does not waits for it. */
bool rg_serve_answers_early(const rg_engine *s);
void rg_serve_hurry(void *engine);
void rg_serve_sync(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* What comes is from the journal, and was let in before. */
bool rg_serve_is_replaying(const rg_engine *s);
rg_status rg_serve_note_join(rg_engine *s, const rg_rpc_peer *peer, const rg_rpc_hello *hello);
void rg_serve_note_gone(rg_engine *s, uint64_t session);
/* Reads that have changed something: a request for rows; rows first .. first + n - 1 of a variable,
 * n < 0: all that there are. */
rg_status rg_serve_note_rows(rg_engine *s, rg_rpc_request *request);
rg_status rg_serve_note_catch_up(rg_engine *s, size_t var, int64_t first, int64_t n);
/* A file of SAVE is there: this counts, and is known when the disk has it. */
rg_status rg_serve_note_saved(rg_engine *s, rg_member *trainer, uint64_t at, uint32_t of);
/* The body of LOAD, for snapshots. */
rg_status rg_serve_keep_program(rg_engine *s, const uint8_t *body, size_t n);
/* Nothing is under way any more. For a thread that is no loop's. */
void rg_serve_settle(rg_engine *s);

/* ---- snapshots (serve_snapshot.c) ---- */

/* Now, in a thread that is no loop's and holds no lock. */
rg_status rg_serve_snapshot(rg_engine *s);
/* A few times a second: where it is time for one. */
void rg_serve_look_at_journal(rg_engine *s);
/* In the process that is asked to end: as long as FLAGS_ps_grace_seconds lets it. */
void rg_serve_snapshot_before_end(rg_engine *s);
/* Whether the request waits for one, which has it now. */
bool rg_serve_waits_for_snapshot(rg_engine *s, rg_rpc_request *request);

#endif
