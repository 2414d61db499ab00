/* kernel.c - finding the kernel of an op on a device. */
#include "ir/kernel.h"

#include "ir/program.h"

#include <pthread.h>
#include <string.h>

enum { MAX_LISTS = 8 };

static const rg_kernel *const *lists[MAX_LISTS];
static int n_lists;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void rg_kernel_add(const rg_kernel *const *list)
{
    pthread_mutex_lock(&lock);
    bool known = n_lists == MAX_LISTS;
    for (int i = 0; i < n_lists; i++)
        known = known || lists[i] == list;
    if (!known) {
        lists[n_lists] = list;
        __atomic_store_n(&n_lists, n_lists + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

const rg_kernel *rg_kernel_find(const rg_op *op, const rg_device *device)
{
    int n = __atomic_load_n(&n_lists, __ATOMIC_ACQUIRE);
    for (int i = 0; i < n; i++)
        for (const rg_kernel *const *k = lists[i]; *k != NULL; k++)
            if (strcmp((*k)->type, op->type) == 0 && strcmp((*k)->device, device->name) == 0)
                return *k;
    return NULL;
}

static bool is_usual(const rg_args *args, int n, const rg_block *block)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < args[i].n; k++) {
            const rg_vardesc *var = rg_block_find(block, args[i].names[k]);
            if (var == NULL || (var->meta.kind != RG_TENSOR && var->meta.kind != RG_ROWS))
                continue;
            rg_dtype t = var->meta.dtype;
            if (t == RG_F64 || (rg_dtype_size(t) < 4 && t != RG_F16 && t != RG_BOOL &&
                                (int)t != 22)) /* 22: bfloat16 in the file format */
                return false;
        }
    return true;
}

const rg_kernel *rg_kernel_for(const rg_opdesc *op, const rg_device *device)
{
    const rg_kernel *kernel = op->op ? rg_kernel_find(op->op, device) : NULL;
    if (kernel == NULL)
        return NULL;
    bool takes = kernel->takes ? kernel->takes(op)
                               : is_usual(op->in, op->n_in, op->block) &&
                                     is_usual(op->out, op->n_out, op->block);
    return takes ? kernel : NULL;
}
