/* session_priv.h - what is inside a session, for the other files of this folder. */
#ifndef RG_CAPI_SESSION_PRIV_H
#define RG_CAPI_SESSION_PRIV_H

#include "exec/scope.h"
#include "ir/program.h"
#include "regatta.h"

/* Both borrowed from the session. */
rg_status rg_session_borrow(rg_session *session, int number, const rg_program **program,
                            rg_scope **scope);

#endif
