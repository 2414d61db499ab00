/* main.c - the `paddle` command. */
#include "base/buf.h"
#include "cli/commands.h"
#include "ir/op.h"
#include "sys/command.h"
#include "sys/flags.h"
#include "sys/job_env.h"

#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *doc;
    int (*run)(int argc, char **argv);
} command;

int rg_cli_misused(const char *what)
{
    (void)fprintf(stderr, "paddle: %s\n", what);
    return 2;
}

static int run_version(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return rg_cli_misused("version takes no arguments");
    (void)printf("PaddlePaddle 1.8.5, compiled with\n"
                 "    with_avx: ON\n"
                 "    with_gpu: OFF\n"
                 "    with_double: OFF\n"
                 "    with_python: ON\n"
                 "    with_rdma: OFF\n"
                 "    with_timer: OFF\n"
                 "    regatta: %s\n",
                 RG_VERSION);
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

static int run_ops(int argc, char **argv)
{
    size_t n, shown = 0;
    const rg_op *const *ops = rg_op_all(&n);
    bool markdown = argc == 2 && strcmp(argv[1], "--markdown") == 0;
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
        return rg_cli_misused("usage: paddle ops [--markdown | OP | LAYER]");
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

static const command commands[] = {
    {"version", "what this is and how it was built", run_version},
    {"ops", "the ops that are implemented; one in detail with its name", run_ops},
    {"train_from_dataset", "train a saved program on data files, without Python", rg_cli_train},
    {"pserver", "parameter servers, one a port", rg_cli_pserver},
    {"flags", "the FLAGS_* settings and their present values", run_flags},
    {"criteo", "raw Criteo lines as multi-slot text: criteo --hash BUCKETS [FILE... | -]",
     rg_cli_criteo},
    {"gen-criteo", "made-up Criteo lines: gen-criteo --rows N [--seed S] [--out FILE]",
     rg_cli_gen_criteo},
    {"env", "who this process is in a job, and which variables say so", run_env},
    {"status", "how servers are: status [--timeout SECONDS] [HOST:PORT ...]", rg_cli_status},
    {"help", "this list", run_help},
};

static int run_help(int argc, char **argv)
{
    (void)argc, (void)argv;
    (void)printf("usage: paddle COMMAND [arguments]\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        (void)printf("  %-20s %s\n", commands[i].name, commands[i].doc);
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (rg_flags_from_environment() != RG_OK || rg_command_beside(NULL) != RG_OK)
        return rg_cli_misused(rg_error_message());
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    (void)fprintf(stderr, "paddle: there is no command '%s'; `paddle help` lists them\n", name);
    return 2;
}
