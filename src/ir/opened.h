/* opened.h - which programs there are: who keeps something made of one lets go of it when the
 * program is closed. Any thread. */
#ifndef RG_IR_OPENED_H
#define RG_IR_OPENED_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A number for a new program, never given twice; ended by rg_opened_end(). */
rg_status rg_opened_begin(uint64_t *id);
void rg_opened_end(uint64_t id);
bool rg_opened_is(uint64_t id);

#endif
