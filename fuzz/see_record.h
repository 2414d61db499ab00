/* see_record.h - who reads a journal for its fuzz targets: every byte of each record. */
#ifndef RG_FUZZ_SEE_RECORD_H
#define RG_FUZZ_SEE_RECORD_H

#include "ps/journal.h"

static rg_status see_record(void *arg, const rg_record *record)
{
    volatile uint8_t sum = 0;
    (void)arg;
    for (size_t i = 0; i < record->n; i++)
        sum ^= record->bytes[i];
    (void)sum;
    return RG_OK;
}

#endif
