/* Groups of processes over rpc: members are threads here, and a process where one must die. They
 * have memory in common, as all members of one host do, unless a test says otherwise. */
#include "check.h"

#include "base/crc32c.h"
#include "base/mem.h"
#include "coll/group.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/pages.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4 };

typedef struct team {
    int size;
    char endpoint[64];
    const char *endpoints[1];
} team;

typedef struct part {
    team *team;
    int rank;
    void (*run)(rg_group *group, int rank);
    rg_status opened;
    char why[400];
    pthread_t thread;
} part;

/* A port of this process's own: others test beside us. */
static void name_endpoint(team *t, int size)
{
    t->size = size;
    (void)snprintf(t->endpoint, sizeof t->endpoint, "unix:/tmp/regatta-group-%d-%d", (int)getpid(),
                   size);
    t->endpoints[0] = t->endpoint;
}

static rg_status open_member(rg_group **group, team *t, int rank, int size)
{
    rg_group_config config = {.rank = rank, .size = size, .endpoints = t->endpoints};
    return rg_group_open(group, &config);
}

static void *member_main(void *arg)
{
    part *p = arg;
    rg_group *group = NULL;
    p->opened = open_member(&group, p->team, p->rank, p->team->size);
    if (p->opened == RG_OK)
        p->run(group, p->rank);
    (void)snprintf(p->why, sizeof p->why, "%s", rg_error_message());
    rg_group_close(group);
    return NULL;
}

static void run_team(int size, void (*run)(rg_group *group, int rank))
{
    team t;
    part parts[MOST];
    name_endpoint(&t, size);
    for (int i = 0; i < size; i++) {
        parts[i] = (part){.team = &t, .rank = i, .run = run};
        assert_int_equal(pthread_create(&parts[i].thread, NULL, member_main, &parts[i]), 0);
    }
    for (int i = 0; i < size; i++) {
        pthread_join(parts[i].thread, NULL);
        if (parts[i].opened != RG_OK)
            fail_msg("rank %d: %s", i, parts[i].why);
    }
}

/* ---- what is computed ---- */

static void everything(rg_group *group, int rank)
{
    int size = rg_group_size(group);
    assert_int_equal(rg_group_rank(group), rank);
    float sums[3] = {(float)rank, 1.0f, 0.5f};
    assert_ok(rg_group_all_reduce(group, sums, 3, RG_F32, RG_GROUP_SUM));
    assert_float_equal(sums[0], (float)(size * (size - 1)) / 2, 0);
    assert_float_equal(sums[1], (float)size, 0);

    int64_t large = (INT64_C(1) << 53) + 1 + rank; /* a double would lose the last bit */
    assert_ok(rg_group_all_reduce(group, &large, 1, RG_I64, RG_GROUP_SUM));
    assert_true(large == size * ((INT64_C(1) << 53) + 1) + size * (size - 1) / 2);

    double most[2] = {rank, -rank};
    assert_ok(rg_group_all_reduce(group, most, 2, RG_F64, RG_GROUP_MAX));
    assert_true(most[0] == size - 1 && most[1] == 0);
    int32_t least = 10 - rank;
    assert_ok(rg_group_all_reduce(group, &least, 1, RG_I32, RG_GROUP_MIN));
    assert_int_equal(least, 11 - size);
    double product = rank + 1;
    assert_ok(rg_group_all_reduce(group, &product, 1, RG_F64, RG_GROUP_PROD));
    assert_true(product == tgamma(size + 1));

    char text[8] = "";
    if (rank == size - 1)
        (void)snprintf(text, sizeof text, "hello");
    assert_ok(rg_group_broadcast(group, text, sizeof text, size - 1));
    assert_string_equal(text, "hello");

    uint16_t mine = (uint16_t)(100 + rank), all[MOST];
    assert_ok(rg_group_all_gather(group, &mine, sizeof mine, all));
    for (int i = 0; i < size; i++)
        assert_int_equal(all[i], 100 + i);

    float whole[MOST * 2], own[2];
    for (int i = 0; i < size * 2; i++)
        whole[i] = (float)(i + rank);
    assert_ok(rg_group_reduce_scatter(group, whole, own, 2, RG_F32, RG_GROUP_SUM));
    assert_float_equal(own[0], (float)(size * 2 * rank + size * (size - 1) / 2), 0);
    assert_ok(rg_group_barrier(group));
    assert_ok(rg_group_all_reduce(group, NULL, 0, RG_F32, RG_GROUP_SUM));
}

static void members_compute_together(void **unused)
{
    (void)unused;
    for (int size = 1; size <= MOST; size++)
        run_team(size, everything);
}

static void large(rg_group *group, int rank)
{
    enum { N = 1 << 20 };
    float *data = rg_alloc(N * sizeof *data);
    for (int i = 0; i < N; i++)
        data[i] = (float)((i % 1000) * (rank + 1));
    assert_ok(rg_group_all_reduce(group, data, N, RG_F32, RG_GROUP_SUM));
    for (int i = 0; i < N; i += 997)
        assert_float_equal(data[i], (float)((i % 1000) * 6), 0);
    rg_free(data);
}

static void megabytes_are_reduced(void **unused)
{
    (void)unused;
    run_team(3, large);
}

static void with_nan(rg_group *group, int rank)
{
    float x = rank == 1 ? NAN : (float)rank;
    assert_ok(rg_group_all_reduce(group, &x, 1, RG_F32, RG_GROUP_MAX));
    assert_true(isnan(x));
}

static void a_nan_is_not_hidden_by_a_maximum(void **unused)
{
    (void)unused;
    run_team(3, with_nan);
}

/* ---- the order of sums ---- */

/* Numbers whose sum depends on the order, in sizes that are added up in different ways. */
enum { SIZES = 5 };
static const size_t sizes[SIZES] = {1, 1001, 40000, 300007, 4300000};
static _Atomic uint32_t sums_of[2][MOST + 1]; /* by whether memory is shared, and ranks */
static bool shared;

static float awkward(size_t i, int rank)
{
    uint32_t x = (uint32_t)i * 2654435761u + (uint32_t)rank * 40503u;
    x ^= x >> 15;
    return (float)(int32_t)(x * 2246822519u) * (rank % 2 ? 1e-9f : 1.0f);
}

/* Also from memory that others look at where it is: a checksum of all that comes of it. */
static uint32_t sum_all(rg_group *group, int rank)
{
    uint32_t crc = 0;
    int n = rg_group_size(group);
    size_t bytes = sizes[SIZES - 1] * sizeof(float);
    float *plain = rg_alloc(bytes), *lent = rg_pages_alloc_lent(bytes), *own = plain + 4000;
    for (int s = 0; s < SIZES; s++)
        for (int l = 0; l < 2; l++) {
            float *data = l ? lent : plain;
            for (size_t i = 0; i < sizes[s]; i++)
                data[i] = awkward(i, rank);
            assert_ok(rg_group_all_reduce(group, data, sizes[s], RG_F32, RG_GROUP_SUM));
            crc = rg_crc32c(crc, data, sizes[s] * sizeof *data);
        }
    for (size_t i = 0; i < 4000; i++)
        plain[i] = awkward(i, rank);
    assert_ok(rg_group_reduce_scatter(group, plain, own, 1000, RG_F32, RG_GROUP_SUM));
    for (int i = 0; i < n; i++) { /* everybody's part, to have one number for all */
        float copy[1000];
        memcpy(copy, own, sizeof copy);
        assert_ok(rg_group_broadcast(group, copy, sizeof copy, i));
        crc = rg_crc32c(crc, copy, sizeof copy);
    }
    rg_pages_free(lent, bytes);
    rg_free(plain);
    return crc;
}

static void keep_sums(rg_group *group, int rank)
{
    assert_int_equal(rg_group_shares_memory(group), shared);
    uint32_t crc = sum_all(group, rank), none = 0;
    if (!atomic_compare_exchange_strong(&sums_of[shared][rg_group_size(group)], &none, crc))
        assert_int_equal(none, crc);
}

static void sums_have_one_order_with_memory_in_common_and_without(void **unused)
{
    (void)unused;
    for (int size = 2; size <= 3; size++) {
        shared = true;
        run_team(size, keep_sums);
        assert_ok(rg_flag_set("coll_shared_memory", "0"));
        shared = false;
        run_team(size, keep_sums);
        assert_ok(rg_flag_set("coll_shared_memory", "1"));
        assert_int_equal(sums_of[0][size], sums_of[1][size]);
    }
}

/* ---- what goes wrong ---- */

static void different(rg_group *group, int rank)
{
    float x[2] = {0};
    if (rank == 0)
        assert_fails(rg_group_all_reduce(group, x, 2, RG_F32, RG_GROUP_SUM), RG_ECLOSED,
                     "members must call the same");
    else
        assert_fails(rg_group_all_reduce(group, x, 1, RG_F32, RG_GROUP_SUM), RG_ECLOSED,
                     "rank 0 calls all_reduce of 8 bytes");
    assert_fails(rg_group_barrier(group), RG_ECLOSED, "members must call the same");
}

static void members_that_call_different_things_are_told(void **unused)
{
    (void)unused;
    run_team(2, different);
}

static void leaver(rg_group *group, int rank)
{
    if (rank == 1)
        return;
    assert_fails(rg_group_barrier(group), RG_ECLOSED, "rank 1 has left the group");
}

static void who_leaves_ends_the_wait_of_the_others(void **unused)
{
    (void)unused;
    run_team(3, leaver);
}

static void bad_arguments_are_refused(void **unused)
{
    team t;
    rg_group *group;
    (void)unused;
    name_endpoint(&t, 1);
    rg_group_config config = {.rank = 2, .size = 2, .endpoints = t.endpoints};
    assert_fails(rg_group_open(&group, &config), RG_EINVAL, "rank 2 of a group of 2");
    config = (rg_group_config){.backend = "pigeon", .size = 1, .endpoints = t.endpoints};
    assert_fails(rg_group_open(&group, &config), RG_ENOENT, "pigeon");
    assert_ok(open_member(&group, &t, 0, 1));
    uint8_t byte = 0;
    assert_fails(rg_group_all_reduce(group, &byte, 1, RG_U8, RG_GROUP_SUM), RG_EINVAL, "uint8");
    assert_fails(rg_group_broadcast(group, &byte, 1, 1), RG_EINVAL, "rank 1 of 1");
    rg_group_close(group);
}

static void who_never_comes_ends_the_start(void **unused)
{
    team t;
    rg_group *group;
    (void)unused;
    name_endpoint(&t, 2);
    assert_ok(rg_flag_set("rpc_deadline", "300"));
    assert_fails(open_member(&group, &t, 0, 2), RG_ETIMEOUT, "not all members came");
    assert_ok(rg_flag_set("rpc_deadline", "180000"));
}

/* The last member is a process, which kills itself in the middle. */
static int die_as_member(const char *endpoint)
{
    const char *endpoints[1] = {endpoint};
    rg_group_config config = {.rank = 2, .size = 3, .endpoints = endpoints};
    rg_group *group;
    if (rg_group_open(&group, &config) != RG_OK || !rg_group_shares_memory(group))
        return 1;
    (void)usleep(100 * 1000); /* the others sleep by then */
    (void)raise(SIGKILL);
    return 2;
}

static void bereaved(rg_group *group, int rank)
{
    float x[4] = {0};
    uint64_t began = rg_clock_ns();
    (void)rank;
    assert_fails(rg_group_all_reduce(group, x, 4, RG_F32, RG_GROUP_SUM), RG_ECLOSED,
                 "rank 2 is dead");
    assert_true(rg_clock_ns() - began < 5000000000u); /* no lease has run out */
}

static void who_is_killed_ends_the_wait_of_the_others(void **unused)
{
    team t;
    part parts[2];
    int status;
    (void)unused;
    name_endpoint(&t, 3);
    pid_t child = fork();
    if (child == 0) {
        (void)execl("/proc/self/exe", "test_group", "die", t.endpoint, (char *)NULL);
        _exit(3);
    }
    for (int i = 0; i < 2; i++) {
        parts[i] = (part){.team = &t, .rank = i, .run = bereaved};
        assert_int_equal(pthread_create(&parts[i].thread, NULL, member_main, &parts[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(parts[i].thread, NULL);
        assert_int_equal(parts[i].opened, RG_OK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static rg_status press(void)
{
    return rg_fail(RG_ECLOSED, "Ctrl+C");
}

/* Rank 1 does something else, and rank 0 is told to stop waiting for it. */
static void interrupted(rg_group *group, int rank)
{
    float x[2] = {1, 2};
    if (rank == 1) {
        (void)usleep(300 * 1000);
        return;
    }
    rg_set_interrupted(press);
    assert_fails(rg_group_all_reduce(group, x, 2, RG_F32, RG_GROUP_SUM), RG_ECLOSED, "Ctrl+C");
    rg_set_interrupted(NULL);
    assert_true(x[0] == 1 && x[1] == 2);
    assert_fails(rg_group_barrier(group), RG_ECLOSED, "Ctrl+C");
}

static void a_wait_can_be_interrupted(void **unused)
{
    (void)unused;
    run_team(2, interrupted);
}

/* ---- started now, waited for later ---- */

static void *make_room(void *user, int column, size_t bytes)
{
    char **all = user;
    return all[column] = rg_alloc(bytes);
}

static void meanwhile(rg_group *group, int rank)
{
    enum { WORKS = 8, N = 5000 };
    static const char word[] = "abcdefgh";
    rg_group_work *works[WORKS], *words;
    float *data = rg_alloc(WORKS * N * sizeof *data);
    for (int i = 0; i < WORKS * N; i++)
        data[i] = (float)(i % 17 + rank);
    for (int w = 0; w < WORKS; w++)
        assert_ok(
            rg_group_start_all_reduce(&works[w], group, data + w * N, N, RG_F32, RG_GROUP_SUM));
    char *all[2] = {NULL};
    rg_group_list list = {.n = (size_t)rank * 2, /* rank 0 has none */
                          .columns = 2,
                          .mine = {word, word},
                          .item_bytes = {1, 2},
                          .room = make_room,
                          .user = all};
    assert_ok(rg_group_start_gather(&words, group, &list));
    for (int w = WORKS - 1; w >= 0; w--) {
        assert_ok(rg_group_wait(works[w]));
        rg_group_work_close(works[w]);
    }
    for (int i = 0; i < WORKS * N; i++)
        assert_float_equal(data[i], (float)(3 * (i % 17) + 3), 0);
    assert_ok(rg_group_wait(words));
    for (int r = 0; r < 3; r++)
        assert_int_equal(rg_group_gathered(words, r), r * 2);
    assert_memory_equal(all[0], "ababcd", 6);
    assert_memory_equal(all[1], "abcdabcdefgh", 12);
    rg_free(all[0]);
    rg_free(all[1]);
    rg_group_work_close(words);
    rg_free(data);
}

static void operations_run_while_their_caller_does_something_else(void **unused)
{
    (void)unused;
    run_team(3, meanwhile);
}

/* What the caller keeps is untouched, and may be closed; the next time there is memory. */
static void gather_without_memory(rg_group *group, int rank)
{
    enum { ALLOCATIONS = 2 };
    char *all[2] = {NULL};
    rg_group_work *work = NULL;
    rg_group_list list = {.n = 1,
                          .columns = 2,
                          .mine = {"ab", "cdef"},
                          .item_bytes = {1, 2},
                          .room = make_room,
                          .user = all};
    for (int n = 1; n <= ALLOCATIONS; n++) {
        rg_mem_fail_at(n);
        rg_status code = rg_group_start_gather(&work, group, &list);
        assert_true(rg_mem_failed());
        rg_mem_fail_at(0);
        assert_int_equal(code, RG_ENOMEM);
        assert_null(work);
    }
    assert_ok(rg_group_start_gather(&work, group, &list));
    assert_ok(rg_group_wait(work));
    assert_int_equal(rg_group_gathered(work, rank), 1);
    assert_memory_equal(all[1], "cdcd", 4);
    rg_free(all[0]);
    rg_free(all[1]);
    rg_group_work_close(work);
}

/* promise 18 */
static void without_memory_nothing_is_under_way(void **unused)
{
    (void)unused;
    run_team(2, gather_without_memory);
}

static void failing(rg_group *group, int rank)
{
    if (rank == 1)
        rg_group_fail(group, "its disk is full");
    else
        assert_fails(rg_group_barrier(group), RG_ECLOSED, "rank 1 has failed: its disk is full");
}

/* As a plan whose step has failed: what it began is closed with it, after the group. */
static void failing_amid_a_sum(rg_group *group, int rank)
{
    float data[3] = {1, 2, 3};
    rg_group_work *work;
    if (rank != 1) {
        assert_int_not_equal(rg_group_barrier(group), RG_OK);
        return;
    }
    assert_ok(rg_group_start_all_reduce(&work, group, data, 3, RG_F32, RG_GROUP_SUM));
    rg_group_fail(group, "its disk is full");
    assert_int_not_equal(rg_group_wait(work), RG_OK);
    rg_group_work_close(work);
}

static void *failing_main(void *arg)
{
    part *p = arg;
    rg_group *group = NULL;
    p->opened = open_member(&group, p->team, p->rank, p->team->size);
    if (p->opened != RG_OK)
        return NULL;
    p->run(group, p->rank);
    if (p->rank != 1)
        rg_group_close(group);
    return NULL;
}

static void run_failing(void (*run)(rg_group *group, int rank))
{
    team t;
    part parts[2];
    name_endpoint(&t, 2);
    for (int i = 0; i < 2; i++) {
        parts[i] = (part){.team = &t, .rank = i, .run = run};
        assert_int_equal(pthread_create(&parts[i].thread, NULL, failing_main, &parts[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(parts[i].thread, NULL);
        assert_int_equal(parts[i].opened, RG_OK);
    }
}

static void who_fails_tells_the_others_why(void **unused)
{
    (void)unused;
    run_failing(failing);
}

static void what_is_under_way_may_be_closed_after_the_group(void **unused)
{
    (void)unused;
    run_failing(failing_amid_a_sum);
    assert_ok(rg_flag_set("coll_shared_memory", "0"));
    run_failing(failing_amid_a_sum);
    assert_ok(rg_flag_set("coll_shared_memory", "1"));
}

/* ---- over MPI: this program again, as ranks of mpirun ---- */

static int number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : -1;
}

static int run_as_rank(const char *what)
{
    rg_group *group;
    int rank = number_of("OMPI_COMM_WORLD_RANK"), size = number_of("OMPI_COMM_WORLD_SIZE");
    rg_group_config config = {.backend = "mpi", .rank = rank, .size = size};
    rg_status code = rg_flags_from_environment();
    if (code == RG_OK)
        code = rg_group_open(&group, &config);
    if (code != RG_OK) {
        (void)fprintf(stderr, "rank %d: %s\n", rank, rg_error_message());
        return 1;
    }
    if (strcmp(what, "everything") == 0) {
        everything(group, rank);
        large(group, rank);
        with_nan(group, rank);
        meanwhile(group, rank);
        (void)printf("rank %d %s sums %08x\n", rank,
                     rg_group_shares_memory(group) ? "shared" : "apart", sum_all(group, rank));
    } else if (rank == 1 && strcmp(what, "fail") == 0) {
        rg_group_fail(group, "its disk is full");
        sleep(20); /* mpirun ends it with the others */
        return 3;
    } else if (rank != 1) {
        code = rg_group_barrier(group);
        (void)fprintf(stderr, "rank %d: %s\n", rank, code == RG_OK ? "ok" : rg_error_message());
    }
    if (code != RG_OK)
        return 3; /* as a script that fails: without a goodbye to MPI */
    rg_group_close(group);
    return 0;
}

/* What MPI does not free is not ours. */
static int mpirun(const char *before, const char *what, char *said, size_t room)
{
    char command[4200], self[4000];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    (void)snprintf(command, sizeof command,
                   "%s ASAN_OPTIONS=detect_leaks=0 timeout 60 mpirun --allow-run-as-root "
                   "--oversubscribe -n 3 %s mpi %s 2>&1",
                   before, self, what);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    size_t got = fread(said, 1, room - 1, out);
    said[got] = '\0';
    return pclose(out);
}

static void members_compute_together_over_mpi_in_the_same_order(void **unused)
{
    static char said[65536];
    char wanted[80];
    (void)unused;
    for (int apart = 0; apart < 2; apart++) {
        if (mpirun(apart ? "FLAGS_coll_shared_memory=0" : "", "everything", said, sizeof said) != 0)
            fail_msg("%s", said);
        for (int i = 0; i < 3; i++) {
            (void)snprintf(wanted, sizeof wanted, "rank %d %s sums %08x", i,
                           apart ? "apart" : "shared", sums_of[1][3]);
            if (strstr(said, wanted) == NULL)
                fail_msg("no \"%s\" in: %s", wanted, said);
        }
    }
}

static void who_leaves_or_fails_over_mpi_is_named(void **unused)
{
    static char said[65536];
    (void)unused;
    assert_int_not_equal(mpirun("", "leave", said, sizeof said), 0);
    assert_non_null(strstr(said, "rank 1 has left the group"));
    assert_int_not_equal(mpirun("", "fail", said, sizeof said), 0);
    assert_non_null(strstr(said, "rank 1 has failed: its disk is full"));
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "mpi") == 0)
        return run_as_rank(argv[2]);
    if (argc == 3 && strcmp(argv[1], "die") == 0)
        return die_as_member(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_compute_together),
        cmocka_unit_test(megabytes_are_reduced),
        cmocka_unit_test(a_nan_is_not_hidden_by_a_maximum),
        cmocka_unit_test(sums_have_one_order_with_memory_in_common_and_without),
        cmocka_unit_test(members_that_call_different_things_are_told),
        cmocka_unit_test(who_leaves_ends_the_wait_of_the_others),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(who_never_comes_ends_the_start),
        cmocka_unit_test(who_is_killed_ends_the_wait_of_the_others),
        cmocka_unit_test(a_wait_can_be_interrupted),
        cmocka_unit_test(operations_run_while_their_caller_does_something_else),
        cmocka_unit_test(without_memory_nothing_is_under_way),
        cmocka_unit_test(who_fails_tells_the_others_why),
        cmocka_unit_test(what_is_under_way_may_be_closed_after_the_group),
        cmocka_unit_test(members_compute_together_over_mpi_in_the_same_order),
        cmocka_unit_test(who_leaves_or_fails_over_mpi_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
