/* choose.c - ways that were tried, by key. */
#include "gpu/choose.h"

#include "gpu/device_priv.h"

#include "base/map.h"
#include "base/mem.h"
#include "sys/flags.h"

#include <string.h>

enum { BUCKETS = 256, MOST_KEY = 64, ROUNDS = 8, TRIES = 4 };

typedef struct known {
    unsigned char key[MOST_KEY];
    size_t bytes;
    int device, way;
    struct known *next;
} known;

static known *table[BUCKETS]; /* under rg_gpu_quiet: trials run while nobody records */

/* ROUNDS of it as a graph, since that is how it will run: the host is slower than many a kernel.
 * NULL: it cannot be recorded. */
static cudaGraphExec_t record(rg_gpu_stream *stream, rg_gpu_way run, void *arg, int way)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    bool ran = true;
    if (cudaStreamBeginCapture(stream->cuda, cudaStreamCaptureModeRelaxed) != cudaSuccess)
        return NULL;
    for (int i = 0; i < ROUNDS && ran; i++)
        ran = run(arg, way) == RG_OK;
    if (cudaStreamEndCapture(stream->cuda, &graph) == cudaSuccess && ran &&
        cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess)
        ready = NULL;
    if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    return ready;
}

/* The best of several tries; less than nothing where it cannot be had. The first run loads the
 * kernels, and is not counted. One that is far from the best is not tried again. */
static float time_one(rg_gpu_stream *stream, rg_gpu_way run, void *arg, int way, float best,
                      cudaEvent_t from, cudaEvent_t to)
{
    float least = -1;
    if (run(arg, way) != RG_OK || cudaStreamSynchronize(stream->cuda) != cudaSuccess)
        return -1;
    cudaGraphExec_t graph = record(stream, run, arg, way);
    for (int try = 0; try < TRIES && graph != NULL; try++) {
        float ms = -1;
        if (cudaEventRecord(from, stream->cuda) != cudaSuccess ||
            cudaGraphLaunch(graph, stream->cuda) != cudaSuccess ||
            cudaEventRecord(to, stream->cuda) != cudaSuccess ||
            cudaEventSynchronize(to) != cudaSuccess ||
            cudaEventElapsedTime(&ms, from, to) != cudaSuccess)
            break;
        least = least < 0 || ms < least ? ms : least;
        if (best >= 0 && least > 2 * best)
            break;
    }
    if (graph != NULL)
        (void)cudaGraphExecDestroy(graph);
    return least;
}

static int quickest(rg_gpu_stream *stream, int n, rg_gpu_way run, void *arg, int by_rule)
{
    cudaEvent_t from = NULL, to = NULL;
    float least = -1;
    int best = by_rule;
    if (cudaEventCreate(&from) == cudaSuccess && cudaEventCreate(&to) == cudaSuccess)
        for (int way = 0; way < n; way++) {
            float ms = time_one(stream, run, arg, way, least, from, to);
            if (ms >= 0 && (least < 0 || ms < least)) {
                least = ms;
                best = way;
            }
        }
    if (from)
        (void)cudaEventDestroy(from);
    if (to)
        (void)cudaEventDestroy(to);
    (void)cudaGetLastError(); /* of a way that could not be had */
    return best;
}

/* NULL: it has to be by rule. */
static const known *find(rg_gpu_stream *stream, const void *key, size_t bytes, int n,
                         rg_gpu_way run, void *arg, int by_rule)
{
    enum cudaStreamCaptureStatus recording;
    int device = stream->inside->device->number;
    known **at = &table[rg_hash_bytes(key, bytes, (uint64_t)device) % BUCKETS];
    for (const known *k = *at; k != NULL; k = k->next)
        if (k->device == device && k->bytes == bytes && memcmp(k->key, key, bytes) == 0)
            return k;
    if (cudaStreamIsCapturing(stream->cuda, &recording) != cudaSuccess ||
        recording != cudaStreamCaptureStatusNone)
        return NULL;
    known *k = rg_alloc_zero(1, sizeof *k);
    if (k == NULL)
        return NULL;
    memcpy(k->key, key, bytes);
    k->bytes = bytes;
    k->device = device;
    k->way = quickest(stream, n, run, arg, by_rule);
    k->next = *at;
    *at = k;
    return k;
}

int rg_gpu_choose(rg_gpu_stream *stream, const void *key, size_t bytes, int n, rg_gpu_way run,
                  void *arg, int by_rule)
{
    if (bytes > MOST_KEY || rg_flag_bool("cudnn_deterministic"))
        return by_rule;
    pthread_mutex_lock(&rg_gpu_quiet);
    const known *k = find(stream, key, bytes, n, run, arg, by_rule);
    int way = k ? k->way : by_rule;
    pthread_mutex_unlock(&rg_gpu_quiet);
    return way;
}
