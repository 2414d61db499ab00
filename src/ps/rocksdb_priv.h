/* rocksdb_priv.h - what is called in RocksDB, loaded when the first disk is opened.
 *
 * Its C functions (rocksdb/c.h) by name, with handles that are only handed on: so nothing of
 * RocksDB is needed to build Regatta, nor where no table has a disk. */
#ifndef RG_PS_ROCKSDB_PRIV_H
#define RG_PS_ROCKSDB_PRIV_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef void *rg_rocks; /* any of its objects */
typedef unsigned char rg_rocks_bool;

/* F(what it gives, name without "rocksdb_", arguments) */
#define RG_ROCKS_CALLS(F)                                                                          \
    F(rg_rocks, options_create, (void))                                                            \
    F(void, options_destroy, (rg_rocks))                                                           \
    F(void, options_set_create_if_missing, (rg_rocks, rg_rocks_bool))                              \
    F(void, options_set_compression, (rg_rocks, int))                                              \
    F(void, options_set_write_buffer_size, (rg_rocks, size_t))                                     \
    F(void, options_set_max_write_buffer_number, (rg_rocks, int))                                  \
    F(void, options_set_max_background_jobs, (rg_rocks, int))                                      \
    F(void, options_set_keep_log_file_num, (rg_rocks, size_t))                                     \
    F(void, options_set_info_log_level, (rg_rocks, int))                                           \
    F(void, options_set_level_compaction_dynamic_level_bytes, (rg_rocks, rg_rocks_bool))           \
    F(void, options_set_target_file_size_base, (rg_rocks, uint64_t))                               \
    F(void, options_set_memtable_whole_key_filtering, (rg_rocks, rg_rocks_bool))                   \
    F(void, options_set_memtable_prefix_bloom_size_ratio, (rg_rocks, double))                      \
    F(void, set_perf_level, (int))                                                                 \
    F(void, options_set_block_based_table_factory, (rg_rocks, rg_rocks))                           \
    F(rg_rocks, block_based_options_create, (void))                                                \
    F(void, block_based_options_destroy, (rg_rocks))                                               \
    F(void, block_based_options_set_block_size, (rg_rocks, size_t))                                \
    F(void, block_based_options_set_filter_policy, (rg_rocks, rg_rocks))                           \
    F(void, block_based_options_set_block_cache, (rg_rocks, rg_rocks))                             \
    F(void, block_based_options_set_data_block_index_type, (rg_rocks, int))                        \
    F(rg_rocks, filterpolicy_create_bloom_full, (double))                                          \
    F(rg_rocks, cache_create_lru, (size_t))                                                        \
    F(void, cache_destroy, (rg_rocks))                                                             \
    F(void, destroy_db, (rg_rocks, const char *, char **))                                         \
    F(rg_rocks, open_column_families,                                                              \
      (rg_rocks, const char *, int, const char *const *, const rg_rocks *, rg_rocks *, char **))   \
    F(void, column_family_handle_destroy, (rg_rocks))                                              \
    F(void, close, (rg_rocks))                                                                     \
    F(rg_rocks, readoptions_create, (void))                                                        \
    F(void, readoptions_destroy, (rg_rocks))                                                       \
    F(void, readoptions_set_fill_cache, (rg_rocks, rg_rocks_bool))                                 \
    F(rg_rocks, writeoptions_create, (void))                                                       \
    F(void, writeoptions_destroy, (rg_rocks))                                                      \
    F(void, writeoptions_disable_WAL, (rg_rocks, int))                                             \
    F(rg_rocks, writebatch_create, (void))                                                         \
    F(void, writebatch_destroy, (rg_rocks))                                                        \
    F(void, writebatch_put, (rg_rocks, const char *, size_t, const char *, size_t))                \
    F(void, writebatch_delete, (rg_rocks, const char *, size_t))                                   \
    F(void, writebatch_delete_range,                                                               \
      (rg_rocks, const char *, size_t, const char *, size_t))                                      \
    F(void, write, (rg_rocks, rg_rocks, rg_rocks, char **))                                        \
    F(void, batched_multi_get_cf,                                                                  \
      (rg_rocks, rg_rocks, rg_rocks, size_t, const char *const *, const size_t *, rg_rocks *,      \
       char **, const _Bool))                                                                      \
    F(const char *, pinnableslice_value, (rg_rocks, size_t *))                                     \
    F(void, pinnableslice_destroy, (rg_rocks))                                                     \
    F(rg_rocks, create_iterator, (rg_rocks, rg_rocks))                                             \
    F(void, iter_destroy, (rg_rocks))                                                              \
    F(void, iter_seek, (rg_rocks, const char *, size_t))                                           \
    F(rg_rocks_bool, iter_valid, (rg_rocks))                                                       \
    F(void, iter_next, (rg_rocks))                                                                 \
    F(const char *, iter_key, (rg_rocks, size_t *))                                                \
    F(const char *, iter_value, (rg_rocks, size_t *))                                              \
    F(void, iter_get_error, (rg_rocks, char **))                                                   \
    F(void, free, (void *))

#define RG_ROCKS_MEMBER(result, name, arguments) result(*name) arguments;
typedef struct rg_rocksdb {
    RG_ROCKS_CALLS(RG_ROCKS_MEMBER)
} rg_rocksdb;
#undef RG_ROCKS_MEMBER

/* RG_ENOENT says what to install. Any thread. */
rg_status rg_rocksdb_load(const rg_rocksdb **functions);

#endif
