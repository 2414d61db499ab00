/* feeds.c - what is fed to a plan on a device.
 *
 * A batch is many small tensors, and each copy to a device costs more than its bytes. So once
 * shapes have settled the feeds of a plan stand in one block of the device, and what is fed by the
 * host is put together in memory of the host and sent as one; what is on the device already is
 * brought into the block by one piece of work. Feeds that are larger than their place, in the run
 * where that is found out, are copied by themselves.
 *
 * There are two such memories of the host, by turns: while the bytes of one are on their way, and
 * the step before is still computed, the next batch is put into the other. */
#include "exec/plan_priv.h"

#include "base/mem.h"

#include <string.h>

enum { ALIGN = 256, TURNS = 2 };

typedef struct rg_feed_block {
    rg_value whole; /* of the device; feeds are parts of it */
    size_t *offset; /* by feed; SIZE_MAX: not in it */
    size_t *room;   /* bytes that fit there */
    uint8_t *host[TURNS];
    size_t bytes;     /* of the block, and of each host */
    size_t low, high; /* what is to be sent */
    bool waited;      /* this turn's memory may be written */
    int turn;
    rg_move *parts; /* to be brought from elsewhere on the device */
    int n_parts;
    size_t *fed; /* largest size of each feed so far */
} rg_feed_block;

static rg_status open_block(rg_plan *plan)
{
    size_t n = (size_t)plan->n_feeds + 1;
    rg_feed_block *b = rg_arena_zero(&plan->arena, sizeof *b);
    if (b == NULL)
        return rg_no_memory(sizeof *b, "feeds");
    b->offset = rg_arena_alloc(&plan->arena, n * sizeof *b->offset);
    b->room = rg_arena_zero(&plan->arena, n * sizeof *b->room);
    b->fed = rg_arena_zero(&plan->arena, n * sizeof *b->fed);
    b->parts = rg_arena_zero(&plan->arena, n * sizeof *b->parts);
    if (b->offset == NULL || b->room == NULL || b->fed == NULL || b->parts == NULL)
        return rg_no_memory(1, "feeds");
    for (size_t i = 0; i < n; i++)
        b->offset[i] = SIZE_MAX;
    b->low = SIZE_MAX;
    rg_value_init(&b->whole);
    rg_value_place(&b->whole, plan->run.device);
    plan->feed_block = b;
    return RG_OK;
}

static bool is_in_block(const rg_plan *plan, int i, size_t bytes)
{
    const rg_feed_block *b = plan->feed_block;
    return b != NULL && b->offset[i] != SIZE_MAX && bytes <= b->room[i] &&
           plan->feeds[i]->data == (uint8_t *)b->whole.data + b->offset[i];
}

/* ---- filling ---- */

rg_status rg_plan_feed_bytes(rg_plan *plan, int i, const void *from, size_t bytes)
{
    const rg_device *device = plan->run.device;
    rg_value *value = plan->feeds[i];
    rg_feed_block *b = plan->feed_block;
    if (rg_device_of(value)->on_host || !is_in_block(plan, i, bytes))
        return rg_host_write(value, 0, from, bytes);
    if (!b->waited) {
        if (device->uploaded != NULL)
            RG_TRY(device->uploaded(plan->run.stream, b->turn));
        b->waited = true;
    }
    memcpy(b->host[b->turn] + b->offset[i], from, bytes);
    b->low = b->offset[i] < b->low ? b->offset[i] : b->low;
    b->high = b->offset[i] + bytes > b->high ? b->offset[i] + bytes : b->high;
    return RG_OK;
}

rg_status rg_plan_feed_take(rg_plan *plan, int i, const rg_value *from)
{
    const rg_device *device = plan->run.device;
    rg_value *value = plan->feeds[i];
    size_t bytes = rg_value_bytes(from);
    if (rg_device_of(from) != device || rg_device_of(value) != device ||
        device->copy_parts == NULL || plan->feed_block == NULL)
        return rg_device_copy(value, from, bytes);
    rg_feed_block *b = plan->feed_block;
    int at = 0; /* fed twice before a run: the later one counts */
    while (at < b->n_parts && b->parts[at].to != value->data)
        at++;
    b->n_parts += at == b->n_parts;
    b->parts[at] = (rg_move){value->data, from->data, bytes};
    return RG_OK;
}

/* ---- sending ---- */

/* What came from the device is brought last: it may stand between bytes of the host, which are sent
 * in one piece. */
rg_status rg_feeds_send(rg_plan *plan)
{
    const rg_device *device = plan->run.device;
    rg_feed_block *b = plan->feed_block;
    if (b == NULL)
        return RG_OK;
    if (b->low < b->high) {
        uint8_t *to = (uint8_t *)b->whole.data + b->low;
        const uint8_t *from = b->host[b->turn] + b->low;
        RG_TRY(
            device->upload
                ? device->upload(plan->run.stream, b->turn, to, from, b->high - b->low)
                : device->copy(device, to, false, from, true, b->high - b->low, plan->run.stream));
        b->turn = (b->turn + 1) % TURNS;
        b->low = SIZE_MAX;
        b->high = 0;
        b->waited = false;
    }
    if (b->n_parts > 0)
        RG_TRY(device->copy_parts(plan->run.stream, b->parts, b->n_parts));
    b->n_parts = 0;
    return RG_OK;
}

/* ---- the layout ---- */

static bool wants_block(const rg_plan *plan, int i)
{
    const rg_value *value = plan->feeds[i];
    return value != NULL && value->data != NULL && value->meta.kind == RG_TENSOR &&
           rg_device_of(value) == plan->run.device;
}

static void free_hosts(const rg_plan *plan, rg_feed_block *b)
{
    const rg_device *device = plan->run.device;
    for (int t = 0; t < TURNS; t++) {
        if (b->host[t] != NULL && device->free_host != NULL)
            device->free_host(device, b->host[t]);
        else
            rg_free(b->host[t]);
        b->host[t] = NULL;
    }
}

static rg_status new_hosts(const rg_plan *plan, rg_feed_block *b)
{
    const rg_device *device = plan->run.device;
    RG_TRY(device->sync(device, plan->run.stream)); /* bytes may be on their way */
    free_hosts(plan, b);
    for (int t = 0; t < TURNS; t++) {
        b->host[t] = device->alloc_host ? device->alloc_host(device, b->bytes) : rg_alloc(b->bytes);
        if (b->host[t] == NULL)
            return rg_no_memory(b->bytes, "feeds");
        memset(b->host[t], 0, b->bytes);
    }
    return RG_OK;
}

/* Each feed becomes a part of the block, with what it has. */
static rg_status move_in(rg_plan *plan, rg_feed_block *b, rg_value *whole)
{
    const rg_device *device = plan->run.device;
    for (int i = 0; i < plan->n_feeds; i++) {
        if (!wants_block(plan, i) || b->offset[i] == SIZE_MAX)
            continue;
        rg_value *value = plan->feeds[i];
        rg_value place;
        rg_value_init(&place);
        size_t bytes = rg_value_bytes(value);
        rg_shape room = RG_SHAPE((int64_t)b->room[i]), shape = value->meta.shape;
        rg_dtype dtype = value->meta.dtype;
        RG_TRY(rg_value_share_part(&place, whole, b->offset[i], &room));
        if (bytes > 0)
            RG_TRY(device->copy(device, place.data, false, value->data, false, bytes,
                                plan->run.stream));
        rg_lod *lod = rg_lod_retain(value->meta.lod);
        rg_status code = rg_value_share(value, &place);
        value->meta.dtype = dtype;
        value->meta.shape = shape;
        rg_value_set_lod(value, lod);
        rg_lod_release(lod);
        rg_value_fini(&place);
        RG_TRY(code);
    }
    return RG_OK;
}

/* Some room to grow for those whose sizes move: sequences. */
static size_t room_for(rg_feed_block *b, int i, size_t bytes)
{
    bool moved = b->fed[i] != 0 && b->fed[i] != bytes;
    b->fed[i] = bytes > b->fed[i] ? bytes : b->fed[i];
    size_t room = moved ? b->fed[i] + b->fed[i] / 4 : b->fed[i];
    return (room + ALIGN - 1) / ALIGN * ALIGN;
}

rg_status rg_feeds_settle(rg_plan *plan)
{
    bool all_fit = true;
    int n = 0;
    if (plan->run.device == &rg_cpu || plan->n_feeds == 0)
        return RG_OK;
    if (plan->feed_block == NULL)
        RG_TRY(open_block(plan));
    rg_feed_block *b = plan->feed_block;
    for (int i = 0; i < plan->n_feeds; i++)
        if (wants_block(plan, i)) {
            all_fit = all_fit && is_in_block(plan, i, rg_value_bytes(plan->feeds[i]));
            n++;
        }
    if (all_fit || n == 0)
        return RG_OK;
    rg_value whole;
    size_t bytes = 0;
    for (int i = 0; i < plan->n_feeds; i++) {
        b->offset[i] = SIZE_MAX;
        if (!wants_block(plan, i))
            continue;
        b->offset[i] = bytes;
        b->room[i] = room_for(b, i, rg_value_bytes(plan->feeds[i]));
        bytes += b->room[i];
    }
    rg_value_init(&whole);
    rg_value_place(&whole, plan->run.device);
    rg_status code = rg_value_resize(&whole, RG_U8, &RG_SHAPE((int64_t)bytes));
    if (code == RG_OK)
        code = move_in(plan, b, &whole);
    b->bytes = bytes;
    if (code == RG_OK)
        code = new_hosts(plan, b);
    rg_value_fini(&b->whole); /* parts of it that are still in use hold it */
    b->whole = whole;
    return code;
}

void rg_feeds_close(rg_plan *plan)
{
    if (plan->feed_block == NULL)
        return;
    free_hosts(plan, plan->feed_block);
    rg_value_fini(&plan->feed_block->whole);
}
