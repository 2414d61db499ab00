/* test_gpu_streams.c - the device of src/gpu (streams, and what runs beside them) over a runtime
 * that is emulated (runtime.c). */
#include "check.h"

#include "gpu/choose.h"
#include "gpu/device_priv.h"
#include "gpu/side.h"
#include "runtime.h"
#include "sys/flags.h"

#include <stdlib.h>

static const rg_device gpus[] = {{.name = "gpu", .number = 0}, {.name = "gpu", .number = 1}};

static rg_gpu_stream *open_on(int gpu)
{
    void *stream;
    assert_ok(rg_gpu_open_stream(&gpus[gpu], &stream));
    return stream;
}

/* ---- several GPUs ---- */

static void *begin_elsewhere(void *stream)
{
    int *gpu = malloc(sizeof *gpu);
    if (gpu == NULL || rg_gpu_begin_run(stream) != RG_OK || cudaGetDevice(gpu) != cudaSuccess)
        fail();
    return gpu;
}

/* Kernels cannot be launched otherwise; each thread has a GPU of its own, the first if it says
 * nothing. */
static void a_run_is_on_the_gpu_of_its_plan(void **state)
{
    (void)state;
    rg_gpu_stream *streams[] = {open_on(0), open_on(1)};
    for (int i = 0; i < 4; i++) {
        int gpu = -1;
        void *there;
        pthread_t thread;
        assert_ok(rg_gpu_begin_run(streams[i % 2]));
        assert_int_equal(cudaGetDevice(&gpu), cudaSuccess);
        assert_int_equal(gpu, i % 2);
        assert_int_equal(pthread_create(&thread, NULL, begin_elsewhere, streams[i % 2]), 0);
        assert_int_equal(pthread_join(thread, &there), 0);
        assert_int_equal(*(int *)there, i % 2);
        free(there);
    }
    rg_gpu_close_stream(streams[0]);
    rg_gpu_close_stream(streams[1]);
}

static rg_status try(void *tried, int way)
{
    (void)way;
    ++*(int *)tried;
    return RG_OK;
}

static void ways_are_tried_on_each_gpu(void **state)
{
    (void)state;
    const int64_t key[] = {1, 2, 3};
    for (int gpu = 0; gpu < 2; gpu++) {
        rg_gpu_stream *stream = open_on(gpu);
        int tried = 0, once;
        (void)rg_gpu_choose(stream, key, sizeof key, 2, try, &tried, 0);
        assert_true(tried > 0);
        once = tried;
        (void)rg_gpu_choose(stream, key, sizeof key, 2, try, &tried, 0);
        assert_int_equal(tried, once);
        rg_gpu_close_stream(stream);
    }
}

/* ---- feeds ---- */

static void feeds_of_a_run_that_failed_do_not_come_in_the_next(void **state)
{
    (void)state;
    rg_gpu_stream *stream = open_on(0);
    const uint32_t wrong[4] = {9, 9, 9, 9}, right[4] = {1, 2, 3, 4};
    uint32_t fed[4] = {0};
    const rg_move first = {fed, wrong, sizeof wrong}, second = {fed, right, sizeof right};
    assert_ok(rg_gpu_begin_run(stream));
    assert_ok(rg_gpu_copy_parts(stream, &first, 1)); /* the first op's sizes are wrong: none runs */
    assert_ok(rg_gpu_begin_run(stream));
    assert_ok(rg_gpu_copy_parts(stream, &second, 1));
    rg_gpu_next_op(stream, 0);
    assert_ok(rg_gpu_sync(&gpus[0], stream));
    assert_memory_equal(fed, right, sizeof right);
    rg_gpu_close_stream(stream);
}

/* ---- work beside ---- */

static void trail(rg_gpu_stream *stream, rg_gpu_stream *branch)
{
    static int weight;
    rg_gpu_next_op(stream, RG_KERNEL_TRAILS);
    rg_gpu_trail(stream, &weight, branch);
}

static void recorded_work_runs_beside(void **state)
{
    (void)state;
    rg_gpu_stream *stream = open_on(0), branch;
    void *graph;
    assert_ok(rg_gpu_begin_run(stream));
    trail(stream, &branch);
    assert_ptr_equal(branch.cuda, stream->cuda); /* nothing is recorded */
    assert_ok(rg_gpu_begin_run(stream));
    assert_ok(rg_gpu_record_begin(stream));
    trail(stream, &branch);
    assert_ptr_not_equal(branch.cuda, stream->cuda);
    assert_ptr_not_equal(branch.workspace, stream->workspace);
    assert_ptr_not_equal(branch.counters, stream->counters);
    assert_ok(rg_gpu_record_end(stream, &graph));
    rg_gpu_drop_record(graph);
    rg_gpu_close_stream(stream);
}

/* Some of what the second stream needs can be had, and its workspace not. */
static void where_there_is_no_memory_for_it_nothing_is_kept(void **state)
{
    (void)state;
    rg_gpu_stream *stream = open_on(0), branch;
    void *graph;
    const emu_use before = emu_now;
    emu_largest = stream->workspace_bytes - 1;
    assert_ok(rg_gpu_begin_run(stream));
    trail(stream, &branch);
    const int refused = emu_now.refused;
    assert_true(refused > before.refused);
    for (int op = 0; op < 3; op++)
        trail(stream, &branch);
    assert_ok(rg_gpu_begin_run(stream));
    assert_ok(rg_gpu_record_begin(stream));
    trail(stream, &branch);
    assert_ptr_equal(branch.cuda, stream->cuda);
    assert_ok(rg_gpu_record_end(stream, &graph));
    rg_gpu_drop_record(graph);
    emu_largest = SIZE_MAX;
    assert_int_equal(emu_now.streams, before.streams);
    assert_int_equal(emu_now.events, before.events);
    assert_true(emu_now.bytes <= before.bytes);
    assert_int_equal(emu_now.refused, refused); /* it was asked for once */
    rg_gpu_close_stream(stream);
}

static void it_goes_with_its_stream(void **state)
{
    (void)state;
    const emu_use before = emu_now;
    for (int plan = 0; plan < 3; plan++) {
        rg_gpu_stream *stream = open_on(plan % 2), branch;
        assert_ok(rg_gpu_begin_run(stream));
        trail(stream, &branch);
        rg_gpu_close_stream(stream);
    }
    assert_int_equal(emu_now.streams, before.streams);
    assert_int_equal(emu_now.events, before.events);
}

static void without_graphs_nothing_is_made_for_it(void **state)
{
    (void)state;
    rg_gpu_stream *stream = open_on(0), branch;
    const emu_use before = emu_now;
    assert_ok(rg_flag_set("gpu_graph", "0"));
    assert_ok(rg_gpu_begin_run(stream));
    trail(stream, &branch);
    assert_ok(rg_flag_set("gpu_graph", "1"));
    assert_ptr_equal(branch.cuda, stream->cuda);
    assert_memory_equal(&emu_now, &before, sizeof before);
    rg_gpu_close_stream(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_there_is_no_memory_for_it_nothing_is_kept),
        cmocka_unit_test(without_graphs_nothing_is_made_for_it),
        cmocka_unit_test(a_run_is_on_the_gpu_of_its_plan),
        cmocka_unit_test(ways_are_tried_on_each_gpu),
        cmocka_unit_test(it_goes_with_its_stream),
        cmocka_unit_test(recorded_work_runs_beside),
        cmocka_unit_test(feeds_of_a_run_that_failed_do_not_come_in_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
