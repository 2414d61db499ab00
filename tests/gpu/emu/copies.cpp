/* copies.cpp - what a thread copies to shared memory beside its work, 16 bytes at a time
 * (cp.async): it comes when the thread waits for it, and no sooner; until then NaN is there. */
#include "machine.h"

enum { MOST_PIECES = 256, MOST_GROUPS = 16 };

struct piece {
    float *to;
    const float *from;
    bool there;
};
struct pieces {
    piece list[MOST_PIECES];
    int n, ends[MOST_GROUPS], groups;
};
static thread_local pieces *of_thread[MOST];

static pieces *mine(void)
{
    pieces **p = &of_thread[emu_machine->now];
    if (*p == NULL)
        *p = (pieces *)calloc(1, sizeof **p);
    return *p;
}

void emu_copy16(float *to, const float *from, bool there)
{
    pieces *p = mine();
    if (p->n == MOST_PIECES || (uintptr_t)to % 16 != 0 || (there && (uintptr_t)from % 16 != 0))
        emu_wrong("a copy that is not aligned, or one too many that nobody waits for");
    p->list[p->n++] = {to, from, there};
    memset(to, 0xff, 16);
}

void emu_copies_end(void)
{
    pieces *p = mine();
    if (p->groups == MOST_GROUPS)
        emu_wrong("more than %d groups of copies that nobody waits for", MOST_GROUPS);
    p->ends[p->groups++] = p->n;
}

void emu_copies_wait(int left)
{
    pieces *p = mine();
    int done = p->groups - left, come = done > 0 ? p->ends[done - 1] : 0;
    for (int i = 0; i < come; i++)
        if (p->list[i].there)
            memcpy(p->list[i].to, p->list[i].from, 16);
        else
            memset(p->list[i].to, 0, 16);
    if (done <= 0)
        return;
    p->n -= come;
    p->groups = left;
    memmove(p->list, p->list + come, (size_t)p->n * sizeof *p->list);
    for (int i = 0; i < left; i++)
        p->ends[i] = p->ends[done + i] - come;
}

void emu_forget_copies(void)
{
    pieces *p = of_thread[emu_machine->now];
    if (p != NULL)
        p->n = p->groups = 0;
}
