/* fuzz_journal.c - any bytes as the only segment of a journal. */
#include "see_record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static char path[] = "/tmp/rg-fuzz-XXXXXX", file[64];
    static rg_folder *folder;
    uint64_t lineage = 0, next;
    if (folder == NULL) {
        if (mkdtemp(path) == NULL || rg_folder_open(&folder, path) != RG_OK)
            abort();
        strcpy(file, path);
        strcat(file, "/journal-0000000000000000");
    }
    if (rg_file_write_all(file, bytes, n) != RG_OK)
        abort();
    (void)rg_journal_read(folder, 0, &lineage, see_record, NULL, &next);
    return 0;
}
