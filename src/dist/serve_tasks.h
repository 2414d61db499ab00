/* serve_tasks.h - work of a server that leaves its loops: long copies, and the disk. */
#ifndef RG_DIST_SERVE_TASKS_H
#define RG_DIST_SERVE_TASKS_H

#include "dist/serve_priv.h"

typedef struct rg_server_task rg_server_task;

/* Owned by the queue from rg_serve_later() on. */
struct rg_server_task {
    rg_server_task *next;
    rg_rpc_request *request;
    rg_buf reply;
    rg_status (*copy)(rg_engine *s, rg_server_task *task); /* waits for the shards */
    rg_status (*write)(rg_server_task *task);              /* without the engine; NULL: nothing */
    /* It was written, and whoever asked has not been told otherwise; NULL: nothing. */
    rg_status (*written)(rg_engine *s, rg_server_task *task);
    void (*close)(rg_server_task *task); /* frees it */
};

rg_status rg_serve_open_queues(rg_engine *s);
/* Requests that are not done are refused. */
void rg_serve_close_queues(rg_engine *s);
void rg_serve_later(rg_engine *s, rg_task_queue_number queue, rg_server_task *task);
/* Refuses what the disk has not taken in that time, and leaves it behind. */
void rg_serve_look_at_disk(rg_engine *s, uint64_t limit_ns);

#endif
