/* rocksdb.c - the library, once it is asked for. */
#include "ps/rocksdb_priv.h"

#include "sys/library.h"

#include <pthread.h>
#include <stdbool.h>

#define NAME(result, name, arguments) "rocksdb_" #name,
static const char *const names[] = {RG_ROCKS_CALLS(NAME)};
enum { NAMES = sizeof names / sizeof *names };

_Static_assert(sizeof(rg_rocksdb) == NAMES * sizeof(void *), "one address a function");

static union {
    void *addresses[NAMES];
    rg_rocksdb functions;
} loaded;
static bool is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

rg_status rg_rocksdb_load(const rg_rocksdb **functions)
{
    /* As Debian 12, Ubuntu 24.04 and Debian 13 call them; the first name is the developers'. */
    static const char *const files[] = {"librocksdb.so", "librocksdb.so.7.8", "librocksdb.so.8.9",
                                        "librocksdb.so.9.10"};
    rg_status code = RG_OK;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; !is_loaded && i < sizeof files / sizeof *files; i++) {
        code = rg_library_load(files[i], names, loaded.addresses, NAMES);
        is_loaded = code == RG_OK;
    }
    pthread_mutex_unlock(&lock);
    *functions = &loaded.functions;
    return code == RG_OK ? RG_OK
                         : rg_context(code, "a table's disk is RocksDB's (install librocksdb-dev)");
}
