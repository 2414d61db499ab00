/* fuzz_watch.c - any bytes as lines of a job's watch files, by turns of a worker, a server and the
 * launcher; what comes of them is shown in every way. */
#include "watch/state.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char *const names[] = {"worker.0", "server.0", "launcher"};
    rg_watch_state *state;
    rg_buf out;
    if (rg_watch_state_open(&state, ".") != RG_OK)
        return 0;
    for (int turn = 0; n > 0; turn++) {
        const uint8_t *end = memchr(bytes, '\n', n);
        size_t length = end != NULL ? (size_t)(end - bytes) : n;
        rg_watched *of = rg_watch_state_process(state, names[turn % 3]);
        if (of != NULL)
            rg_watch_state_line(state, of, (const char *)bytes, length);
        length += end != NULL;
        bytes += length;
        n -= length;
    }
    state->now = state->newest + 1;
    rg_buf_init(&out, 0);
    rg_watch_state_json(state, &out);
    rg_watch_state_metrics(state, &out);
    rg_buf_fini(&out);
    rg_watch_state_close(state);
    return 0;
}
