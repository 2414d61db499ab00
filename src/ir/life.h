/* life.h - whether a program is open yet, for who keeps something made of it. Also which program:
 * while a life is kept no other program has the same. Any thread. */
#ifndef RG_IR_LIFE_H
#define RG_IR_LIFE_H

#include <stdbool.h>

typedef struct rg_life rg_life;

/* Of a new program, which drops it when it ends it. NULL: no memory. */
rg_life *rg_life_begin(void);
void rg_life_end(rg_life *life);
bool rg_life_is_over(const rg_life *life);

rg_life *rg_life_keep(rg_life *life);
void rg_life_drop(rg_life *life); /* may be NULL */

#endif
