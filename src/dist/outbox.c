/* outbox.c - what a step has for one server, filled and made a push of. */
#include "dist/outbox_priv.h"

#include "base/mem.h"
#include "math/vector.h"
#include "sys/pages.h"

#include <string.h>

void rg_outboxes_close(const rg_job *job, rg_outbox *outboxes)
{
    for (int s = 0; outboxes != NULL && s < job->n_servers; s++) {
        rg_outbox *p = &outboxes[s];
        for (size_t v = 0; p->lists != NULL && v < job->servers[s].schema.n; v++) {
            rg_free(p->lists[v].ids);
            rg_pages_free(p->lists[v].rows, p->lists[v].room);
        }
        rg_free(p->lists);
        rg_pages_free(p->dense, job->servers[s].reply_bytes + 1);
        rg_free(p->have);
        rg_free(p->lent);
        rg_free(p->iov);
        rg_free(p->numbers);
        rg_buf_fini(&p->head);
        rg_buf_fini(&p->packed);
    }
    rg_free(outboxes);
}

rg_status rg_outboxes_open(const rg_job *job, rg_outbox **out)
{
    rg_outbox *outboxes = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *outboxes);
    *out = outboxes;
    for (int s = 0; outboxes != NULL && s < job->n_servers; s++) {
        size_t n = job->servers[s].schema.n;
        rg_outbox *p = &outboxes[s];
        rg_buf_init(&p->head, 0);
        rg_buf_init(&p->packed, 0);
        p->dense = rg_pages_alloc_lent(job->servers[s].reply_bytes + 1);
        p->have = rg_alloc_zero(n + 1, sizeof *p->have);
        p->lent = rg_alloc_zero(n + 1, sizeof *p->lent);
        p->lists = rg_alloc_zero(n + 1, sizeof *p->lists);
        p->iov = rg_alloc((3 * n + 2) * sizeof *p->iov);
        p->numbers = rg_alloc((3 * n + 1) * sizeof *p->numbers);
        if (!p->dense || !p->have || !p->lent || !p->lists || !p->iov || !p->numbers)
            return rg_no_memory(job->servers[s].reply_bytes, "gradients");
        memset(p->dense, 0, job->servers[s].reply_bytes + 1); /* what is padding, too */
    }
    return outboxes ? RG_OK : rg_no_memory(1, "gradients");
}

void rg_outboxes_empty(const rg_job *job, rg_outbox *outboxes)
{
    for (int s = 0; s < job->n_servers; s++) {
        size_t n = job->servers[s].schema.n;
        memset(outboxes[s].have, 0, n * sizeof *outboxes[s].have);
        memset(outboxes[s].lent, 0, n * sizeof *outboxes[s].lent);
        for (size_t v = 0; v < n; v++)
            outboxes[s].lists[v].n = 0;
    }
}

/* Of the dense gradients, or of what stands as they do. */
static float *dense_of(const rg_job *job, float *dense, int server, uint32_t var)
{
    return (float *)(void *)((uint8_t *)dense + job->servers[server].reply_at[var]);
}

/* What was lent becomes a copy, that can be changed. */
static float *own_dense(const rg_job *job, rg_outbox *p, int server, uint32_t var)
{
    float *to = dense_of(job, p->dense, server, var);
    if (p->lent[var] != NULL)
        memcpy(to, p->lent[var], rg_ps_count(&job->servers[server].schema.vars[var]) * sizeof *to);
    p->lent[var] = NULL;
    return to;
}

void rg_outbox_add_dense(const rg_job *job, rg_outbox *p, int server, uint32_t var,
                         const float *grad)
{
    float *to = own_dense(job, p, server, var);
    size_t n = rg_ps_count(&job->servers[server].schema.vars[var]);
    if (p->have[var])
        rg_add_f32(to, grad, (int64_t)n);
    else
        memcpy(to, grad, n * sizeof *grad);
    p->have[var] = true;
}

/* Behind an odd number of values stands a zero, for which a lent gradient has no room. */
void rg_outbox_lend_dense(const rg_job *job, rg_outbox *p, int server, uint32_t var,
                          const float *grad)
{
    bool odd = rg_ps_count(&job->servers[server].schema.vars[var]) % 2 != 0;
    if (p->have[var] || odd || job->payload != RG_PAYLOAD_FLOATS) {
        rg_outbox_add_dense(job, p, server, var, grad);
        return;
    }
    p->lent[var] = grad;
    p->have[var] = true;
}

/* Room for so many rows in all. They lie in memory that servers of this host read where it is. */
static rg_status make_room(rg_row_list *list, size_t total, size_t width)
{
    size_t cap = total + total / 2, room = (cap * width + 2) * sizeof *list->rows;
    int64_t *ids = rg_realloc(list->ids, cap * sizeof *ids);
    list->ids = ids ? ids : list->ids;
    float *rows = rg_pages_alloc_lent(room);
    if (ids == NULL || rows == NULL) {
        rg_pages_free(rows, room);
        return rg_no_memory(room, "rows");
    }
    if (list->n > 0)
        memcpy(rows, list->rows, list->n * width * sizeof *rows);
    rg_pages_free(list->rows, list->room);
    list->rows = rows;
    list->room = room;
    list->cap_ids = cap;
    return RG_OK;
}

rg_status rg_outbox_add_rows(rg_outbox *p, uint32_t var, size_t width, const int64_t *ids,
                             const float *rows, size_t n)
{
    rg_row_list *list = &p->lists[var];
    size_t total = list->n + n;
    if (total > UINT32_MAX)
        return rg_fail(RG_ETOOBIG, "%zu rows in one step", total);
    if (total > list->cap_ids)
        RG_TRY(make_room(list, total, width));
    if (n > 0) { /* else there may be no memory yet */
        memcpy(list->ids + list->n, ids, n * sizeof *ids);
        memcpy(list->rows + list->n * width, rows, n * width * sizeof *rows);
    }
    list->n = total;
    p->have[var] = true;
    return RG_OK;
}

void rg_outbox_scale(const rg_job *job, rg_outbox *p, int server, float by)
{
    const rg_ps_schema *schema = &job->servers[server].schema;
    for (uint32_t v = 0; v < schema->n; v++) {
        if (!p->have[v])
            continue;
        if (schema->vars[v].table)
            rg_scale_f32(p->lists[v].rows, by, (int64_t)p->lists[v].n * schema->vars[v].width);
        else
            rg_scale_f32(own_dense(job, p, server, v), by, (int64_t)rg_ps_count(&schema->vars[v]));
    }
}

/* How many values the outbox has of a variable. */
static size_t values_of(const rg_outbox *p, const rg_ps_schema *schema, uint32_t var)
{
    const rg_ps_var *about = &schema->vars[var];
    return about->table ? p->lists[var].n * (size_t)about->width : rg_ps_count(about);
}

static size_t group_of(const rg_ps_var *var)
{
    return var->table ? (size_t)var->width : RG_PAYLOAD_BLOCK;
}

/* Room for all values of the outbox as they travel, so that pieces of it stay where they are. */
static rg_status reserve(const rg_job *job, rg_outbox *p, int server)
{
    const rg_ps_schema *schema = &job->servers[server].schema;
    size_t bytes = 0;
    for (uint32_t v = 0; v < schema->n; v++)
        if (p->have[v])
            bytes += rg_payload_padded(job->payload, values_of(p, schema, v),
                                       group_of(&schema->vars[v]));
    rg_buf_clear(&p->packed);
    rg_buf_room(&p->packed, bytes);
    p->used = 0;
    return rg_buf_status(&p->packed);
}

/* The values of a variable as they travel, padded. There is room for one float behind an odd
 * number of them. */
static rg_iov as_payload(const rg_job *job, rg_outbox *p, const rg_ps_schema *schema, uint32_t var,
                         float *from)
{
    size_t n = values_of(p, schema, var), group = group_of(&schema->vars[var]);
    size_t bytes = rg_payload_padded(job->payload, n, group);
    if (job->payload == RG_PAYLOAD_FLOATS) {
        if (n % 2 != 0)
            from[n] = 0;
        return (rg_iov){from, bytes};
    }
    uint8_t *to = p->packed.data + p->used;
    rg_payload_write(job->payload, to, from, n, group);
    p->used += bytes;
    return (rg_iov){to, bytes};
}

/* A dense gradient as it travels. */
static rg_iov dense_payload(const rg_job *job, rg_outbox *p, int server, uint32_t var, float *rest)
{
    const rg_ps_schema *schema = &job->servers[server].schema;
    if (p->lent[var] != NULL)
        return (rg_iov){p->lent[var], rg_ps_count(&schema->vars[var]) * sizeof(float)};
    float *from = dense_of(job, p->dense, server, var);
    if (rest == NULL)
        return as_payload(job, p, schema, var, from);
    size_t n = rg_ps_count(&schema->vars[var]);
    float *lost = dense_of(job, rest, server, var);
    rg_add_f32(from, lost, (int64_t)n);
    rg_iov piece = as_payload(job, p, schema, var, from);
    rg_payload_lost(lost, from, piece.at, n, RG_PAYLOAD_BLOCK);
    return piece;
}

/* The head and the pieces of the push. Neighbouring dense gradients are one piece. */
rg_status rg_outbox_pack(const rg_job *job, rg_outbox *p, int server, uint64_t step, bool pulls,
                         float *rest, size_t *n_pieces)
{
    const rg_job_server *to = &job->servers[server];
    const rg_ps_schema *schema = &to->schema;
    uint32_t *dense = p->numbers, *tables = dense + schema->n, *counts = tables + schema->n;
    uint32_t n_dense = 0, n_tables = 0;
    size_t n = 1;
    if (job->payload != RG_PAYLOAD_FLOATS)
        RG_TRY(reserve(job, p, server));
    for (uint32_t v = 0; v < schema->n; v++) {
        if (!p->have[v] || schema->vars[v].table)
            continue;
        rg_iov piece = dense_payload(job, p, server, v, rest);
        if (n > 1 && (const uint8_t *)p->iov[n - 1].at + p->iov[n - 1].bytes == piece.at)
            p->iov[n - 1].bytes += piece.bytes;
        else
            p->iov[n++] = piece;
        dense[n_dense++] = v;
    }
    for (uint32_t v = 0; v < schema->n; v++) {
        const rg_row_list *list = &p->lists[v];
        if (!p->have[v] || !schema->vars[v].table)
            continue;
        p->iov[n++] = (rg_iov){list->ids, list->n * sizeof *list->ids};
        p->iov[n++] = as_payload(job, p, schema, v, list->rows);
        tables[n_tables] = v;
        counts[n_tables++] = (uint32_t)list->n;
    }
    rg_buf_clear(&p->head);
    rg_push_write_head(&p->head, step, dense, n_dense, tables, counts, n_tables, to->pulled,
                       pulls ? to->n_pulled : 0);
    p->iov[0] = (rg_iov){p->head.data, p->head.len};
    *n_pieces = n;
    return rg_buf_status(&p->head);
}
