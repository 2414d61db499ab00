/* session_priv.h - what is inside a session, for the other files of this folder. */
#ifndef RG_CAPI_SESSION_PRIV_H
#define RG_CAPI_SESSION_PRIV_H

#include "exec/executor.h"
#include "regatta.h"

/* All borrowed from the session. */
typedef struct rg_session_parts {
    rg_program *program;
    rg_scope *scope;
    rg_executor *executor;
} rg_session_parts;

/* How a run ended: a session that is closed after a failure tells its job so. Returns it. */
rg_status rg_session_ran(rg_session *session, rg_status code);
rg_status rg_session_borrow(rg_session *session, int number, rg_session_parts *parts);

#endif
