/* test_job_env.c - who we are, as environments of every generation say it. */
#include "check.h"

#include "base/mem.h"
#include "sys/host.h"
#include "sys/job_env.h"

/* "NAME=value" texts, ended by NULL. */
static const char *lookup(void *arg, const char *name)
{
    size_t n = strlen(name);
    for (const char *const *at = arg; *at != NULL; at++)
        if (strncmp(*at, name, n) == 0 && (*at)[n] == '=')
            return *at + n + 1;
    return NULL;
}

#define READ(env, ...) rg_job_env_read(env, lookup, (const char *[]){__VA_ARGS__, NULL})

#define LIST "PADDLE_PSERVERS_IP_PORT_LIST=127.0.0.1:6170,127.0.0.1:6171"

static void nothing_says_nothing(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(READ(&env, "HOME=/root", "TRAINING_ROLE="));
    assert_int_equal(env.role, RG_JOB_NONE);
    assert_null(env.role_from);
    assert_int_equal(env.trainers, -1);
    assert_int_equal(env.n_servers, 0);
    assert_null(env.endpoint);
    rg_job_env_fini(&env);
}

static void a_trainer_of_launch_ps(void **state)
{
    (void)state;
    rg_job_env env;
    /* It inherits the last server's port and address: they say nothing about a trainer. */
    assert_ok(READ(&env, LIST, "TRAINING_ROLE=TRAINER", "PADDLE_TRAINERS_NUM=2",
                   "PADDLE_TRAINER_ID=1", "PADDLE_PORT=6171", "POD_IP=127.0.0.1"));
    assert_int_equal(env.role, RG_JOB_TRAINER);
    assert_string_equal(env.role_from, "TRAINING_ROLE");
    assert_int_equal(env.trainers, 2);
    assert_int_equal(env.trainer_id, 1);
    assert_int_equal(env.n_servers, 2);
    assert_string_equal(env.servers[1], "127.0.0.1:6171");
    assert_null(env.endpoint);
    rg_job_env_fini(&env);
}

static void a_server_of_launch_ps_finds_itself(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(READ(&env, LIST, "TRAINING_ROLE=PSERVER", "POD_IP=127.0.0.1", "PADDLE_PORT=6171"));
    assert_int_equal(env.server_index, 1);
    assert_string_equal(env.endpoint, "127.0.0.1:6171");
    assert_string_equal(env.endpoint_from, "POD_IP and PADDLE_PORT");
    rg_job_env_fini(&env);
}

static void a_server_may_be_named_by_its_host(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(READ(&env, LIST, "TRAINING_ROLE=PSERVER", "POD_IP=localhost", "PADDLE_PORT=6170"));
    assert_int_equal(env.server_index, 0);
    rg_job_env_fini(&env);
    assert_ok(READ(&env, "PADDLE_PSERVER_IPS=10.1.1.1,10.1.1.2", "PADDLE_CURRENT_IP=10.1.1.2",
                   "PADDLE_TRAINING_ROLE=PSERVER", "PADDLE_TRAINERS=2"));
    assert_string_equal(env.endpoint, "10.1.1.2:6174"); /* the guides' port */
    assert_int_equal(env.server_index, 1);
    assert_int_equal(env.trainers, 2);
    rg_job_env_fini(&env);
}

static void the_first_fluid_has_its_own_names(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(READ(&env, "PSERVERS=192.168.1.2:6174", "SERVER_ENDPOINT=192.168.1.2:6174",
                   "TRAINING_ROLE=PSERVER"));
    assert_int_equal(env.server_index, 0);
    assert_string_equal(env.servers_from, "PSERVERS");
    rg_job_env_fini(&env);
}

static void a_collective_job_has_workers(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(READ(&env, "PADDLE_TRAINER_ENDPOINTS=10.0.0.1:1,10.0.0.2:1", "PADDLE_TRAINER_ID=1",
                   "PADDLE_CURRENT_ENDPOINT=10.0.0.2:1", "PADDLE_TRAINERS=10.0.0.1,10.0.0.2"));
    assert_int_equal(env.trainers, 2);
    assert_string_equal(env.endpoint, "10.0.0.2:1");
    rg_job_env_fini(&env);
    assert_fails(READ(&env, "PADDLE_TRAINER_ENDPOINTS=10.0.0.1:1,10.0.0.2:1", "PADDLE_TRAINER_ID=1",
                      "PADDLE_CURRENT_ENDPOINT=10.0.0.1:1"),
                 RG_EINVAL, "PADDLE_CURRENT_ENDPOINT=10.0.0.1:1");
}

static void contradictions_are_refused_with_both_names_and_values(void **state)
{
    (void)state;
    rg_job_env env;
    assert_fails(READ(&env, "TRAINING_ROLE=TRAINER", "PADDLE_TRAINING_ROLE=PSERVER"), RG_EINVAL,
                 "PADDLE_TRAINING_ROLE=PSERVER, TRAINING_ROLE=TRAINER");
    assert_fails(READ(&env, "PADDLE_TRAINERS=3", "PADDLE_TRAINERS_NUM=2"), RG_EINVAL,
                 "PADDLE_TRAINERS_NUM=2, PADDLE_TRAINERS=3");
    assert_fails(READ(&env, LIST, "PADDLE_PSERVER_IPS=127.0.0.1", "PADDLE_PSERVER_PORT=6170"),
                 RG_EINVAL, "PADDLE_PSERVER_IPS=127.0.0.1 with port 6170");
    assert_fails(
        READ(&env, "TRAINING_ROLE=PSERVER", "POD_IP=10.0.0.1", "PADDLE_CURRENT_IP=10.0.0.2"),
        RG_EINVAL, "PADDLE_CURRENT_IP=10.0.0.2, POD_IP=10.0.0.1");
    assert_fails(READ(&env, "TRAINING_ROLE=PSERVER", "POD_IP=10.0.0.1", "PADDLE_PORT=1",
                      "PADDLE_PSERVER_PORT=2"),
                 RG_EINVAL, "PADDLE_PSERVER_PORT=2, PADDLE_PORT=1");
    assert_fails(READ(&env, "PADDLE_TRAINERS_NUM=3", "PADDLE_TRAINER_ENDPOINTS=a:1,b:1"), RG_EINVAL,
                 "PADDLE_TRAINER_ENDPOINTS=a:1,b:1");
    assert_fails(READ(&env, LIST, "TRAINING_ROLE=PSERVER", "POD_IP=127.0.0.1", "PADDLE_PORT=6170",
                      "PADDLE_PSERVER_ID=1"),
                 RG_EINVAL, "PADDLE_PSERVER_ID=1, POD_IP and PADDLE_PORT=127.0.0.1:6170");
}

static void endpoints_of_trainers_do_not_count_beside_servers(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(READ(&env, LIST, "PADDLE_TRAINERS_NUM=3", "PADDLE_TRAINER_ENDPOINTS=a:1,b:1"));
    assert_int_equal(env.trainers, 3);
    rg_job_env_fini(&env);
}

static void agreeing_variables_are_no_contradiction(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(READ(&env, "PADDLE_PSERVERS_IP_PORT_LIST=127.0.0.1:6174",
                   "PADDLE_PSERVER_IPS=localhost", "PADDLE_PSERVER_PORT=6174",
                   "PSERVERS=127.0.0.1:6174", "TRAINING_ROLE=PSERVER",
                   "PADDLE_TRAINING_ROLE=PSERVER", "POD_IP=127.0.0.1",
                   "PADDLE_CURRENT_IP=localhost", "PADDLE_PORT=6174"));
    assert_int_equal(env.server_index, 0);
    rg_job_env_fini(&env);
}

static void children_of_our_launcher_have_both_styles(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(READ(&env, LIST, "REGATTA_JOB_ID=x", "REGATTA_JOB_KEY=secret",
                   "PADDLE_PSERVER_IPS=127.0.0.1,127.0.0.2", "PADDLE_PSERVER_PORT=6170",
                   "TRAINING_ROLE=PSERVER", "POD_IP=127.0.0.1", "PADDLE_PORT=6171",
                   "PADDLE_CURRENT_IP=127.0.0.2"));
    assert_int_equal(env.server_index, 1);
    assert_string_equal(env.endpoint, "127.0.0.1:6171");
    assert_true(env.has_key);
    rg_job_env_fini(&env);
}

static void bad_values_name_their_variable(void **state)
{
    (void)state;
    rg_job_env env;
    assert_fails(READ(&env, "TRAINING_ROLE=WORKER"), RG_EINVAL, "TRAINING_ROLE=WORKER");
    assert_fails(READ(&env, "PADDLE_TRAINERS=two"), RG_EINVAL, "PADDLE_TRAINERS=two");
    assert_fails(READ(&env, "PADDLE_TRAINERS_NUM=0"), RG_EINVAL, "PADDLE_TRAINERS_NUM=0");
    assert_fails(READ(&env, "PADDLE_TRAINERS_NUM=99999999999999999999"), RG_EINVAL, "whole number");
    assert_fails(READ(&env, "PADDLE_TRAINER_ID=2", "PADDLE_TRAINERS_NUM=2"), RG_EINVAL,
                 "numbered from 0 to 1");
    assert_fails(READ(&env, "PSERVERS=a:1,b"), RG_EINVAL, "PSERVERS: 'b' is not host:port");
    assert_fails(READ(&env, "PSERVERS=a:1,a:1"), RG_EINVAL, "PSERVERS has a:1 twice");
    assert_fails(READ(&env, "PSERVERS=a:70000"), RG_EINVAL, "'a:70000'");
    assert_fails(READ(&env, "PADDLE_PSERVER_IPS=10.0.0.1,,10.0.0.2"), RG_EINVAL,
                 "is not a host and a port");
    assert_fails(READ(&env, "PADDLE_PSERVER_IPS=a", "PADDLE_PSERVER_PORT=x"), RG_EINVAL,
                 "PADDLE_PSERVER_PORT=x");
    assert_fails(READ(&env, LIST, "TRAINING_ROLE=PSERVER", "POD_IP=127.0.0.1", "PADDLE_PORT=9"),
                 RG_EINVAL, "this server is 127.0.0.1:9 (POD_IP and PADDLE_PORT)");
    assert_fails(READ(&env, LIST, "TRAINING_ROLE=PSERVER", "PADDLE_PSERVER_ID=2"), RG_EINVAL,
                 "numbered from 0 to 1");
}

static void a_loopback_address_is_refused_among_several_hosts(void **state)
{
    (void)state;
    rg_job_env env;
    assert_fails(READ(&env, "PSERVERS=10.0.0.1:1,127.0.1.1:1"), RG_EINVAL,
                 "PSERVERS names 127.0.1.1:1, whose address here is 127.0.1.1");
    assert_fails(READ(&env, "PSERVERS=localhost:1,10.0.0.1:1"), RG_EINVAL, "/etc/hosts");
    assert_fails(READ(&env, "PADDLE_TRAINER_ENDPOINTS=10.0.0.1:1,127.0.1.1:1"), RG_EINVAL,
                 "PADDLE_TRAINER_ENDPOINTS names");
    assert_fails(READ(&env, "PSERVERS=127.0.1.1:1", "PADDLE_TRAINER_ENDPOINTS=10.0.0.1:1"),
                 RG_EINVAL, "PSERVERS names 127.0.1.1:1");
    assert_ok(READ(&env, "PSERVERS=127.0.0.1:1,127.0.1.1:1"));
    rg_job_env_fini(&env);
}

static void endpoints_with_ipv6(void **state)
{
    (void)state;
    rg_job_env env;
    assert_ok(
        READ(&env, "PSERVERS=[::1]:1,[::1]:2", "SERVER_ENDPOINT=[::1]:2", "TRAINING_ROLE=PSERVER"));
    assert_int_equal(env.server_index, 1);
    rg_job_env_fini(&env);
    assert_fails(READ(&env, "PSERVERS=::1:1"), RG_EINVAL, "is not host:port");
    assert_fails(READ(&env, "PSERVERS=a b:1"), RG_EINVAL, "is not host:port");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    rg_job_env env;
    bool failed = true;
    for (long n = 1; failed; n++) {
        rg_mem_fail_at(n);
        rg_status code = READ(&env, LIST, "TRAINING_ROLE=PSERVER", "POD_IP=127.0.0.1",
                              "PADDLE_PORT=6171", "PADDLE_TRAINERS=2");
        failed = rg_mem_failed();
        rg_mem_fail_at(0);
        assert_int_equal(code, failed ? RG_ENOMEM : RG_OK);
        if (code == RG_OK)
            rg_job_env_fini(&env);
    }
}

static void ports_are_free_or_taken(void **state)
{
    (void)state;
    bool is_free;
    int port;
    assert_ok(rg_port_find("127.0.0.1", &port));
    assert_ok(rg_port_is_free("127.0.0.1", port, &is_free));
    assert_true(is_free);
    /* Else another process's connection could have it before a server listens. */
    FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r");
    int first = 0, last = 0;
    if (file != NULL && fscanf(file, "%d %d", &first, &last) == 2 && first > 11000)
        for (int i = 0; i < 100; i++) {
            assert_ok(rg_port_find("127.0.0.1", &port));
            assert_in_range(port, 10000, first - 1);
        }
    if (file != NULL)
        fclose(file);
    assert_fails(rg_port_is_free("127.0.0.1", 0, &is_free), RG_EINVAL, "port 0");
    assert_fails(rg_port_is_free("no.such.host.invalid", 1, &is_free), RG_ENOENT,
                 "no.such.host.invalid has no address");
    assert_true(rg_address_is_ours("127.0.0.1"));
    assert_false(rg_address_is_ours("192.0.2.1"));
}

RUN(cmocka_unit_test(nothing_says_nothing), cmocka_unit_test(a_trainer_of_launch_ps),
    cmocka_unit_test(a_server_of_launch_ps_finds_itself),
    cmocka_unit_test(a_server_may_be_named_by_its_host),
    cmocka_unit_test(the_first_fluid_has_its_own_names),
    cmocka_unit_test(a_collective_job_has_workers),
    cmocka_unit_test(contradictions_are_refused_with_both_names_and_values),
    cmocka_unit_test(endpoints_of_trainers_do_not_count_beside_servers),
    cmocka_unit_test(agreeing_variables_are_no_contradiction),
    cmocka_unit_test(children_of_our_launcher_have_both_styles),
    cmocka_unit_test(bad_values_name_their_variable),
    cmocka_unit_test(a_loopback_address_is_refused_among_several_hosts),
    cmocka_unit_test(endpoints_with_ipv6), cmocka_unit_test(every_allocation_may_fail),
    cmocka_unit_test(ports_are_free_or_taken))
