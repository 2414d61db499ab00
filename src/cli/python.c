/* python.c - commands that Python carries out: `paddle train`, `paddle k8s` and others.
 *
 * This process becomes the Python beside the command, with a module of the package. What `paddle
 * train` takes is checked first, here, and handed over whole: --name=value of every option. */
#include "cli/commands.h"

#include "base/mem.h"
#include "cli/shared_options.h"
#include "sys/run.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef RG_WITH_PYTHON
#define RG_WITH_PYTHON 0
#endif

/* ---- Python ---- */

static rg_status find_python(char *path, size_t size)
{
    static const char *const names[] = {"python", "python3"};
    if (!RG_WITH_PYTHON)
        return rg_fail(RG_EUNIMPL, "this build is without Python (WITH_PYTHON=OFF)");
    for (int i = 0; i < 2; i++)
        if (rg_find_beside(rg_cli_self, names[i], path, size))
            return RG_OK;
    for (int i = 0; i < 2; i++)
        if (rg_find_on_path(names[i])) {
            (void)snprintf(path, size, "%s", names[i]);
            return RG_OK;
        }
    return rg_fail(RG_ENOENT, "no python was found beside this command, nor on PATH");
}

/* As `python -m module arguments`; returns where that fails. */
static int become(const char *command, const char *module, int n, char **arguments)
{
    char python[4096];
    char **argv = rg_alloc_zero((size_t)n + 4, sizeof *argv);
    rg_status code = argv ? find_python(python, sizeof python) : rg_no_memory(1, "arguments");
    if (code == RG_OK)
        code = rg_python_path_here();
    if (code == RG_OK) {
        argv[0] = python;
        argv[1] = (char *)(uintptr_t) "-m";
        argv[2] = (char *)(uintptr_t)module;
        memcpy(argv + 3, arguments, (size_t)n * sizeof *argv);
        (void)rg_become(argv);
    }
    (void)fprintf(stderr, "paddle %s: %s\n", command, rg_error_message());
    rg_free(argv);
    return 1;
}

static const struct {
    const char *command, *module;
} modules[] = {
    {"dump_config", "paddle.trainer.dump_config"},
    {"merge_model", "paddle.trainer.merge_model"},
    {"make_diagram", "paddle.trainer.make_diagram"},
    {"python", "paddle.python2"},
    {"check", "paddle.scripts.check"},
    {"k8s", "paddle.scripts.k8s"},
    {"profile", "paddle.scripts.profile"},
    {"table", "paddle.scripts.table"},   /* --picture, --to parquet */
    {"doctor", "paddle.scripts.doctor"}, /* --hosts */
};

int rg_cli_module(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strcmp(modules[i].command, argv[0]) == 0)
            return become(argv[0], modules[i].module, argc - 1, argv + 1);
    return rg_cli_misused("no such command"); /* cannot be: main.c has the same names */
}

/* ---- paddle train ---- */

#define SAME_RESULT "results are the same without"
#define BY_TEST     "use --job=test --predict_output_dir=DIR"

enum { MANY = 1 << 30 };

static const rg_option table[] = {
    RG_WORD("config", "", "the config to train, a Python file"),
    RG_WORD("config_args", "", "values for get_config_arg(): name=value,name=value"),
    {.name = "job",
     .initial = "train",
     .doc = "what to do",
     .choices = "train|test|time|checkgrad"},
    RG_WORD("save_dir", "", "where models go: a folder pass-00000 for each pass"),
    RG_WORD("init_model_path", "", "a model folder to begin with"),
    {.name = "load_missing_parameter_strategy",
     .initial = "fail",
     .doc = "for what is not in it",
     .choices = "fail|rand|zero"},
    RG_NUMBER("num_passes", "100", 0, MANY, "passes over the data"),
    RG_NUMBER("start_pass", "0", 0, MANY, "go on with this pass, from the model of the one before"),
    RG_NUMBER("saving_period", "1", 1, MANY, "passes between two saves"),
    RG_NUMBER("saving_period_by_batches", "0", 0, MANY, "batches between two saves; 0: none"),
    RG_SWITCH("save_only_one", "false", "keep the last model alone"),
    RG_NUMBER("log_period", "100", 0, MANY, "batches between two lines of the log"),
    RG_NUMBER("dot_period", "1", 0, MANY, "batches between two dots"),
    RG_NUMBER("test_period", "0", 0, MANY, "batches between two tests; 0: after each pass"),
    RG_NUMBER("test_pass", "-1", -1, MANY, "--job=test: the first pass to test"),
    RG_NUMBER("test_wait", "0", 0, MANY, "--job=test: wait for passes that are not there yet"),
    RG_SWITCH("test_all_data_in_one_period", "false", "a test takes all data; it always does"),
    RG_WORD("model_list", "", "--job=test: a file with model folders, a line each"),
    RG_WORD("predict_output_dir", "", "--job=test: where outputs go"),
    RG_NUMBER("show_parameter_stats_period", "0", 0, MANY,
              "batches between two looks at the parameters; 0: none"),
    RG_NUMBER("trainer_count", "1", 1, 4096, "threads of this trainer"),
    RG_SWITCH("local", "true", "train alone; 0: with parameter servers"),
    RG_NUMBER("trainer_id", "0", 0, RG_MAX_TRAINERS, "which of the job's trainers this is"),
    RG_WORD("pservers", "127.0.0.1", "addresses of the servers, with commas"),
    RG_SHARED_OPTIONS,
    RG_WORD("nics", "", "interfaces of a server that this trainer starts (--start_pserver)"),
    RG_SWITCH("start_pserver", "false", "start a server in this trainer, too"),
    RG_NUMBER("seed", "1", 0, 2147483647, "of random numbers; 0: another one each time"),
    {.name = "checkgrad_eps",
     .type = RG_OPTION_FLOAT,
     .initial = "1e-5",
     .doc = "--job=checkgrad: how far parameters are moved"},
    RG_SWITCH("use_gpu", "false", "train on a GPU"),
    RG_NUMBER("gpu_id", "0", 0, 1023, "--use_gpu: which one"),
    RG_SWITCH("with_cost", "true", "the config's cost is computed"),
    RG_SWITCH("feed_data", "false", "--job=time: reading the data counts, too"),
    RG_SWITCH("log_clipping", "false", "say which parameters' gradients are clipped"),
    RG_SWITCH("log_error_clipping", "false", "say which layers' errors are clipped"),
    RG_WORD("python_path", "", "further folders of modules, with colons"),
    RG_MOOT("enable_parallel_vector", INT, "0", SAME_RESULT),
    RG_MOOT("enable_grad_share", INT, "104857600", SAME_RESULT),
    RG_MOOT("grad_share_block_num", INT, "64", SAME_RESULT),
    RG_MOOT("rnn_use_batch", BOOL, "false", SAME_RESULT),
    RG_MOOT("use_old_updater", BOOL, "false", SAME_RESULT),
    RG_MOOT("thread_local_rand_use_global_seed", BOOL, "false", SAME_RESULT),
    RG_MOOT("pserver_num_threads", INT, "1", "it is an option of `paddle pserver`"),
    RG_REFUSED("parallel_nn", BOOL, "false",
               "layers are not spread over devices; --trainer_count uses several cores"),
    RG_REFUSED("python_bin", TEXT, "python2.7", "it is the Python beside this command"),
    RG_REFUSED("predict_file", TEXT, "", BY_TEST),
    RG_REFUSED("feat_file", TEXT, "", BY_TEST),
    RG_REFUSED("distribute_test", BOOL, "false", "each trainer tests the data of its own list"),
    RG_REFUSED("average_test_period", INT, "0",
               "tests take the averages where settings(model_average=) is set"),
    RG_REFUSED("show_layer_stat", BOOL, "false", "`fluid.profiler` shows where time goes"),
    RG_REFUSED("prev_batch_state", BOOL, "false", "states are not carried from batch to batch"),
    RG_REFUSED("beam_size", INT, "1", "it is the beam_size of beam_search() that counts"),
    {.name = NULL},
};

int rg_cli_trainer(int argc, char **argv)
{
    rg_options options;
    char *arguments[RG_MAX_OPTIONS];
    int n = 0;
    if (rg_options_read(&options, table, argc, argv) != RG_OK) {
        (void)fprintf(stderr, "paddle train: %s\n", rg_error_message());
        return 2;
    }
    if (options.help) {
        (void)printf("usage: paddle train --config=FILE [options]\n\nTrains, tests, times or "
                     "checks the model of a config.\n\n");
        rg_options_print(table);
        return 0;
    }
    rg_options_tell(&options, "train");
    for (int i = 0; table[i].name != NULL; i++) {
        rg_buf text;
        rg_buf_init(&text, 0);
        rg_buf_printf(&text, "--%s=%s", table[i].name, options.values[i]);
        arguments[n++] = rg_buf_take(&text); /* the process becomes another: never freed */
        if (arguments[n - 1] == NULL)
            return rg_cli_misused("no memory");
    }
    return become("train", "paddle.trainer.main", n, arguments);
}
