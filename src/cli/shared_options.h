/* shared_options.h - options that `paddle pserver` and `paddle train` have in common. */
#ifndef RG_CLI_SHARED_OPTIONS_H
#define RG_CLI_SHARED_OPTIONS_H

#include "cli/options.h"

enum { RG_MAX_PORTS = 1024, RG_MAX_TRAINERS = 65536 };

#define RG_NO_TUNING  "the system chooses the sizes of its buffers"
#define RG_SAYS_WHOM  "who is waited for is always said"
#define RG_NO_BALANCE "how rows are spread is not checked: they are dealt evenly"

/* The defaults are those of the guides; ports and interfaces had others in old binaries. */
#define RG_SHARED_OPTIONS                                                                          \
    RG_NUMBER("port", "7164", 1, 65535, "the first port of a server"),                             \
        RG_NUMBER("ports_num", "1", 1, RG_MAX_PORTS, "ports for dense parameters"),                \
        RG_NUMBER("ports_num_for_sparse", "1", 0, RG_MAX_PORTS,                                    \
                  "further ports, for tables that are looked up by rows"),                         \
        RG_NUMBER("num_gradient_servers", "1", 1, RG_MAX_TRAINERS, "trainers of the job"),         \
        RG_WORD("comment", "", "a text by which scripts find the process"),                        \
        RG_MOOT("log_period_server", INT, "500",                                                   \
                "a server's news come by time: FLAGS_ps_log_seconds in its environment"),          \
        RG_MOOT("parallel_thread_num", INT, "1", "each port has a thread: raise --ports_num"),     \
        RG_MOOT("small_messages", BOOL, "false", "messages are sent as they come"),                \
        RG_MOOT("sock_send_buf_size", INT, "41943040", RG_NO_TUNING),                              \
        RG_MOOT("sock_recv_buf_size", INT, "41943040", RG_NO_TUNING),                              \
        RG_MOOT("sock_listen_queue_size", INT, "1024", RG_NO_TUNING),                              \
        RG_MOOT("log_barrier_abstract", BOOL, "true", RG_SAYS_WHOM),                               \
        RG_MOOT("log_barrier_lowest_nodes", INT, "5", RG_SAYS_WHOM),                               \
        RG_MOOT("log_barrier_show_log", BOOL, "false", RG_SAYS_WHOM),                              \
        RG_REFUSED("rdma_tcp", TEXT, "tcp", "there is no RDMA transport"),                         \
        RG_REFUSED("loadsave_parameters_in_pserver", BOOL, "false",                                \
                   "trainer 0 loads and saves all parameters"),                                    \
        RG_REFUSED("async_lagged_ratio_min", FLOAT, "1.0", "no gradient is thrown away"),          \
        RG_REFUSED("async_lagged_ratio_default", FLOAT, "1.5", "no gradient is thrown away"),      \
        RG_REFUSED("check_sparse_distribution_in_pserver", BOOL, "false", RG_NO_BALANCE),          \
        RG_REFUSED("show_check_sparse_distribution_log", BOOL, "false", RG_NO_BALANCE),            \
        RG_REFUSED("check_sparse_distribution_batches", INT, "100", RG_NO_BALANCE),                \
        RG_REFUSED("check_sparse_distribution_ratio", FLOAT, "0.6", RG_NO_BALANCE),                \
        RG_REFUSED("check_sparse_distribution_unbalance_degree", FLOAT, "2.0", RG_NO_BALANCE)

#endif
