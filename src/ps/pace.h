/* pace.h - how fast a snapshot is written beside the work.
 *
 * What it takes of the processor it takes from the job: it has a share of one core's time, and
 * rests when it has had it. Three things make it go on without a rest: rows that were copied aside
 * have come to half of what they may be; it falls behind a pace at which it is done in the time it
 * has; the journal has grown to half of what the next one is taken for. */
#ifndef RG_PS_PACE_H
#define RG_PS_PACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rg_pace {
    double share;          /* of a core's time; 1: as fast as it can */
    uint64_t within_ns;    /* it shall be done by then; 0: whenever it is */
    uint64_t most_journal; /* bytes; 0: any number */
} rg_pace;

typedef struct rg_pace_now {
    uint64_t passed_ns, spent_ns; /* by the clock, and of processors, since it began */
    uint64_t bytes, done;         /* all that there is to write, and what is written */
    uint64_t journal;             /* bytes of it since the cut */
    bool presses;                 /* what is copied aside is much */
} rg_pace_now;

/* So long it rests now. */
uint64_t rg_pace_rest_ns(const rg_pace *pace, const rg_pace_now *now);

#endif
