/* metric_list.h - every metric there is, for sys/metrics.h: X(ID, KIND, WHOSE, name, labels, help).
 *
 * Names go by Prometheus' conventions: base units, _total where it only grows. `labels` is the text
 * between the braces; one that ends in '=' is open: each value of it is a series of its own. Those
 * of one name stand together. A HISTOGRAM is shown as NAME_bucket, NAME_sum and NAME_count.
 * docs/guide-watch.md has the same table (tests/watch looks). */
/* clang-format off */
#define RG_METRIC_LIST(X) \
    X(START_TIME, GAUGE, ANY, "regatta_process_start_time_seconds", "", "When this process began to be watched, in seconds since 1970") \
    X(CPU, SECONDS, ANY, "regatta_process_cpu_seconds_total", "", "CPU time of this process, user and system") \
    X(RESIDENT, GAUGE, ANY, "regatta_process_resident_bytes", "", "Memory that this process has now") \
    X(THREADS, GAUGE, ANY, "regatta_process_threads", "", "Threads of this process") \
    X(WATCH, SECONDS, ANY, "regatta_watch_cpu_seconds_total", "", "CPU time of the thread that samples and writes these numbers") \
    X(SENT, COUNTER, ANY, "regatta_network_sent_bytes_total", "", "Bytes sent to other processes of the job, by any transport") \
    X(RECEIVED, COUNTER, ANY, "regatta_network_received_bytes_total", "", "Bytes received from other processes of the job") \
    X(EXAMPLES, COUNTER, WORKER, "regatta_examples_total", "", "Examples that this worker has trained on") \
    X(BATCHES, COUNTER, WORKER, "regatta_batches_total", "", "Batches that this worker has trained on") \
    X(SKIPPED, COUNTER, WORKER, "regatta_skipped_batches_total", "", "Batches passed over by a worker started again, since it had trained on them before") \
    X(TEST_EXAMPLES, COUNTER, WORKER, "regatta_test_examples_total", "", "Examples that infer_from_dataset has run") \
    X(LOSS, MEAN, WORKER, "regatta_loss", "", "Mean loss of an example over the batches since the last sample") \
    X(TEST_LOSS, MEAN, WORKER, "regatta_loss", "set=\"test\"", "Mean loss of infer_from_dataset since the last sample") \
    X(AUC, GAUGE, WORKER, "regatta_auc", "", "AUC of training so far, over all workers where they are known") \
    X(TEST_AUC, GAUGE, WORKER, "regatta_auc", "set=\"test\"", "AUC of infer_from_dataset") \
    X(STEP_READ, SECONDS, WORKER, "regatta_step_seconds_total", "part=\"read\"", "Time of the threads that train, by what they do; read: waiting for data") \
    X(STEP_PULL, SECONDS, WORKER, "regatta_step_seconds_total", "part=\"pull\"", "pull: asking servers for rows, taking parameters") \
    X(STEP_COMPUTE, SECONDS, WORKER, "regatta_step_seconds_total", "part=\"compute\"", "compute: all the rest") \
    X(STEP_PUSH, SECONDS, WORKER, "regatta_step_seconds_total", "part=\"push\"", "push: sending gradients") \
    X(STEP_WAIT, SECONDS, WORKER, "regatta_step_seconds_total", "part=\"wait\"", "wait: for the step of all workers, or a collective sum") \
    X(BATCH_TIME, HISTOGRAM, WORKER, "regatta_batch_seconds", "", "How long a batch took on the thread that trained on it, all parts of its step") \
    X(PROGRESS, GAUGE, WORKER, "regatta_progress_ratio", "", "How much of its data this pass has read, 0 to 1, where its size is known") \
    X(GLOBAL_EXAMPLES, GAUGE, WORKER, "regatta_global_examples", "", "Examples of this pass over all workers") \
    X(GLOBAL_RATE, GAUGE, WORKER, "regatta_global_examples_per_second", "", "Examples a second over all workers, since the pass began") \
    X(GLOBAL_LOSS, GAUGE, WORKER, "regatta_global_loss", "", "Mean loss of this pass over all workers") \
    X(GLOBAL_AUC, GAUGE, WORKER, "regatta_global_auc", "", "AUC over all workers") \
    X(SLOWEST, GAUGE, WORKER, "regatta_slowest_worker", "", "Number of the worker with the fewest examples a second") \
    X(TABLE_ROWS, GAUGE, SERVER, "regatta_table_rows", "table=", "Rows of a sparse table in memory") \
    X(TABLE_BYTES, GAUGE, SERVER, "regatta_table_bytes", "table=", "Memory of a sparse table: rows, index and counts") \
    X(TABLE_LIMIT, GAUGE, SERVER, "regatta_table_limit_bytes", "", "What the tables of this server may take (FLAGS_ps_table_memory); none: no limit") \
    X(LOOKUPS, COUNTER, SERVER, "regatta_table_lookups_total", "", "Ids looked up in tables, by pulls and pushes") \
    X(HITS, COUNTER, SERVER, "regatta_table_hits_total", "", "Of them, those whose row was in memory") \
    X(EVICTED, COUNTER, SERVER, "regatta_table_evicted_total", "", "Rows that left memory for others, to the disk or for good") \
    X(PUSHES, COUNTER, SERVER, "regatta_pushes_total", "", "Requests with gradients that were applied") \
    X(PULLS, COUNTER, SERVER, "regatta_pulls_total", "", "Requests for rows or parameters that were answered") \
    X(BUSY, SECONDS, SERVER, "regatta_server_busy_seconds_total", "", "CPU time of the loops of this server") \
    X(LOOPS, GAUGE, SERVER, "regatta_server_loops", "", "Loops of this server: the most that busy seconds grow in a second") \
    X(WINDOW, GAUGE, WORKER, "regatta_push_window_bytes", "", "Requests that were answered and are not on a server's disk yet, kept to be sent again") \
    X(JOURNAL, COUNTER, SERVER, "regatta_journal_bytes_total", "", "Bytes written to the journal") \
    X(SNAPSHOTS, COUNTER, SERVER, "regatta_snapshots_total", "", "Snapshots that were written") \
    X(SNAPSHOT_TIME, GAUGE, SERVER, "regatta_snapshot_seconds", "", "How long the last snapshot took")
/* clang-format on */
