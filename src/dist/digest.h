/* digest.h - whether trainers run the same program. */
#ifndef RG_DIST_DIGEST_H
#define RG_DIST_DIGEST_H

#include "ir/program.h"
#include "rpc/rpc.h"

/* Equal for programs that differ only in the trainer's number, in source lines and in labels. */
rg_status rg_program_digest(const rg_program *program, uint8_t digest[RG_RPC_DIGEST_BYTES]);

#endif
