/* main.c - the `paddle` command. */
#include "base/buf.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "ir/op.h"
#include "ir/refused.h"
#include "sys/command.h"
#include "sys/flags.h"
#include "sys/job_env.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *doc;
    int (*run)(int argc, char **argv);
    bool helps; /* it knows --help itself */
} command;

const char *rg_cli_self = "paddle";

int rg_cli_misused(const char *what)
{
    (void)fprintf(stderr, "paddle: %s\n", what);
    return 2;
}

#define ON_IF(CONDITION) ((CONDITION) ? "ON" : "OFF")
#ifndef RG_WITH_PYTHON
#define RG_WITH_PYTHON 0
#endif
#ifndef RG_WITH_GPU
#define RG_WITH_GPU 0
#endif

static int run_version(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return rg_cli_misused("version takes no arguments");
    (void)printf("PaddlePaddle 1.8.5, compiled with\n"
                 "    with_avx: ON\n" /* kernels are there for several CPUs, and one is chosen */
                 "    with_gpu: %s\n"
                 "    with_double: OFF\n"
                 "    with_python: %s\n"
                 "    with_rdma: OFF\n"
                 "    with_timer: OFF\n"
                 "    regatta: %s\n",
                 ON_IF(RG_WITH_GPU), ON_IF(RG_WITH_PYTHON), RG_VERSION);
    return 0;
}

/* ---- usage ---- */

/* Scripts of old demos tell how a run ended: usage -l LOG -e STATUS -n NAME. */
static int run_usage(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            break;
        if (strlen(argv[i]) != 2 || argv[i][0] != '-' || strchr("len", argv[i][1]) == NULL)
            return rg_cli_misused("usage takes -l LOGFILE, -e STATUS and -n NAME");
        if (i + 1 == argc)
            return rg_cli_misused("usage: the last option has no value");
    }
    (void)printf("paddle usage: nothing is sent anywhere\n");
    return 0;
}

/* ---- ops ---- */

static void print_slots(const char *title, const rg_slot *slots)
{
    for (int i = 0; slots != NULL && slots[i].name != NULL; i++)
        (void)printf("- %s `%s`%s%s: %s\n", title, slots[i].name,
                     slots[i].flags & RG_REPEATED ? " (list)" : "",
                     slots[i].flags & RG_OPTIONAL ? " (optional)" : "",
                     slots[i].doc && slots[i].doc[0] ? slots[i].doc : "as of the op");
}

static void print_attr(const rg_attr_spec *spec)
{
    const rg_attr *a = &spec->value;
    (void)printf("- attribute `%s` (%s", a->name, rg_attr_type_name(a->type));
    if (spec->required)
        (void)printf(", required");
    else if (a->type == RG_ATTR_INT)
        (void)printf(", %d", a->i);
    else if (a->type == RG_ATTR_LONG)
        (void)printf(", %lld", (long long)a->l);
    else if (a->type == RG_ATTR_FLOAT)
        (void)printf(", %g", (double)a->f);
    else if (a->type == RG_ATTR_BOOL)
        (void)printf(", %s", a->b ? "true" : "false");
    else if (a->type == RG_ATTR_STRING && a->s[0] != '\0')
        (void)printf(", \"%s\"", a->s);
    (void)printf("): %s\n", spec->doc);
}

static void print_op(const rg_op *op)
{
    (void)printf("\n### %s\n%s\n\n", op->type, op->doc);
    print_slots("input", op->in);
    print_slots("output", op->out);
    for (int i = 0; op->attr != NULL && op->attr[i].value.name != NULL; i++)
        print_attr(&op->attr[i]);
}

static bool is_gradient(const char *type)
{
    size_t n = strlen(type);
    return (n > 5 && strcmp(type + n - 5, "_grad") == 0) || strstr(type, "_grad2") != NULL;
}

/* How autodiff gets past the op: by an op of its own, by other ops, or not at all. */
static const char *gradient_of(const rg_op *op)
{
    char type[128];
    (void)snprintf(type, sizeof type, "%s_grad", op->type);
    if (op->grad_type != NULL)
        return op->grad_type;
    const rg_op *grad = rg_op_find(type);
    return grad ? grad->type : op->grad ? "other ops" : "none";
}

/* A text in a column of a table: a bar would end it. */
static void print_cell(const char *text)
{
    for (; *text != '\0'; text++)
        (void)printf(*text == '|' ? "\\%c" : "%c", *text);
}

static void print_row(const rg_op *op, bool markdown)
{
    if (!markdown) {
        (void)printf("%-32s %-28s %s\n", op->type, gradient_of(op), op->doc);
        return;
    }
    (void)printf("| %s | %s | ", op->type, gradient_of(op));
    print_cell(op->doc);
    (void)printf(" |\n");
}

static const struct layer {
    const char *name, *ops;
} LAYERS[] = {
#include "cli/layer_table.inc"
};

/* People look for what they wrote: fluid.layers.fc is no op, and is made of some. */
static bool print_layer(const char *name)
{
    for (size_t i = 0; i < sizeof LAYERS / sizeof *LAYERS; i++) {
        if (strcmp(LAYERS[i].name, name) != 0)
            continue;
        if (LAYERS[i].ops[0] != '\0')
            (void)printf("\nThe layer fluid.layers.%s adds these ops, as its arguments ask: %s.\n"
                         "`paddle ops OP` shows one of them; what the layer takes:\n",
                         name, LAYERS[i].ops);
        else
            (void)printf("\nfluid.layers.%s is a function of programs, and no op. What it takes:\n",
                         name);
        (void)printf("    python -c \"import paddle.fluid as fluid; help(fluid.layers.%s)\"\n",
                     name);
        return true;
    }
    return false;
}

/* A line for each reason: it, a tab, and the ops. docs/not-supported.md is made of it. */
static int print_refused(void)
{
    for (const rg_refused *family = rg_refused_ops; family->types != NULL; family++)
        (void)printf("%s\t%s\n", family->why, family->types);
    return 0;
}

static int run_ops(int argc, char **argv)
{
    size_t n, shown = 0;
    const rg_op *const *ops = rg_op_all(&n);
    bool markdown = argc == 2 && strcmp(argv[1], "--markdown") == 0;
    if (argc == 2 && strcmp(argv[1], "--refused") == 0)
        return print_refused();
    if (argc == 2 && !markdown) {
        const rg_op *op = rg_op_find(argv[1]);
        if (op != NULL)
            print_op(op);
        if (print_layer(argv[1]) || op != NULL)
            return 0;
        (void)rg_op_missing(argv[1]);
        return rg_cli_misused(rg_error_message());
    }
    if (argc > 2)
        return rg_cli_misused("usage: paddle ops [--markdown | --refused | OP | LAYER]");
    if (markdown)
        (void)printf("# Ops\nMade by `paddle ops --markdown`. Gradient ops, named "
                     "`X_grad`, are not listed: `paddle ops X_grad` shows one.\n\n"
                     "| op | gradient | what it does |\n|---|---|---|\n");
    for (size_t i = 0; i < n; i++) {
        if ((ops[i]->flags & RG_OP_INTERNAL) || is_gradient(ops[i]->type))
            continue;
        print_row(ops[i], markdown);
        shown++;
    }
    for (size_t i = 0; markdown && i < n; i++)
        if (!(ops[i]->flags & RG_OP_INTERNAL) && !is_gradient(ops[i]->type))
            print_op(ops[i]);
    if (!markdown)
        (void)printf("%zu ops, %zu with their gradients\n", shown, n);
    return 0;
}

/* ---- flags ---- */

static int run_flags(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return rg_cli_misused("flags takes no arguments");
    for (const rg_flag *flag = rg_flag_table(); flag->name != NULL; flag++) {
        const char *value = "";
        (void)rg_flag_text(flag->name, &value);
        (void)printf("FLAGS_%-36s %-16s %s%s\n", flag->name, value[0] ? value : "\"\"",
                     flag->moot ? "no effect: " : flag->doc, flag->moot ? flag->moot : "");
    }
    return 0;
}

/* ---- env ---- */

static void print_value(const char *name, const char *value, const char *from)
{
    (void)printf("%-16s %-40s %s\n", name, value ? value : "-", from ? from : "not set");
}

static void print_number(const char *name, int value, const char *from)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%d", value);
    print_value(name, value >= 0 ? text : NULL, from);
}

static void print_list(const char *name, const char **list, int n, const char *from)
{
    char line[32];
    if (n == 0)
        print_value(name, NULL, from);
    for (int i = 0; i < n; i++) {
        (void)snprintf(line, sizeof line, "%s %d", name, i);
        print_value(line, list[i], from);
    }
}

/* Who this process is in a job, as every launcher's variables say it. */
static int run_env(int argc, char **argv)
{
    rg_job_env env;
    (void)argv;
    if (argc > 1)
        return rg_cli_misused("env takes no arguments");
    if (rg_job_env_here(&env) != RG_OK)
        return rg_cli_misused(rg_error_message());
    print_value("role", env.role_from ? rg_job_role_name(env.role) : NULL, env.role_from);
    print_number("trainers", env.trainers, env.trainers_from);
    print_number("trainer id", env.trainer_id, env.trainer_id_from);
    print_list("server", env.servers, env.n_servers, env.servers_from);
    print_list("worker", env.workers, env.n_workers, env.workers_from);
    print_value("own endpoint", env.endpoint, env.endpoint_from);
    if (env.role == RG_JOB_SERVER)
        print_number("server index", env.server_index, env.endpoint_from);
    print_value("job id", env.job_id, env.job_id ? "REGATTA_JOB_ID" : NULL);
    print_value("job key", env.has_key ? "(hidden)" : NULL, env.has_key ? "REGATTA_JOB_KEY" : NULL);
    print_value("run dir", env.run_dir, env.run_dir ? "REGATTA_RUN_DIR" : NULL);
    print_value("log dir", env.log_dir, env.log_dir ? "REGATTA_LOG_DIR" : NULL);
    rg_job_env_fini(&env);
    return 0;
}

/* ---- the command itself ---- */

static int run_help(int argc, char **argv);

/* Those that people know from old guides first. */
static const command commands[] = {
    {"train", "train, test, time or check the model of a config", rg_cli_trainer, true},
    {"pserver", "parameter servers, one a port", rg_cli_pserver, true},
    {"version", "what this is and how it was built", run_version},
    {"dump_config", "what a config declares, as text", rg_cli_module, true},
    {"merge_model", "a config and its parameters as one file", rg_cli_module, true},
    {"make_diagram", "a picture of a config, for Graphviz", rg_cli_module, true},
    {"usage", "how a run has ended, as scripts of old demos say it; nothing is sent", run_usage,
     true},
    {.name = NULL},
    {"python", "run a script, of Python 3 or of Python 2", rg_cli_module, true},
    {"check", "which names of Paddle a script uses that are not here, without running it",
     rg_cli_module, true},
    {"k8s", "YAML of a job on Kubernetes", rg_cli_module, true},
    {"train_from_dataset", "train a saved program on data files, without Python", rg_cli_train,
     true},
    {"status", "how servers are: status [--timeout SECONDS] [HOST:PORT ...]", rg_cli_status},
    {"doctor", "what is wrong with this machine, or with the job whose logs are in a folder",
     rg_cli_doctor, true},
    {"export_snapshot", "what the servers of a stopped job had, as files: export_snapshot DIR OUT",
     rg_cli_export_snapshot, true},
    {"page", "a job in the browser, while it runs or afterwards: page LOG_DIR", rg_cli_page, true},
    {"top", "the same in a terminal: top LOG_DIR", rg_cli_top, true},
    {"table", "what is in the tables of a saved model: rows, norms, dead and hot ids, neighbours",
     rg_cli_table, true},
    {"profile", "run a script or a job, and show where its time goes", rg_cli_module, true},
    {"env", "who this process is in a job, and which variables say so", run_env},
    {"flags", "the FLAGS_* settings and their present values", run_flags},
    {"ops", "the ops that are implemented: ops [--markdown | --refused | OP | LAYER]", run_ops},
    {"criteo", "raw Criteo lines as multi-slot text: criteo --hash BUCKETS [FILE... | -]",
     rg_cli_criteo},
    {"gen-criteo", "made-up Criteo lines: gen-criteo --rows N [--seed S] [--out FILE]",
     rg_cli_gen_criteo},
    {"completion", "a script that completes these commands: completion bash|zsh|fish",
     rg_cli_completion, true},
    {"help", "this list; `paddle COMMAND --help` says more of one", run_help},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i].name != NULL && strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static const char *command_at(const void *arg, int i)
{
    (void)arg;
    size_t at = (size_t)i;
    for (size_t k = 0; k <= at && k < N_COMMANDS; k++)
        at += commands[k].name == NULL;
    return at < N_COMMANDS ? commands[at].name : NULL;
}

static int unknown(const char *name)
{
    rg_buf more;
    rg_buf_init(&more, 0);
    rg_suggest(&more, name, "", command_at, NULL);
    (void)fprintf(stderr, "paddle: there is no command '%s'%s (`paddle help` lists them all)\n",
                  name, rg_buf_cstr(&more));
    rg_buf_fini(&more);
    return 2;
}

static bool is_help(const char *text)
{
    return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
}

static int run_command(const command *found, int argc, char **argv)
{
    if (argc < 2 || !is_help(argv[1]) || found->helps)
        return found->run(argc, argv);
    (void)printf("paddle %s: %s\n", found->name, found->doc);
    return 0;
}

static int run_help(int argc, char **argv)
{
    if (argc > 1) { /* help COMMAND */
        const command *other = find_command(argv[1]);
        char *ask[] = {argv[1], (char *)(uintptr_t) "--help", NULL};
        if (other == NULL)
            return unknown(argv[1]);
        if (other->run != run_help)
            return run_command(other, 2, ask);
    }
    (void)printf("usage: paddle COMMAND [options]\n\nCommon commands:\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i].name == NULL)
            (void)printf("\nOthers:\n");
        else
            (void)printf("    %-20s %s\n", commands[i].name, commands[i].doc);
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    rg_cli_self = argv[0];
    if (rg_flags_from_environment() != RG_OK || rg_command_beside(NULL) != RG_OK)
        return rg_cli_misused(rg_error_message());
    if (is_help(name))
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    const command *found = find_command(name);
    if (found == NULL)
        return unknown(name);
    return run_command(found, argc - 1, argv + 1);
}
