/* given.c - gradients that go to the servers with their memory.
 *
 * Where a push outlives its step the next step would write over its gradients. Instead of a copy
 * of them the value gets other memory to write to: what it had is sent, and is the spare of a
 * later step when it has been answered.
 *
 * Where the step waits for the answer its gradients stay as they are until it has come. Only when
 * the wait is broken off (an interrupt, a server that is lost) they get other memory then. */
#include "dist/exchange_priv.h"

#include "base/mem.h"
#include "sys/lent.h"

#include <string.h>

static void free_given(rg_given *given)
{
    while (given != NULL) {
        rg_given *next = given->next;
        rg_value_fini(&given->value);
        rg_free(given);
        given = next;
    }
}

void rg_channel_free_given(rg_channel *l)
{
    free_given(l->given);
    free_given(l->given_sent);
    free_given(l->spare);
    rg_channel_release_lenders(l);
    rg_free(l->lenders);
}

void rg_channel_sends_given(rg_channel *l)
{
    while (l->given_sent != NULL) {
        rg_given *answered = l->given_sent;
        l->given_sent = answered->next;
        answered->next = l->spare;
        l->spare = answered;
    }
    l->given_sent = l->given;
    l->given = NULL;
}

/* Nobody else has this memory. */
static bool is_alone(const rg_value *gradient)
{
    const rg_storage *s = gradient->storage;
    return s != NULL && !s->pooled && s->whole == NULL && gradient->data == s->data &&
           gradient->late == NULL && __atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) == 1;
}

/* And servers of this host read it where it is. */
static bool can_give(const rg_value *gradient)
{
    uint64_t place;
    return is_alone(gradient) && rg_lent_find(gradient->data, rg_value_bytes(gradient), &place);
}

bool rg_exchange_stays(const rg_job *job, const rg_value *gradient, bool gives)
{
    return job->mode->together ? is_alone(gradient)
                               : gives && job->payload == RG_PAYLOAD_FLOATS && can_give(gradient);
}

/* Whether a slice of it has not been copied. */
static bool is_lent(const rg_job *job, const rg_channel *l, const rg_value *gradient)
{
    uintptr_t begin = (uintptr_t)gradient->data, end = begin + rg_value_bytes(gradient);
    for (int s = 0; s < job->n_servers; s++)
        for (size_t v = 0; v < job->servers[s].schema.n; v++) {
            uintptr_t at = (uintptr_t)l->filling[s].lent[v];
            if (at >= begin && at < end)
                return true;
        }
    return false;
}

/* Memory for a gradient like this one, in a value of its own. */
static rg_status take_spare(rg_channel *l, const rg_value *gradient, rg_given **out)
{
    size_t bytes = rg_value_bytes(gradient);
    for (rg_given **at = &l->spare; *at != NULL; at = &(*at)->next)
        if (rg_value_bytes(&(*at)->value) == bytes) {
            *out = *at;
            *at = (*at)->next;
            return RG_OK;
        }
    rg_given *given = rg_alloc_zero(1, sizeof *given);
    if (given == NULL)
        return rg_no_memory(sizeof *given, "gradients");
    rg_value_init(&given->value);
    rg_status code = rg_value_resize(&given->value, RG_F32, &gradient->meta.shape);
    if (code != RG_OK) {
        free_given(given);
        return code;
    }
    rg_value_lend(&given->value);
    *out = given;
    return RG_OK;
}

/* The gradient has the spare's memory, and the channel what it had, until that is answered. */
static void swap_memory(rg_channel *l, rg_value *gradient, rg_given *spare)
{
    rg_storage *storage = gradient->storage;
    gradient->storage = spare->value.storage;
    gradient->data = spare->value.data;
    spare->value.storage = storage;
    spare->value.data = storage->data;
    spare->next = l->given;
    l->given = spare;
}

rg_status rg_channel_give(const rg_job *job, rg_channel *l, rg_value *gradient)
{
    rg_given *spare;
    if (!is_lent(job, l, gradient))
        return RG_OK;
    RG_TRY(take_spare(l, gradient, &spare));
    swap_memory(l, gradient, spare);
    return RG_OK;
}

/* ---- where the step waits ---- */

rg_status rg_channel_note_lender(rg_channel *l, rg_value *gradient)
{
    for (size_t i = 0; i < l->n_lenders; i++)
        if (l->lenders[i] == gradient)
            return RG_OK;
    RG_TRY(rg_grow((void **)&l->lenders, l->n_lenders, &l->cap_lenders, sizeof(rg_value *)));
    l->lenders[l->n_lenders++] = rg_value_retain(gradient);
    return RG_OK;
}

void rg_channel_release_lenders(rg_channel *l)
{
    while (l->n_lenders > 0)
        rg_value_release(l->lenders[--l->n_lenders]);
}

/* Without memory a gradient stays where it is, and what is on its way may change. */
void rg_channel_leave_lenders(rg_channel *l)
{
    for (size_t i = 0; i < l->n_lenders; i++) {
        rg_value *gradient = l->lenders[i];
        rg_given *spare;
        if (!is_alone(gradient) || take_spare(l, gradient, &spare) != RG_OK)
            continue;
        memcpy(spare->value.data, gradient->data, rg_value_bytes(gradient));
        swap_memory(l, gradient, spare);
    }
    rg_channel_release_lenders(l);
}
