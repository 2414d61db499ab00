/* mode_pairs.c - a fifth mode, for test_mode.c: every other step is pushed, with the one before. */
#include "dist/mode.h"

#include "dist/exchange_priv.h"
#include "dist/serve_push.h"

static rg_status trainer(rg_trainer *r)
{
    return rg_add_exchange(r, false);
}

static rg_status push(rg_job *job, rg_channel *l)
{
    return ++l->steps % 2 == 0 ? rg_channel_exchange(job, l) : RG_OK;
}

const rg_mode rg_mode_pairs = {
    .programs = {.name = "pairs", .number = 9, .counts = true, .trainer = trainer},
    .push = push,
    .pushed = rg_serve_at_once,
};
