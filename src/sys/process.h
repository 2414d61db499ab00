/* process.h - this process and others. */
#ifndef RG_SYS_PROCESS_H
#define RG_SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

long rg_process_id(void);
/* Whether a process of that number is on this host. */
bool rg_process_is_there(long pid);
/* This thread has work that can wait a moment: when it wakes it does not take the processor from
 * one that computes, and has its share all the same. */
void rg_thread_waits_its_turn(void);
/* This thread takes what processors have left over: others come first, and yet it gets on. */
void rg_thread_stays_back(void);
/* In a child that is forked, now and later: its parent's threads are not there, and locks may be as
 * another thread held them. */
void rg_process_on_fork(void (*child)(void));
/* The same, and in the thread that forks also before it and after it: a lock that is held in
 * between is held by no other thread, and what it guards is as before() leaves it. The child makes
 * it anew. */
void rg_process_around_fork(void (*before)(void), void (*after)(void), void (*child)(void));
/* When this process ends by exit(), or by the return of main(), with that status. For good. */
void rg_process_on_exit(void (*ended)(int status));
/* The name of this host, cut to fit; "?" where it has none. */
void rg_process_host(char *name, size_t size);
/* How many files and sockets this process may have open (ulimit -n). */
int rg_descriptor_limit(void);

/* Bytes of memory that this process has now; 0 where the system does not say. */
uint64_t rg_process_memory(void);
/* Its threads; 0 where the system does not say. */
int rg_process_threads(void);

#endif
