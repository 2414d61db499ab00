/* flags.c - the table of FLAGS_* and their values. */
#include "sys/flags.h"

#include "base/mem.h"
#include "sys/log.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

#define AS_NEEDED "memory of a GPU is taken as it is needed"
#define NO_CUDNN  "cuDNN is not used"
#define OWN_PLAN  "memory is laid out once, when a program is planned"
#define OWN_FUSES "a plan always fuses what it can, with equal numbers"

static const rg_flag table[] = {
    {"check_nan_inf", RG_FLAG_BOOL, "0", "stop at the op that makes the first NaN or Inf", NULL},
    {"log_level", RG_FLAG_TEXT, "W", "least severe log line shown: E, W, I or D", NULL},
    {"paddle_num_threads", RG_FLAG_INT, "1",
     "threads of a matrix product; OMP_NUM_THREADS sets it too", NULL},
    {"data_bad_lines", RG_FLAG_INT, "0",
     "lines of a reading that do not fit their slots and are put aside; one more stops it", NULL},
    {"data_bad_lines_file", RG_FLAG_TEXT, "data_bad_lines.txt", "where they are put", NULL},
    {"data_range_bytes", RG_FLAG_INT, "0",
     "of leased files, how large the ranges are that they are dealt in; 0: a 64th of what each "
     "trainer has of them, 64 KiB to 64 MiB",
     NULL},
    {"save_wait_ms", RG_FLAG_INT, "600000",
     "how long a save waits for another into the same folder, and a load for one that goes on "
     "changing what it reads",
     NULL},
    {"progress", RG_FLAG_TEXT, "auto",
     "of train_from_dataset: auto, bar, lines or off; auto draws a bar on a terminal", NULL},
    {"ps_elastic", RG_FLAG_INT, "0",
     "trainers may come and go while the job runs, and so many must have come before anything is "
     "decided without the others; 0: all come once",
     NULL},
    {"ps_go_on", RG_FLAG_BOOL, "0",
     "async modes: a trainer that dies does not end the job; servers go on with the others", NULL},
    {"ps_join_seconds", RG_FLAG_INT, "600",
     "how long those of a job that have come wait for servers and trainers that have not; 0: for "
     "ever",
     NULL},
    {"ps_meet_seconds", RG_FLAG_INT, "0",
     "how long a worker waits for the others at a barrier or a sum; 0: as long as they live", NULL},
    {"ps_journal", RG_FLAG_TEXT, "off",
     "of a server: off, everysec (what it answered outlives its process) or always (and a power "
     "cut): a journal from which it goes on when it is started again",
     NULL},
    {"ps_journal_dir", RG_FLAG_TEXT, "", "the folder of the journals, one below it for each server",
     NULL},
    {"ps_journal_front_mb", RG_FLAG_INT, "16",
     "what stands in front of a server's journal: records are gathered there, in memory that "
     "outlives "
     "the process, and written past the system's cache; at most 1024; 0: they go through the cache",
     NULL},
    {"ps_resume_from", RG_FLAG_TEXT, "",
     "a snapshot of all servers (paddle export_snapshot --snapshot) that a server without a "
     "journal "
     "of its own begins with: its share of the values, and how far trainers were",
     NULL},
    {"ps_init_from", RG_FLAG_TEXT, "",
     "the same for a new job: values and states of optimizers alone; fleet.init_server() sets it",
     NULL},
    {"ps_snapshot_mb", RG_FLAG_INT, "4096",
     "a server whose journal has grown by so many MiB writes a snapshot, and drops what is before "
     "it; 0: never",
     NULL},
    {"ps_snapshot_seconds", RG_FLAG_INT, "0",
     "it also writes one so long after the last; 0: the journal's size alone decides", NULL},
    {"ps_snapshot_deltas", RG_FLAG_INT, "0",
     "so many snapshots between two whole ones have only the rows that have changed since the one "
     "before; at most 64",
     NULL},
    {"ps_snapshot_share", RG_FLAG_INT, "10",
     "so many hundredths of one core's time a server takes to write one while it goes on; 100: as "
     "fast as it can",
     NULL},
    {"ps_grace_seconds", RG_FLAG_INT, "0",
     "a server with a journal that is asked to end (SIGTERM, Ctrl+C) has so long to write a "
     "snapshot, so that who goes on from it need not do the journal again; at most 86400; 0: it "
     "ends at once",
     NULL},
    {"ps_log_seconds", RG_FLAG_INT, "60",
     "how often a server's log says its rows, memory and pushes; 0: never", NULL},
    {"ps_loops", RG_FLAG_INT, "0",
     "threads of a server, each of which owns a part of its values; 0: a quarter of the host's "
     "cores, shared out over its servers, 1 to 8",
     NULL},
    {"profile_dir", RG_FLAG_TEXT, "",
     "every process writes a trace of where its time goes to this folder when it ends; `paddle "
     "profile` sets it; empty: none",
     NULL},
    {"ps_push_window_mb", RG_FLAG_INT, "64",
     "of a trainer, with FLAGS_ps_journal=everysec and FLAGS_ps_return_seconds: what pushes may "
     "take "
     "that were answered and are not on a server's disk yet, and are kept to be sent again after a "
     "power cut; beyond it the next waits; 0: none is kept",
     NULL},
    {"ps_return_seconds", RG_FLAG_INT, "0",
     "how long the others wait for a trainer that died and may be started again; 0: they do not",
     NULL},
    {"ps_table_memory", RG_FLAG_TEXT, "",
     "what the rows of all tables of a server may take, as 8G or 512M; what is more is refused, or "
     "goes by ps_table_evict or to ps_table_disk; empty: no limit",
     NULL},
    {"ps_table_evict", RG_FLAG_TEXT, "off",
     "rows that go when ps_table_memory is reached: off (none), lru (not used for longest) or lfu "
     "(least often used)",
     NULL},
    {"ps_table_disk", RG_FLAG_TEXT, "",
     "a folder for rows beyond ps_table_memory (RocksDB); it is emptied", NULL},
    {"ps_save_seconds", RG_FLAG_INT, "600",
     "a server that cannot write its part of a table in that time says so; 0: it waits for ever",
     NULL},
    {"ps_prefetch", RG_FLAG_BOOL, "1",
     "async, train_from_dataset: rows of the next batch are asked for while one is computed", NULL},
    {"inference_outside", RG_FLAG_BOOL, "0",
     "load_inference_model takes models with ops that reach files, processes or Python (save, "
     "load, "
     "py_func, send, ...)",
     NULL},
    {"ps_save_root", RG_FLAG_TEXT, "",
     "the folder below which a server writes what trainers have it save (checkpoint_notify); "
     "empty: "
     "the one it was started in",
     NULL},
    {"communicator_max_merge_var_num", RG_FLAG_INT, "1",
     "async: steps that are added up while the one before is being sent", NULL},
    {"communicator_min_send_grad_num_before_recv", RG_FLAG_INT, "1",
     "async: parameters come back when more than so many steps were sent", NULL},
    {"communicator_is_sgd_optimizer", RG_FLAG_BOOL, "1",
     "async: steps that are sent together are added; 0: averaged", NULL},
    {"communicator_send_queue_size", RG_FLAG_INT, "1", "",
     "one step is sent while the next is computed; see communicator_max_merge_var_num"},
    {"communicator_independent_recv_thread", RG_FLAG_BOOL, "1", "",
     "parameters come back with the answer to a push"},
    {"communicator_thread_pool_size", RG_FLAG_INT, "5", "", "servers are asked side by side"},
    {"communicator_send_wait_times", RG_FLAG_INT, "5", "", "a step is sent when it is complete"},
    {"communicator_max_send_grad_num_before_recv", RG_FLAG_INT, "-1",
     "async: and at the latest when more than so many were sent; -1: that does not matter", NULL},
    {"communicator_fake_rpc", RG_FLAG_BOOL, "0", "", "real Paddle 1.8.5 ignores it, too"},
    {"rpc_deadline", RG_FLAG_INT, "180000",
     "ms without a sign of life from a server after which requests to it fail", NULL},
    {"rpc_retry_times", RG_FLAG_INT, "3",
     "a request whose connections break is sent again until they have done so for as many leases; "
     "0: it fails when the first breaks",
     NULL},
    {"rpc_lease_ms", RG_FLAG_INT, "10000", "a process without a heartbeat for so long is dead",
     NULL},
    {"rpc_max_memory_mb", RG_FLAG_INT, "0",
     "MiB that requests on their way take on a server, all together; 0: half of the memory it has",
     NULL},
    {"rpc_max_peer_memory_mb", RG_FLAG_INT, "0",
     "MiB of them for one process, and for one answer to it; 0: half of rpc_max_memory_mb", NULL},
    {"rpc_transport", RG_FLAG_TEXT, "auto",
     "auto: on one host shared memory, or else Unix sockets, and TCP between hosts; shm, unix, "
     "tcp: "
     "clients use that alone, and servers of which it is tcp offer nothing else",
     NULL},
    {"rpc_shared_memory", RG_FLAG_BOOL, "1",
     "processes of one host and one user send through memory that both have; 0: through sockets",
     NULL},
    {"rpc_payload", RG_FLAG_TEXT, "fp32",
     "how a trainer's gradients, parameters and rows travel: fp32; fp16, half the bytes; int8: "
     "gradients in a quarter, the rest as fp16",
     NULL},
    {"rpc_mac", RG_FLAG_TEXT, "auto",
     "auto: frames between hosts carry a MAC where the job has a key and no TLS; always: within "
     "one "
     "host, too, over TCP; off: only where the other end asks for it",
     NULL},
    {"rpc_tls_cert", RG_FLAG_TEXT, "", "TLS: this process's certificate (PEM)", NULL},
    {"rpc_tls_key", RG_FLAG_TEXT, "", "TLS: the certificate's private key (PEM)", NULL},
    {"rpc_tls_ca", RG_FLAG_TEXT, "",
     "TLS: the CA of the others (PEM); a server that has one demands client certificates", NULL},
    {"coll_backend", RG_FLAG_TEXT, "auto",
     "how ranks of collective training meet: mpi; rpc, our own; auto: mpi where mpirun started "
     "them, else rpc",
     NULL},
    {"watch_dir", RG_FLAG_TEXT, "",
     "a folder in which each process writes how it is, PROCESS.jsonl; empty: nobody watches", NULL},
    {"tensorboard_dir", RG_FLAG_TEXT, "",
     "a folder in which each process writes its curves for TensorBoard, PROCESS/events.*, and as "
     "PROCESS/metrics.csv; empty: none",
     NULL},
    {"metrics_port", RG_FLAG_TEXT, "0",
     "each process serves /metrics to Prometheus at this port; auto: one that is free, said in its "
     "log; 0: none",
     NULL},
    {"metrics_host", RG_FLAG_TEXT, "127.0.0.1",
     "where it does; at other addresses than loopback who asks needs the job's key as token", NULL},
    {"watch_seconds", RG_FLAG_FLOAT, "1", "how often it does, 0.01 and more", NULL},
    {"coll_shared_memory", RG_FLAG_BOOL, "1",
     "ranks that are all on one host add up in memory that they have in common; 0: over mpi or rpc "
     "as ranks of several hosts do",
     NULL},
    {"benchmark", RG_FLAG_BOOL, "0", "", "use fluid.profiler"},
    {"fuse", RG_FLAG_BOOL, "1", "let the plan fuse ops; 0 runs each op as written", NULL},
    {"matmul_precision", RG_FLAG_TEXT, "fp32",
     "how a CPU multiplies matrices of float32: fp32; bf16, their numbers rounded to bfloat16 and "
     "summed "
     "as float32, on CPUs that have it; bf16_emulated, the same numbers on any, slowly",
     NULL},
    {"cpu_deterministic", RG_FLAG_BOOL, "0", "", "sums are always formed in a fixed order"},
    {"use_mkldnn", RG_FLAG_BOOL, "0", "", "oneDNN or OpenBLAS is chosen for each shape"},
    {"use_ngraph", RG_FLAG_BOOL, "0", "", "nGraph is gone"},
    {"allocator_strategy", RG_FLAG_TEXT, "naive_best_fit", "", OWN_PLAN},
    {"eager_delete_tensor_gb", RG_FLAG_FLOAT, "0", "", OWN_PLAN},
    {"memory_fraction_of_eager_deletion", RG_FLAG_FLOAT, "1", "", OWN_PLAN},
    {"fast_eager_deletion_mode", RG_FLAG_BOOL, "1", "", OWN_PLAN},
    {"init_allocated_mem", RG_FLAG_BOOL, "0", "", OWN_PLAN},
    {"use_pinned_memory", RG_FLAG_BOOL, "1", "", OWN_PLAN},
    {"inner_op_parallelism", RG_FLAG_INT, "0", "", "threads of an op are FLAGS_paddle_num_threads"},
    {"reader_queue_speed_test_mode", RG_FLAG_BOOL, "0", "", "a batch is taken once"},
    {"initial_cpu_memory_in_mb", RG_FLAG_INT, "500", "", OWN_PLAN},
    {"fraction_of_cpu_memory_to_use", RG_FLAG_FLOAT, "1", "", OWN_PLAN},
    {"fuse_parameter_memory_size", RG_FLAG_FLOAT, "-1",
     "collective: gradients are put together until they have so many MB, and reduced at once; "
     "below 0: 0.25",
     NULL},
    {"fuse_parameter_groups_size", RG_FLAG_INT, "3", "", OWN_FUSES},
    {"enable_parallel_graph", RG_FLAG_BOOL, "0", "", OWN_FUSES},
    {"pe_profile_fname", RG_FLAG_TEXT, "", "", "use fluid.profiler"},
    {"enable_tf32", RG_FLAG_BOOL, "0",
     "products of float32 on a GPU may round their factors to 10 bits (TF32), which is several "
     "times "
     "faster",
     NULL},
    {"gpu_graph", RG_FLAG_BOOL, "1",
     "steps on a GPU are recorded and started as one once shapes have settled; 0: op by op", NULL},
    {"fraction_of_gpu_memory_to_use", RG_FLAG_FLOAT, "0.92", "", AS_NEEDED},
    {"selected_gpus", RG_FLAG_TEXT, "",
     "numbers of the GPUs that fluid.cuda_places() gives and device: gpu trains on, with commas; "
     "empty: "
     "all",
     NULL},
    {"cudnn_deterministic", RG_FLAG_BOOL, "0",
     "products on a GPU take the library's first algorithm, not the one timed quickest", NULL},
    {"cudnn_exhaustive_search", RG_FLAG_BOOL, "0", "", NO_CUDNN},
    {"conv_workspace_size_limit", RG_FLAG_INT, "512", "", NO_CUDNN},
    {"sync_nccl_allreduce", RG_FLAG_BOOL, "1", "", "sums are waited for where they are read"},
    {NULL, RG_FLAG_BOOL, NULL, NULL, NULL},
};

enum { MAX_FLAGS = sizeof table / sizeof table[0] };

/* A value, which stays as it is, and stays: other threads may hold its text. What a flag is set to
 * again is found again. */
typedef struct flag_value {
    struct flag_value *next; /* another that the flag had */
    int64_t whole;
    const char *text;
} flag_value;

static flag_value defaults[MAX_FLAGS];
static _Atomic(flag_value *) values[MAX_FLAGS];
static pthread_once_t defaults_read = PTHREAD_ONCE_INIT;
static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;

const rg_flag *rg_flag_table(void)
{
    return table;
}

static int find(const char *name)
{
    if (strncmp(name, "FLAGS_", 6) == 0)
        name += 6;
    for (int i = 0; table[i].name != NULL; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

static bool parse_bool(const char *text, int64_t *value)
{
    static const char *const yes[] = {"1", "true", "t", "yes", "y", "on"};
    static const char *const no[] = {"0", "false", "f", "no", "n", "off", ""};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        if (strcasecmp(text, yes[i]) == 0)
            return *value = 1, true;
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        if (strcasecmp(text, no[i]) == 0)
            return *value = 0, true;
    return false;
}

static bool parse(rg_flag_type type, const char *text, flag_value *out)
{
    char *end = NULL;
    errno = 0;
    switch (type) {
    case RG_FLAG_BOOL:
        return parse_bool(text, &out->whole);
    case RG_FLAG_INT:
        out->whole = strtoll(text, &end, 10);
        return errno == 0 && end != text && *end == '\0';
    case RG_FLAG_FLOAT:
        (void)strtod(text, &end);
        return errno == 0 && end != text && *end == '\0';
    case RG_FLAG_TEXT:
        return true;
    }
    return false;
}

static void parse_defaults(void)
{
    for (int i = 0; table[i].name != NULL; i++) {
        bool ok = parse(table[i].type, table[i].initial, &defaults[i]);
        assert(ok);
        (void)ok;
        defaults[i].text = table[i].initial;
        atomic_init(&values[i], &defaults[i]);
    }
}

static flag_value *value_now(int i)
{
    (void)pthread_once(&defaults_read, parse_defaults); /* whoever comes first */
    return atomic_load_explicit(&values[i], memory_order_acquire);
}

/* One that the flag had before, or a new one behind all of them; NULL: no memory. */
static flag_value *find_or_make(int i, const char *text, flag_value fresh)
{
    flag_value *last = &defaults[i];
    for (flag_value *v = last; v != NULL; v = v->next) {
        if (strcmp(v->text, text) == 0)
            return v;
        last = v;
    }
    size_t bytes = strlen(text) + 1;
    flag_value *made = rg_alloc(sizeof *made + bytes);
    if (made == NULL)
        return NULL;
    *made = fresh;
    made->next = NULL;
    made->text = memcpy(made + 1, text, bytes);
    last->next = made;
    return made;
}

static rg_status set(int i, const char *text)
{
    static const char *const kind[] = {"0 or 1", "a whole number", "a number", "text"};
    flag_value fresh = {0};
    if (!parse(table[i].type, text, &fresh))
        return rg_fail(RG_EINVAL, "FLAGS_%s is '%s', and must be %s", table[i].name, text,
                       kind[table[i].type]);
    (void)value_now(i);
    pthread_mutex_lock(&setting);
    flag_value *value = find_or_make(i, text, fresh);
    if (value != NULL)
        atomic_store_explicit(&values[i], value, memory_order_release);
    pthread_mutex_unlock(&setting);
    if (value == NULL)
        return rg_no_memory(strlen(text), "a flag");
    if (table[i].moot != NULL)
        rg_log(RG_LOG_W, "flags", "FLAGS_%s=%s \"has no effect: %s\"", table[i].name, text,
               table[i].moot);
    return RG_OK;
}

rg_status rg_flags_from_environment(void)
{
    const char *threads = getenv("OMP_NUM_THREADS");
    if (threads != NULL && threads[0] != '\0' &&
        rg_flag_set("paddle_num_threads", threads) != RG_OK)
        return rg_context(RG_EINVAL, "OMP_NUM_THREADS");
    for (char **e = environ; *e != NULL; e++) {
        if (strncmp(*e, "FLAGS_", 6) != 0)
            continue;
        const char *equals = strchr(*e, '=');
        char name[128];
        size_t length = equals ? (size_t)(equals - *e) - 6 : 0;
        if (length == 0 || length >= sizeof name)
            continue;
        memcpy(name, *e + 6, length);
        name[length] = '\0';
        int i = find(name);
        if (i < 0)
            rg_log(RG_LOG_W, "flags", "FLAGS_%s \"is not a flag here; `paddle flags` lists them\"",
                   name);
        else
            RG_TRY(set(i, equals + 1));
    }
    return RG_OK;
}

rg_status rg_flag_set(const char *name, const char *value)
{
    int i = find(name);
    if (i < 0)
        return rg_fail(RG_ENOENT, "%s is not a flag; `paddle flags` lists them", name);
    return set(i, value);
}

rg_status rg_flag_text(const char *name, const char **value)
{
    int i = find(name);
    if (i < 0)
        return rg_fail(RG_ENOENT, "%s is not a flag; `paddle flags` lists them", name);
    *value = value_now(i)->text;
    return RG_OK;
}

static const flag_value *value_of(const char *name, rg_flag_type type)
{
    int i = find(name);
    assert(i >= 0 && table[i].type == type);
    (void)type;
    return value_now(i);
}

bool rg_flag_bool(const char *name)
{
    return value_of(name, RG_FLAG_BOOL)->whole != 0;
}

int64_t rg_flag_int(const char *name)
{
    return value_of(name, RG_FLAG_INT)->whole;
}

int rg_flag_number(const char *name)
{
    int i = find(name);
    assert(i >= 0);
    return i;
}

bool rg_flag_bool_of(int number)
{
    assert(table[number].type == RG_FLAG_BOOL);
    return value_now(number)->whole != 0;
}

const char *rg_flag_text_of(int number)
{
    return value_now(number)->text;
}
