/* dataset.c - the settings of a dataset. */
#include "data/dataset_priv.h"

#include "base/mem.h"
#include "sys/file.h"
#include "sys/log.h"
#include "sys/process.h"

#include <string.h>

/* ---- failures of several threads ---- */

void rg_failure_init(rg_failure *failure)
{
    (void)pthread_mutex_init(&failure->lock, NULL);
    failure->code = RG_OK;
    failure->message[0] = '\0';
}

void rg_failure_note(rg_failure *failure, rg_status code)
{
    const char *text = rg_error_message();
    size_t n = strlen(text);
    if (n >= sizeof failure->message)
        n = sizeof failure->message - 1;
    (void)pthread_mutex_lock(&failure->lock);
    if (failure->code == RG_OK) {
        failure->code = code;
        memcpy(failure->message, text, n);
        failure->message[n] = '\0';
    }
    (void)pthread_mutex_unlock(&failure->lock);
}

rg_status rg_failure_raise(rg_failure *failure)
{
    (void)pthread_mutex_lock(&failure->lock);
    rg_status code = failure->code;
    if (code != RG_OK)
        rg_set_message("%s", failure->message);
    (void)pthread_mutex_unlock(&failure->lock);
    return code;
}

void rg_failure_fini(rg_failure *failure)
{
    (void)pthread_mutex_destroy(&failure->lock);
}

/* ---- open and close ---- */

rg_status rg_dataset_open(rg_dataset **out, rg_dataset_kind kind)
{
    rg_dataset *d = rg_alloc_zero(1, sizeof *d);
    if (d == NULL)
        return rg_no_memory(sizeof *d, "a dataset");
    d->kind = kind;
    d->batch_size = 32;
    d->threads = 1;
    *out = d;
    return RG_OK;
}

static void free_files(rg_dataset *d)
{
    for (size_t i = 0; i < d->n_files; i++)
        rg_free(d->files[i]);
    rg_free(d->files);
    d->files = NULL;
    d->n_files = 0;
}

void rg_dataset_close(rg_dataset *d)
{
    if (d == NULL || (d->preload.running && d->preload.pid != rg_process_id()))
        return; /* forked while it was loaded: it is its parent's */
    if (d->preload.running) {
        rg_dataset_cancel_preload(d);
        (void)rg_dataset_wait_preload(d);
    }
    rg_dataset_release(d);
    rg_feed_close(d->feed);
    free_files(d);
    rg_free(d->pipe);
    rg_free(d->fs_name);
    rg_free(d->fs_ugi);
    rg_free(d->fetch);
    rg_free(d);
}

/* ---- settings ---- */

/* What the data in memory was made by may not change under it. */
static rg_status may_set(const rg_dataset *d, const char *what, bool data_too)
{
    if (d->readers > 0)
        return rg_fail(RG_EINVAL, "%s cannot be set while the dataset is being read", what);
    if (d->preload.running)
        return rg_fail(RG_EINVAL,
                       "%s cannot be set while the dataset is being loaded: wait for "
                       "it (wait_preload_done)",
                       what);
    if (data_too && d->loaded)
        return rg_fail(RG_EINVAL,
                       "%s cannot be set while data is in memory: release it first "
                       "(release_memory)",
                       what);
    return RG_OK;
}

rg_status rg_dataset_set_slots(rg_dataset *d, const rg_feed_slot *slots, size_t n)
{
    rg_feed *feed;
    RG_TRY(may_set(d, "the slots", true));
    RG_TRY(rg_feed_open(&feed, slots, n));
    if (rg_feed_used(feed) == 0) {
        rg_feed_close(feed);
        return rg_fail(RG_EINVAL, "none of the %zu slots is used", n);
    }
    rg_status code = d->named ? rg_feed_set_named(feed, d->padding) : RG_OK;
    if (code != RG_OK) {
        rg_feed_close(feed);
        return code;
    }
    rg_feed_close(d->feed);
    d->feed = feed;
    rg_feed_set_texts(feed, d->ins_id, d->content);
    rg_feed_set_drop_zeros(feed, d->kind == RG_DATASET_MEMORY);
    return RG_OK;
}

rg_status rg_dataset_set_files(rg_dataset *d, const char *const *files, size_t n)
{
    RG_TRY(may_set(d, "the file list", false));
    char **list = rg_alloc_zero(n ? n : 1, sizeof *list);
    if (list == NULL)
        return rg_no_memory(n * sizeof *list, "the file list");
    free_files(d);
    d->files = list;
    for (; d->n_files < n; d->n_files++)
        if ((list[d->n_files] = rg_strdup(files[d->n_files])) == NULL)
            return rg_no_memory(strlen(files[d->n_files]), "the file list");
    return RG_OK;
}

static rg_status set_text(char **to, const char *text)
{
    char *copy = rg_strdup(text);
    if (copy == NULL)
        return rg_no_memory(strlen(text), "a setting");
    rg_free(*to);
    *to = copy;
    return RG_OK;
}

rg_status rg_dataset_set_pipe(rg_dataset *d, const char *command)
{
    RG_TRY(may_set(d, "the pipe command", false));
    while (*command == ' ')
        command++;
    if (*command == '\0')
        return rg_fail(RG_EINVAL, "the pipe command is empty; `cat` reads files as they are");
    return set_text(&d->pipe, command);
}

rg_status rg_dataset_set_remote(rg_dataset *d, const char *fs_name, const char *fs_ugi,
                                const char *command)
{
    RG_TRY(may_set(d, "how remote files are fetched", false));
    if (fs_name != NULL)
        RG_TRY(set_text(&d->fs_name, fs_name));
    if (fs_ugi != NULL)
        RG_TRY(set_text(&d->fs_ugi, fs_ugi));
    return command != NULL ? set_text(&d->fetch, command) : RG_OK;
}

rg_status rg_dataset_set_batch_size(rg_dataset *d, int64_t batch_size)
{
    RG_TRY(may_set(d, "the batch size", false));
    if (batch_size < 1 || batch_size > UINT32_MAX)
        return rg_fail(RG_EINVAL, "a batch size of %lld, and it must be 1 or more",
                       (long long)batch_size);
    d->batch_size = batch_size;
    return RG_OK;
}

rg_status rg_dataset_set_threads(rg_dataset *d, int threads)
{
    RG_TRY(may_set(d, "the number of threads", false));
    RG_TRY(rg_dataset_check_threads(threads));
    d->threads = threads;
    return RG_OK;
}

rg_status rg_dataset_set_texts(rg_dataset *d, bool ins_id, bool content)
{
    RG_TRY(may_set(d, "whether lines begin with an id", true));
    d->ins_id = ins_id;
    d->content = content;
    if (d->feed != NULL)
        rg_feed_set_texts(d->feed, ins_id, content);
    return RG_OK;
}

rg_status rg_dataset_set_named(rg_dataset *d, double padding)
{
    RG_TRY(may_set(d, "the form of the lines", true));
    if (d->kind != RG_DATASET_QUEUE)
        return rg_fail(RG_EINVAL, "lines of slot:value are for a queue dataset");
    d->named = true;
    d->padding = padding;
    return d->feed != NULL ? rg_feed_set_named(d->feed, padding) : RG_OK;
}

rg_status rg_dataset_set_leased(rg_dataset *d, bool leased)
{
    RG_TRY(may_set(d, "whether files are leased", false));
    if (leased && d->kind != RG_DATASET_QUEUE)
        return rg_fail(RG_EINVAL,
                       "an InMemoryDataset cannot lease its files: what it has in memory, and has "
                       "shuffled, could not go to another trainer in part; use a QueueDataset");
    d->leased = leased;
    return RG_OK;
}

bool rg_dataset_is_leased(const rg_dataset *d)
{
    return d->leased;
}

const rg_feed *rg_dataset_feed(const rg_dataset *d)
{
    return d->feed;
}

rg_status rg_dataset_check_threads(int threads)
{
    if (threads < 1 || threads > RG_DATASET_MAX_THREADS)
        return rg_fail(RG_EINVAL, "%d threads, and there must be 1 to %d", threads,
                       RG_DATASET_MAX_THREADS);
    return RG_OK;
}

int rg_dataset_threads(const rg_dataset *d)
{
    return d->threads;
}

int64_t rg_dataset_batch_size(const rg_dataset *d)
{
    return d->batch_size;
}

size_t rg_dataset_files(const rg_dataset *d)
{
    return d->n_files;
}

const char *rg_dataset_file(const rg_dataset *d, size_t i)
{
    return d->files[i];
}

/* ---- reading ---- */

rg_status rg_dataset_ready(const rg_dataset *d)
{
    if (d->feed == NULL)
        return rg_fail(RG_EINVAL, "the dataset has no slots: name them with set_use_var");
    if (d->files == NULL)
        return rg_fail(RG_EINVAL, "the dataset has no files: name them with set_filelist");
    if (d->n_files == 0) /* as of a worker for which no file was left */
        rg_log(RG_LOG_W, "data", "\"the dataset's file list is empty: there is nothing to read\"");
    return RG_OK;
}

rg_status rg_dataset_cut_size(const rg_dataset *d, size_t file, uint64_t *size)
{
    const rg_text_config text = {
        .pipe = d->pipe, .fs_name = d->fs_name, .ugi = d->fs_ugi, .fetch = d->fetch};
    bool can;
    RG_TRY(rg_text_can_cut(&text, d->files[file], &can));
    *size = can ? rg_path_size(d->files[file]) : 0;
    return RG_OK;
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

rg_status rg_dataset_digest(const rg_dataset *d, uint64_t *digest)
{
    const char *pipe = d->pipe != NULL ? d->pipe : "cat";
    uint64_t hash = mix(0xcbf29ce484222325u, &d->batch_size, sizeof d->batch_size);
    hash = mix(hash, pipe, strlen(pipe) + 1);
    for (size_t i = 0; i < d->n_files; i++) {
        uint64_t size = 0;
        RG_TRY(rg_dataset_cut_size(d, i, &size));
        hash = mix(hash, d->files[i], strlen(d->files[i]) + 1);
        hash = mix(hash, &size, sizeof size);
    }
    *digest = hash;
    return RG_OK;
}

void rg_dataset_lines(const rg_dataset *d, rg_lines *lines, rg_bad_lines *bad, uint64_t *bytes,
                      const rg_wake *wake)
{
    *lines = (rg_lines){
        .feed = d->feed,
        .text = {d->pipe, d->fs_name, d->fs_ugi, d->fetch, wake},
        .bad = bad,
        .bytes = bytes,
    };
}
