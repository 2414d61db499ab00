/* command.h - a shell command whose output is read.
 *
 * The command runs in a process group of its own under /bin/sh -c, with our environment but for
 * the job's key. What it says on stderr
 * goes to ours, and the tail of it into the message where it fails. It has succeeded only
 * when it has closed its output and ended with status 0; everything else is an error, so
 * that half an output is never taken for the whole.
 *
 * One thread at a time for a command; a wake may be set from any. */
#ifndef RG_SYS_COMMAND_H
#define RG_SYS_COMMAND_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends waits: reads that have been given the wake return RG_ECLOSED once it is set. */
typedef struct rg_wake rg_wake;
rg_status rg_wake_open(rg_wake **wake);
void rg_wake_set(rg_wake *wake);
bool rg_wake_is_set(const rg_wake *wake);
/* Waits until it is set, at most wait_ms; whether it is. */
bool rg_wake_wait(const rg_wake *wake, int wait_ms);
void rg_wake_close(rg_wake *wake);

/* Gives up to n bytes; 0 at the end. */
typedef rg_status (*rg_command_input)(void *arg, void *bytes, size_t n, size_t *got);

typedef struct rg_command_config {
    const char *command;
    const char *input_path; /* its standard input; NULL: what `input` gives, or nothing */
    rg_command_input input;
    void *input_arg;
    const char *const *defaults; /* "NAME=VALUE", for variables that are not set; NULL-ended */
    const rg_wake *wake;         /* may be NULL; borrowed */
} rg_command_config;

typedef struct rg_command rg_command;

/* The program whose folder commands look into after those on PATH, so that an installation's own
 * programs are found (`paddle` beside its `python`); NULL: the one that runs. Once, before any
 * command is started. */
rg_status rg_command_beside(const char *program);

/* Owned; ended by rg_command_close(), which kills what still runs. */
rg_status rg_command_open(rg_command **command, const rg_command_config *config);
void rg_command_close(rg_command *command);

/* How far it has read the file at input_path. */
uint64_t rg_command_input_offset(const rg_command *command);
/* Up to n bytes of its output, as soon as there are any; 0: it has ended, with status 0. */
rg_status rg_command_read(rg_command *command, void *bytes, size_t n, size_t *got);

#endif
