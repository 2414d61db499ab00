/* choose.h - which of several ways to compute the same is the quickest, found out by trial. */
#ifndef RG_GPU_CHOOSE_H
#define RG_GPU_CHOOSE_H

#include "gpu/gpu.h"

/* Puts the work into the stream the given way; anything but RG_OK: this way is not to be had. What
 * it writes must do no harm when it is written again and again. */
typedef rg_status (*rg_gpu_way)(void *arg, int way);

/* The quickest of n ways for a key, tried when a GPU is first asked for it, and known from then on.
 * Where it cannot be tried now (the stream is being recorded), or FLAGS_cudnn_deterministic wants
 * the same in each process, it is `by_rule`. */
int rg_gpu_choose(rg_gpu_stream *stream, const void *key, size_t bytes, int n, rg_gpu_way run,
                  void *arg, int by_rule);

#endif
