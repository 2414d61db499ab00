/* digest.h - whether trainers run the same program. */
#ifndef RG_IR_DIGEST_H
#define RG_IR_DIGEST_H

#include "ir/program.h"

/* Equal for programs that differ only in the trainer's number, in source lines and in labels.
 * RG_DIGEST_BYTES of it. */
void rg_program_digest(const rg_program *program, uint8_t *digest);

/* The length of a name without ".trainer_N" at its end. */
size_t rg_plain_length(const char *name);

#endif
