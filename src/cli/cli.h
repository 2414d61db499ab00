/* cli.h - commands that have files of their own, and what they share. */
#ifndef RG_CLI_CLI_H
#define RG_CLI_CLI_H

/* argv[0] is the command's name. The exit status: 0, 1 where it failed, 2 where it was called
 * wrongly. */
int rg_cli_train(int argc, char **argv);

/* "paddle: WHAT" on stderr; 2. */
int rg_cli_misused(const char *what);

#endif
