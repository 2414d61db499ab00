/* interrupt.c - who is asked whether a wait is to end. */
#include "sys/interrupt.h"

#include <stddef.h>

static rg_status (*interrupted)(void);

void rg_set_interrupted(rg_status (*function)(void))
{
    interrupted = function;
}

rg_status rg_interrupted(void)
{
    return interrupted ? interrupted() : RG_OK;
}
