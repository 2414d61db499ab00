/* fuzz_front.c - any bytes as what stands in front of a journal of five records. */
#include "see_record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void heard(void *user, uint64_t number)
{
    (void)user;
    (void)number;
}

/* Of lineage 7. */
static void write_segment(const rg_folder *folder, const char *path, rg_buf *segment)
{
    static const char text[] = "a record of a journal";
    const rg_journal_about about = {RG_JOURNAL_EVERYSEC, 7, 0};
    rg_journal *journal = NULL;
    rg_status code = rg_journal_open(&journal, folder, &about, 0,
                                     &(rg_journal_events){.durable = heard});
    for (uint32_t i = 0; code == RG_OK && i < 5; i++)
        code = rg_journal_append(journal, i, &(rg_iov){text, sizeof text}, 1, NULL);
    rg_buf_init(segment, 0);
    if (code != RG_OK || rg_journal_close(journal) != RG_OK ||
        rg_file_read_all(path, 1 << 20, segment) != RG_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static char path[] = "/tmp/rg-fuzz-XXXXXX", file[64], front[64];
    static rg_folder *folder;
    static rg_buf segment;
    uint64_t lineage = 0, next;
    if (folder == NULL) {
        if (mkdtemp(path) == NULL || rg_folder_open(&folder, path) != RG_OK)
            abort();
        strcat(strcpy(file, path), "/journal-0000000000000000");
        strcat(strcpy(front, path), "/journal-front");
        write_segment(folder, file, &segment);
    }
    if (rg_file_write_all(file, segment.data, segment.len) != RG_OK ||
        rg_file_write_all(front, bytes, n) != RG_OK)
        abort();
    (void)rg_journal_read(folder, 0, &lineage, see_record, NULL, &next);
    return 0;
}
