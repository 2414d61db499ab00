/* program_graph.h - the program that is trained, as a graph for whoever watches. */
#ifndef RG_WATCH_PROGRAM_GRAPH_H
#define RG_WATCH_PROGRAM_GRAPH_H

#include "base/buf.h"
#include "ir/program.h"

/* {"blocks":[{"ops":[{"type","inputs","outputs","attrs"}],"vars":{name:{"shape","dtype",
 * "persistable"}}}]}; of attributes only short ones. */
void rg_program_graph(const rg_program *program, rg_buf *out);

/* A trainer trains it, and is watched from now on if that is asked for (watch/sampler.h). The first
 * program of the process is written to FLAGS_watch_dir/program.PROCESS.json. NULL: none that is
 * trained. Cheap where nothing is watched. */
void rg_watch_training(const rg_program *program);

#endif
