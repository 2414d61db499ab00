/* model.h - the programs of a small job, made by the public ways and the transpiler. */
#ifndef RG_TESTS_SIM_MODEL_H
#define RG_TESTS_SIM_MODEL_H

#include "ir/program.h"

enum { MODEL_ROWS = 12, MODEL_WIDTH = 3, MODEL_MOST_SERVERS = 4 };

typedef enum model_kind {
    MODEL_WORDS,  /* an embedding, a layer over it, a squared error */
    MODEL_LEDGER, /* each gradient is 1 and so is the rate: what is pushed can be counted */
} model_kind;

typedef enum model_optimizer { MODEL_SGD, MODEL_MOMENTUM, MODEL_ADAM } model_optimizer;

typedef struct model_config {
    model_kind kind;
    model_optimizer optimizer;
    int mode; /* as listen_and_serv has it: 0 sync, 1 async, 2 half_async, 3 geo */
    int trainers, servers;
    const char *endpoints[MODEL_MOST_SERVERS];
} model_config;

/* Of trainer 0; the others' differ by their number alone. */
typedef struct model {
    rg_program *main, *startup;
    rg_program *server[MODEL_MOST_SERVERS], *server_startup[MODEL_MOST_SERVERS];
    int n_slices;
    struct {
        const char *name, *endpoint;
    } slices[16];
} model;

rg_status model_make(model *out, const model_config *config, int trainer);

#endif
