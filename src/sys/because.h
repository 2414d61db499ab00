/* because.h - a process that fails because of another one says so to its launcher.
 *
 * Where one process of a job ends, others see its connections close and fail too, and some of
 * them may be quicker to end than the one that was the cause. So each leaves a note, in the file
 * that REGATTA_BECAUSE names, of whom it blames; the launcher follows the notes to the first. */
#ifndef RG_SYS_BECAUSE_H
#define RG_SYS_BECAUSE_H

#include <stdbool.h>

enum { RG_BECAUSE_ANY = -1 };

typedef struct rg_because {
    bool worker; /* else a server */
    int index;   /* RG_BECAUSE_ANY: it is not known which */
} rg_because;

/* Says it once: the first reason is the one. Nothing where there is no launcher. Any thread. */
void rg_because_say(rg_because of);
/* What a process said in the file at `path`; false: nothing that can be read. */
bool rg_because_read(const char *path, rg_because *of);
/* The job is over, and this process was started again for nothing: its end is no failure. */
void rg_because_over(void);
bool rg_because_is_over(const char *path);
/* Another process is started in its place, and has said nothing yet. */
void rg_because_forget(const char *path);

#endif
