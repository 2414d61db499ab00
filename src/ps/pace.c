/* pace.c - how fast a snapshot is written beside the work. */
#include "ps/pace.h"

static bool is_late(const rg_pace *pace, const rg_pace_now *now)
{
    return (pace->within_ns > 0 && (double)now->passed_ns * (double)now->bytes >
                                       (double)pace->within_ns * (double)now->done) ||
           (pace->most_journal > 0 && now->journal > pace->most_journal);
}

uint64_t rg_pace_rest_ns(const rg_pace *pace, const rg_pace_now *now)
{
    double until = (double)now->spent_ns / pace->share, passed = (double)now->passed_ns;
    return pace->share >= 1 || until <= passed || now->presses || is_late(pace, now)
               ? 0
               : (uint64_t)(until - passed);
}
