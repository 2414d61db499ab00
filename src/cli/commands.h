/* commands.h - commands of `paddle` that have a file of their own. argv[0] is the command's
 * name; the result is the exit status. */
#ifndef RG_CLI_COMMANDS_H
#define RG_CLI_COMMANDS_H

int rg_cli_train(int argc, char **argv);   /* train_from_dataset */
int rg_cli_trainer(int argc, char **argv); /* train */
int rg_cli_module(int argc, char **argv);  /* the commands that a module of Python is */
int rg_cli_pserver(int argc, char **argv);
int rg_cli_criteo(int argc, char **argv);
int rg_cli_gen_criteo(int argc, char **argv);
int rg_cli_status(int argc, char **argv);
int rg_cli_doctor(int argc, char **argv);
int rg_cli_export_snapshot(int argc, char **argv);
int rg_cli_page(int argc, char **argv);
int rg_cli_top(int argc, char **argv);
int rg_cli_table(int argc, char **argv);
int rg_cli_completion(int argc, char **argv);

/* argv[0] of the process. */
extern const char *rg_cli_self;

/* "paddle: WHAT" on stderr; the status of a wrong call, 2. */
int rg_cli_misused(const char *what);

#endif
