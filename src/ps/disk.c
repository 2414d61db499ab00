/* disk.c - rows in RocksDB behind ps/disk.h.
 *
 * A key is the table's number and the id, high bytes first, so that the rows of a table stand
 * together, by id. Nothing is compressed (floats do not shrink), nothing is logged (the process's
 * end is the rows' end), and a filter of ten bits a row answers for most ids that are new. Reads
 * are of a batch, sorted, which RocksDB answers a block at a time; what was read stays until the
 * row is written over. */
#include "ps/disk.h"

#include "base/mem.h"
#include "ps/rocksdb_priv.h"
#include "sys/fault.h"
#include "sys/file.h"

#include <string.h>

enum {
    KEY_BYTES = 12,
    READ_AT_ONCE = 256, /* keys of one call; their values are pinned meanwhile */
    BLOCK_BYTES = 4096,
    BITS_A_KEY = 10,
    COUNT_NOTHING = 1,  /* of its levels of counting, which is a thread's and costs a tenth */
    LOG_ERRORS = 3,     /* of its log levels */
    HASH_IN_BLOCKS = 1, /* of data_block_index_type */
    SMALLEST_BUFFER = 1 << 20,
    LARGEST_BUFFER = 64 << 20,
};

struct rg_disk {
    const rg_rocksdb *rocks;
    char *path;
    rg_rocks options, blocks, cache, db, family, reading, scanning, writing;
    _Atomic uint32_t n_tables;
};

static void write_key(char key[KEY_BYTES], uint32_t table, uint64_t id)
{
    for (int i = 0; i < 4; i++)
        key[i] = (char)(table >> (24 - 8 * i));
    for (int i = 0; i < 8; i++)
        key[4 + i] = (char)(id >> (56 - 8 * i));
}

static int64_t id_of_key(const char *key)
{
    uint64_t id = 0;
    for (int i = 0; i < 8; i++)
        id = id << 8 | (uint8_t)key[4 + i];
    return (int64_t)id;
}

/* `error` is RocksDB's: NULL, or a text that is to be freed. */
static rg_status check(const rg_disk *disk, char *error, const char *doing)
{
    if (error == NULL)
        return RG_OK;
    rg_status code = rg_fail(RG_EIO, "the rows on disk (%s), %s: %s", disk->path, doing, error);
    disk->rocks->free(error);
    return code;
}

/* ---- open, close ---- */

static void set_options(rg_disk *disk, size_t memory)
{
    const rg_rocksdb *r = disk->rocks;
    size_t buffer = memory / 8;
    buffer = buffer < SMALLEST_BUFFER ? SMALLEST_BUFFER : buffer;
    buffer = buffer > LARGEST_BUFFER ? LARGEST_BUFFER : buffer;
    disk->cache = r->cache_create_lru(memory / 2);
    r->block_based_options_set_block_size(disk->blocks, BLOCK_BYTES);
    r->block_based_options_set_filter_policy(disk->blocks,
                                             r->filterpolicy_create_bloom_full(BITS_A_KEY));
    r->block_based_options_set_block_cache(disk->blocks, disk->cache);
    r->block_based_options_set_data_block_index_type(disk->blocks, HASH_IN_BLOCKS);
    r->options_set_block_based_table_factory(disk->options, disk->blocks);
    r->options_set_create_if_missing(disk->options, 1);
    r->options_set_compression(disk->options, 0);
    r->options_set_write_buffer_size(disk->options, buffer);
    r->options_set_max_write_buffer_number(disk->options, 3);
    r->options_set_memtable_whole_key_filtering(disk->options, 1);
    r->options_set_memtable_prefix_bloom_size_ratio(disk->options, 0.05);
    r->options_set_max_background_jobs(disk->options, 2);
    r->options_set_target_file_size_base(disk->options, 4 * buffer);
    r->options_set_level_compaction_dynamic_level_bytes(disk->options, 1);
    r->options_set_keep_log_file_num(disk->options, 1);
    r->options_set_info_log_level(disk->options, LOG_ERRORS);
    r->readoptions_set_fill_cache(disk->scanning, 0);
    r->writeoptions_disable_WAL(disk->writing, 1);
}

static rg_status open_db(rg_disk *disk)
{
    static const char *const family = "default";
    const rg_rocksdb *r = disk->rocks;
    char *error = NULL;
    r->destroy_db(disk->options, disk->path, &error); /* what an earlier process left */
    RG_TRY(check(disk, error, "emptying the folder (does another server use it?)"));
    error = NULL;
    disk->db = r->open_column_families(disk->options, disk->path, 1, &family, &disk->options,
                                       &disk->family, &error);
    return check(disk, error, "opening it");
}

rg_status rg_disk_open(rg_disk **out, const char *path, size_t memory)
{
    const rg_rocksdb *r;
    RG_TRY(rg_rocksdb_load(&r));
    RG_TRY(rg_dir_make(path));
    rg_disk *disk = rg_alloc_zero(1, sizeof *disk);
    char *name = rg_strdup(path);
    if (disk == NULL || name == NULL) {
        rg_free(disk);
        rg_free(name);
        return rg_no_memory(sizeof *disk, "rows on disk");
    }
    disk->rocks = r;
    disk->path = name;
    disk->options = r->options_create();
    disk->blocks = r->block_based_options_create();
    disk->reading = r->readoptions_create();
    disk->scanning = r->readoptions_create();
    disk->writing = r->writeoptions_create();
    set_options(disk, memory);
    rg_status code = open_db(disk);
    if (code == RG_OK)
        *out = disk;
    else
        rg_disk_close(disk);
    return code;
}

void rg_disk_close(rg_disk *disk)
{
    if (disk == NULL)
        return;
    const rg_rocksdb *r = disk->rocks;
    char *error = NULL;
    if (disk->db != NULL) {
        r->column_family_handle_destroy(disk->family);
        r->close(disk->db);
        r->destroy_db(disk->options, disk->path, &error);
        if (error != NULL)
            r->free(error); /* the next to open it empties it */
    }
    r->readoptions_destroy(disk->reading);
    r->readoptions_destroy(disk->scanning);
    r->writeoptions_destroy(disk->writing);
    r->block_based_options_destroy(disk->blocks);
    r->options_destroy(disk->options);
    r->cache_destroy(disk->cache);
    rg_free(disk->path);
    rg_free(disk);
}

uint32_t rg_disk_new_table(rg_disk *disk)
{
    return atomic_fetch_add(&disk->n_tables, 1);
}

/* ---- writing ---- */

static rg_status write_batch(rg_disk *disk, rg_rocks batch, const char *doing)
{
    char *error = NULL;
    disk->rocks->set_perf_level(COUNT_NOTHING);
    bool fails = rg_fault("ps.disk.write") != RG_FAULT_NONE;
    if (!fails)
        disk->rocks->write(disk->db, disk->writing, batch, &error);
    disk->rocks->writebatch_destroy(batch);
    if (fails)
        return rg_fail(RG_EIO, "the rows on disk (%s), %s: injected", disk->path, doing);
    return check(disk, error, doing);
}

rg_status rg_disk_write(rg_disk *disk, uint32_t table, const int64_t *ids,
                        const uint8_t *const *rows, size_t n, size_t bytes)
{
    rg_rocks batch = disk->rocks->writebatch_create();
    for (size_t i = 0; i < n; i++) {
        char key[KEY_BYTES];
        write_key(key, table, (uint64_t)ids[i]);
        disk->rocks->writebatch_put(batch, key, KEY_BYTES, (const char *)rows[i], bytes);
    }
    return write_batch(disk, batch, "writing rows");
}

rg_status rg_disk_erase(rg_disk *disk, uint32_t table, const int64_t *ids, size_t n)
{
    rg_rocks batch = disk->rocks->writebatch_create();
    for (size_t i = 0; i < n; i++) {
        char key[KEY_BYTES];
        write_key(key, table, (uint64_t)ids[i]);
        disk->rocks->writebatch_delete(batch, key, KEY_BYTES);
    }
    return write_batch(disk, batch, "dropping rows");
}

rg_status rg_disk_clear(rg_disk *disk, uint32_t table)
{
    rg_rocks batch = disk->rocks->writebatch_create();
    char first[KEY_BYTES], end[KEY_BYTES];
    write_key(first, table, 0);
    write_key(end, table + 1, 0);
    disk->rocks->writebatch_delete_range(batch, first, KEY_BYTES, end, KEY_BYTES);
    return write_batch(disk, batch, "dropping all rows");
}

/* ---- reading ---- */

static rg_status take_value(const rg_disk *disk, rg_rocks value, int64_t id, size_t bytes,
                            uint8_t *row)
{
    size_t n;
    const char *from = disk->rocks->pinnableslice_value(value, &n);
    if (n != bytes)
        return rg_fail(RG_ECORRUPT, "the rows on disk (%s): row %lld has %zu bytes and not %zu",
                       disk->path, (long long)id, n, bytes);
    memcpy(row, from, bytes);
    return RG_OK;
}

static rg_status read_some(rg_disk *disk, uint32_t table, const int64_t *ids, size_t n,
                           size_t bytes, uint8_t *rows, bool *found)
{
    const rg_rocksdb *r = disk->rocks;
    char text[READ_AT_ONCE][KEY_BYTES], *errors[READ_AT_ONCE];
    const char *keys[READ_AT_ONCE];
    size_t sizes[READ_AT_ONCE];
    rg_rocks values[READ_AT_ONCE];
    rg_status code = RG_OK;
    for (size_t i = 0; i < n; i++) {
        write_key(text[i], table, (uint64_t)ids[i]);
        keys[i] = text[i];
        sizes[i] = KEY_BYTES;
        values[i] = NULL;
        errors[i] = NULL;
    }
    r->batched_multi_get_cf(disk->db, disk->reading, disk->family, n, keys, sizes, values, errors,
                            false);
    for (size_t i = 0; i < n; i++) {
        found[i] = values[i] != NULL;
        if (code == RG_OK)
            code = check(disk, errors[i], "reading rows");
        else if (errors[i] != NULL)
            r->free(errors[i]);
        if (values[i] == NULL)
            continue;
        if (code == RG_OK)
            code = take_value(disk, values[i], ids[i], bytes, rows + i * bytes);
        r->pinnableslice_destroy(values[i]);
    }
    return code;
}

rg_status rg_disk_read(rg_disk *disk, uint32_t table, const int64_t *ids, size_t n, size_t bytes,
                       uint8_t *rows, bool *found)
{
    if (rg_fault("ps.disk.read") != RG_FAULT_NONE)
        return rg_fail(RG_EIO, "the rows on disk (%s), reading rows: injected", disk->path);
    disk->rocks->set_perf_level(COUNT_NOTHING);
    for (size_t i = 0; i < n; i += READ_AT_ONCE)
        RG_TRY(read_some(disk, table, ids + i, n - i < READ_AT_ONCE ? n - i : READ_AT_ONCE, bytes,
                         rows + i * bytes, found + i));
    return RG_OK;
}

/* ---- all of them ---- */

struct rg_disk_walk {
    const rg_disk *disk;
    rg_rocks at;
    uint32_t table;
    bool begun;
};

rg_status rg_disk_walk_open(rg_disk_walk **out, const rg_disk *disk, uint32_t table)
{
    rg_disk_walk *walk = rg_alloc_zero(1, sizeof *walk);
    char first[KEY_BYTES];
    if (walk == NULL)
        return rg_no_memory(sizeof *walk, "a walk over rows on disk");
    walk->disk = disk;
    walk->table = table;
    walk->at = disk->rocks->create_iterator(disk->db, disk->scanning); /* of this moment */
    write_key(first, table, 0);
    disk->rocks->iter_seek(walk->at, first, KEY_BYTES);
    *out = walk;
    return RG_OK;
}

rg_status rg_disk_walk_next(rg_disk_walk *walk, int64_t *id, const uint8_t **row, size_t *bytes)
{
    const rg_rocksdb *r = walk->disk->rocks;
    char first[KEY_BYTES];
    size_t n;
    if (walk->begun)
        r->iter_next(walk->at);
    walk->begun = true;
    *row = NULL;
    if (!r->iter_valid(walk->at)) {
        char *error = NULL;
        r->iter_get_error(walk->at, &error);
        walk->begun = false;
        return check(walk->disk, error, "reading all rows");
    }
    const char *key = r->iter_key(walk->at, &n);
    write_key(first, walk->table, 0);
    if (n != KEY_BYTES || memcmp(key, first, 4) != 0) {
        walk->begun = false; /* the next table's: it stays there */
        return RG_OK;
    }
    *id = id_of_key(key);
    *row = (const uint8_t *)r->iter_value(walk->at, bytes);
    return RG_OK;
}

void rg_disk_walk_close(rg_disk_walk *walk)
{
    if (walk == NULL)
        return;
    walk->disk->rocks->iter_destroy(walk->at);
    rg_free(walk);
}
