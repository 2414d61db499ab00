/* train.c - training on files, through the public C API. */
#include "capi/session_priv.h"

#include "base/mem.h"
#include "data/dataset.h"
#include "train/train.h"

#include <string.h>

enum { PERIOD = 100 };

typedef struct slots {
    rg_feed_slot *slot;
    size_t n, capacity;
} slots;

static rg_status add_slot(slots *list, const rg_vardesc *var)
{
    RG_TRY(rg_grow((void **)&list->slot, list->n, &list->capacity, sizeof *list->slot));
    list->slot[list->n++] = (rg_feed_slot){.name = var->name,
                                           .dtype = var->meta.dtype,
                                           .used = true,
                                           .dense = var->meta.lod_level == 0,
                                           .shape = var->meta.shape};
    return RG_OK;
}

/* What the program reads and nobody writes, in the order in which it was declared. */
static rg_status find_data(const rg_block *block, slots *list)
{
    for (size_t i = 0; i < block->vars.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&block->vars, i);
        const rg_vardesc *var = e ? e->value : NULL;
        if (var != NULL && !var->persistable && var->meta.kind == RG_TENSOR &&
            rg_block_reads(block, var->name) && !rg_block_writes(block, var->name))
            RG_TRY(add_slot(list, var));
    }
    if (list->n == 0)
        return rg_fail(RG_EINVAL, "the program reads no data");
    return RG_OK;
}

static rg_status find_slots(const rg_program *program, const rg_training *training, slots *list)
{
    const rg_block *block = program->blocks[0];
    if (training->slots == NULL)
        return find_data(block, list);
    for (size_t i = 0; i < training->n_slots; i++) {
        const rg_vardesc *var = rg_block_var(block, training->slots[i]);
        if (var == NULL)
            return rg_fail(RG_ENOENT, "the program has no variable %s for a slot",
                           training->slots[i]);
        RG_TRY(add_slot(list, var));
    }
    return RG_OK;
}

static rg_status set_up(rg_dataset *dataset, const rg_program *program, const rg_training *training)
{
    slots list = {0};
    rg_status code = find_slots(program, training, &list);
    if (code == RG_OK)
        code = rg_dataset_set_slots(dataset, list.slot, list.n);
    rg_free(list.slot);
    RG_TRY(code);
    if (training->n_files == 0)
        return rg_fail(RG_EINVAL, "the file list is empty: there is nothing to train on");
    RG_TRY(rg_dataset_set_files(dataset, training->files, training->n_files));
    if (training->pipe_command != NULL)
        RG_TRY(rg_dataset_set_pipe(dataset, training->pipe_command));
    RG_TRY(rg_dataset_set_batch_size(dataset, training->batch_size > 0 ? training->batch_size : 1));
    RG_TRY(rg_dataset_set_threads(dataset, training->threads > 0 ? training->threads : 1));
    return training->in_memory ? rg_dataset_load(dataset) : RG_OK;
}

static rg_status run_epochs(const rg_train_config *config, const rg_training *training)
{
    for (int epoch = 0; epoch < (training->epochs > 0 ? training->epochs : 1); epoch++) {
        rg_train_result result;
        if (training->shuffle != 0)
            RG_TRY(rg_dataset_shuffle(config->dataset, (uint64_t)training->shuffle));
        RG_TRY(rg_train_run(config, &result));
    }
    return RG_OK;
}

int rg_session_train(rg_session *session, int program, const rg_training *training)
{
    rg_session_parts parts;
    RG_TRY(rg_session_borrow(session, program, &parts));
    rg_train_config config = {.executor = parts.executor,
                              .program = parts.program,
                              .scope = parts.scope,
                              .fetches = training->fetches,
                              .infos = training->fetches,
                              .n_fetches = (int)training->n_fetches,
                              .period = training->print_period > 0 ? training->print_period
                                                                   : PERIOD,
                              .infer = training->infer != 0};
    if (training->shuffle != 0 && !training->in_memory)
        return rg_fail(RG_EINVAL, "files that are read while training cannot be shuffled: load "
                                  "them into memory");
    RG_TRY(rg_dataset_open(&config.dataset,
                           training->in_memory ? RG_DATASET_MEMORY : RG_DATASET_QUEUE));
    rg_status code = set_up(config.dataset, config.program, training);
    if (code == RG_OK)
        code = run_epochs(&config, training);
    rg_dataset_close(config.dataset);
    return rg_session_ran(session, code);
}
