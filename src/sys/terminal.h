/* terminal.h - the terminal that someone sits at: its size, keys as they are pressed.
 *
 * One at a time in a process. What is changed is put back by rg_terminal_end(), and when the
 * process is ended by a signal that rg_stop_on_signals() takes, since that lets its loop come to
 * its end. */
#ifndef RG_SYS_TERMINAL_H
#define RG_SYS_TERMINAL_H

#include <stdbool.h>

/* Whether both standard input and output are one. */
bool rg_terminal_is_there(void);
/* Columns and rows of standard output; 80 and 24 where it is no terminal. */
void rg_terminal_size(int *columns, int *rows);
/* Keys come at once and are not shown; the screen is another one than that of the shell. */
void rg_terminal_begin(void);
void rg_terminal_end(void);
/* A key; 0: none was pressed in that time; 'q' where there will be none any more. */
char rg_terminal_key(int wait_ms);

#endif
