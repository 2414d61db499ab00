/* protocol_leases.c - the bodies of requests about leased data, and of their answers. */
#include "dist/protocol.h"

#include "base/cursor.h"
#include "base/mem.h"

void rg_deal_plan_write(rg_buf *out, const rg_deal_plan *plan)
{
    rg_buf_u32(out, plan->reading);
    rg_buf_u32(out, plan->n_files);
    rg_buf_u64(out, plan->digest);
    rg_buf_u64(out, plan->range_bytes);
    for (uint32_t i = 0; i < plan->n_files; i++)
        rg_buf_u64(out, plan->sizes[i]);
}

rg_status rg_deal_plan_read(rg_deal_plan *plan, const uint8_t *bytes, size_t n)
{
    rg_cursor in = {bytes, n};
    *plan = (rg_deal_plan){0};
    RG_TRY(rg_cursor_u32(&in, &plan->reading));
    RG_TRY(rg_cursor_u32(&in, &plan->n_files));
    RG_TRY(rg_cursor_u64(&in, &plan->digest));
    RG_TRY(rg_cursor_u64(&in, &plan->range_bytes));
    if (plan->n_files > RG_DEAL_MAX_RANGES || in.left != plan->n_files * sizeof(uint64_t))
        return rg_fail(RG_ECORRUPT, "%u files, in %zu bytes", plan->n_files, in.left);
    uint64_t *sizes = rg_alloc_zero((size_t)plan->n_files + 1, sizeof *sizes);
    plan->sizes = sizes;
    if (sizes == NULL)
        return rg_no_memory(in.left, "the sizes of files");
    for (uint32_t i = 0; i < plan->n_files; i++)
        RG_TRY(rg_cursor_u64(&in, &sizes[i]));
    return RG_OK;
}

void rg_lease_ask_write(rg_buf *out, const rg_lease_ask *ask)
{
    rg_buf_u32(out, ask->reading);
    rg_buf_u32(out, ask->wants);
    rg_buf_u64(out, ask->ticket);
    rg_buf_u32(out, ask->n_done);
    rg_buf_u32(out, 0);
    for (uint32_t i = 0; i < ask->n_done; i++) {
        rg_buf_u32(out, ask->done[i].range);
        rg_buf_u32(out, ask->done[i].generation);
        rg_buf_u64(out, ask->done[i].rows);
    }
}

rg_status rg_lease_ask_read(rg_lease_ask *ask, const uint8_t *bytes, size_t n)
{
    rg_cursor in = {bytes, n};
    uint32_t wants, zero;
    *ask = (rg_lease_ask){0};
    RG_TRY(rg_cursor_u32(&in, &ask->reading));
    RG_TRY(rg_cursor_u32(&in, &wants));
    RG_TRY(rg_cursor_u64(&in, &ask->ticket));
    RG_TRY(rg_cursor_u32(&in, &ask->n_done));
    RG_TRY(rg_cursor_u32(&in, &zero));
    if (wants > 1 || zero != 0 || ask->n_done > in.left / 16 || in.left != (size_t)ask->n_done * 16)
        return rg_fail(RG_ECORRUPT, "%u ranges that are done, in %zu bytes", ask->n_done, in.left);
    ask->wants = wants != 0;
    ask->done = rg_alloc_zero((size_t)ask->n_done + 1, sizeof *ask->done);
    if (ask->done == NULL)
        return rg_no_memory(in.left, "ranges that are done");
    for (uint32_t i = 0; i < ask->n_done; i++) {
        RG_TRY(rg_cursor_u32(&in, &ask->done[i].range));
        RG_TRY(rg_cursor_u32(&in, &ask->done[i].generation));
        RG_TRY(rg_cursor_u64(&in, &ask->done[i].rows));
    }
    return RG_OK;
}

void rg_pass_state_write(rg_buf *out, const rg_pass_state *is)
{
    rg_buf_u32(out, is->ranges);
    rg_buf_u32(out, is->done);
    rg_buf_u32(out, is->returned);
    rg_buf_u32(out, is->over);
    rg_buf_u64(out, is->rows);
}

rg_status rg_pass_state_read(rg_cursor *in, rg_pass_state *is)
{
    uint32_t over;
    RG_TRY(rg_cursor_u32(in, &is->ranges));
    RG_TRY(rg_cursor_u32(in, &is->done));
    RG_TRY(rg_cursor_u32(in, &is->returned));
    RG_TRY(rg_cursor_u32(in, &over));
    RG_TRY(rg_cursor_u64(in, &is->rows));
    is->over = over != 0;
    return RG_OK;
}

void rg_lease_given_write(rg_buf *out, bool given, const rg_lease *lease, const rg_pass_state *is)
{
    rg_buf_u32(out, given);
    rg_buf_u32(out, lease->range);
    rg_buf_u32(out, lease->generation);
    rg_buf_u32(out, lease->file);
    rg_buf_u64(out, lease->begin);
    rg_buf_u64(out, lease->end);
    rg_pass_state_write(out, is);
}

rg_status rg_lease_given_read(const uint8_t *bytes, size_t n, bool *given, rg_lease *lease,
                              rg_pass_state *is)
{
    rg_cursor in = {bytes, n};
    uint32_t has;
    RG_TRY(rg_cursor_u32(&in, &has));
    RG_TRY(rg_cursor_u32(&in, &lease->range));
    RG_TRY(rg_cursor_u32(&in, &lease->generation));
    RG_TRY(rg_cursor_u32(&in, &lease->file));
    RG_TRY(rg_cursor_u64(&in, &lease->begin));
    RG_TRY(rg_cursor_u64(&in, &lease->end));
    RG_TRY(rg_pass_state_read(&in, is));
    *given = has != 0;
    return rg_cursor_end(&in);
}
