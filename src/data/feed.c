/* feed.c - the slots of a line. */
#include "data/feed.h"

#include "base/map.h"
#include "base/mem.h"
#include "data/feed_priv.h"

#include <string.h>

static rg_status check_slot(const rg_feed_slot *slot, size_t i, size_t *width)
{
    if (slot->name == NULL || slot->name[0] == '\0')
        return rg_fail(RG_EINVAL, "slot %zu has no name", i + 1);
    if (slot->dtype != RG_I64 && slot->dtype != RG_F32)
        return rg_fail(RG_EINVAL, "slot '%s' is of %s, and a slot holds int64 or float32",
                       slot->name, rg_dtype_name(slot->dtype));
    *width = 0;
    if (!slot->dense)
        return RG_OK;
    char text[RG_SHAPE_TEXT];
    int64_t n = slot->shape.rank >= 1 && slot->shape.rank <= RG_MAX_DIMS
                    ? rg_shape_product(&slot->shape, 1, slot->shape.rank)
                    : -1;
    if (n < 1 || n > RG_MAX_LINE_BYTES || slot->shape.dim[0] != -1)
        return rg_fail(RG_EINVAL,
                       "dense slot '%s' has the shape %s, and must have -1 first and known "
                       "dimensions after it",
                       slot->name, rg_shape_text(&slot->shape, text));
    *width = (size_t)n;
    return RG_OK;
}

static rg_status fill_feed(rg_feed *feed, const rg_feed_slot *slots, size_t n)
{
    rg_map seen = {0};
    rg_status code = RG_OK;
    for (size_t i = 0; i < n; i++) {
        size_t width;
        RG_TRY_GOTO(code, check_slot(&slots[i], i, &width));
        if (rg_map_has(&seen, slots[i].name)) {
            code = rg_fail(RG_EINVAL, "slot '%s' is given twice", slots[i].name);
            goto done;
        }
        RG_TRY_GOTO(code, rg_map_put(&seen, slots[i].name, slots));
        feed->slots[i] = slots[i];
        feed->slots[i].name = rg_arena_strdup(&feed->names, slots[i].name);
        if (feed->slots[i].name == NULL) {
            code = rg_no_memory(strlen(slots[i].name), "a slot's name");
            goto done;
        }
        feed->steps[i] = (feed_step){
            .used = slots[i].used,
            .ids = slots[i].dtype == RG_I64,
            .dense = slots[i].dense,
            .width = (uint32_t)width,
            .column = (uint32_t)feed->n_used,
        };
        if (slots[i].used)
            feed->used[feed->n_used++] = (uint32_t)i;
    }
done:
    rg_map_fini(&seen);
    return code;
}

rg_status rg_feed_open(rg_feed **out, const rg_feed_slot *slots, size_t n)
{
    if (n == 0)
        return rg_fail(RG_EINVAL, "there are no slots: name them with set_use_var");
    if (n > RG_MAX_SLOTS)
        return rg_fail(RG_ETOOBIG, "%zu slots, and at most %d are possible", n, RG_MAX_SLOTS);
    rg_feed *feed = rg_alloc_zero(1, sizeof *feed);
    if (feed == NULL)
        return rg_no_memory(sizeof *feed, "the slots");
    feed->names = RG_ARENA_EMPTY;
    feed->n_slots = n;
    feed->slots = rg_alloc_zero(n, sizeof *feed->slots);
    feed->steps = rg_alloc_zero(n, sizeof *feed->steps);
    feed->used = rg_alloc_zero(n, sizeof *feed->used);
    rg_status code = RG_OK;
    if (feed->slots == NULL || feed->steps == NULL || feed->used == NULL)
        code = rg_no_memory(n * sizeof *feed->slots, "the slots");
    else
        code = fill_feed(feed, slots, n);
    if (code != RG_OK) {
        rg_feed_close(feed);
        return code;
    }
    *out = feed;
    return RG_OK;
}

void rg_feed_close(rg_feed *feed)
{
    if (feed == NULL)
        return;
    rg_free(feed->slots);
    rg_free(feed->steps);
    rg_free(feed->used);
    rg_map_fini(&feed->by_name);
    rg_arena_free(&feed->names);
    rg_free(feed);
}

void rg_feed_set_texts(rg_feed *feed, bool ins_id, bool content)
{
    feed->ins_id = ins_id;
    feed->content = content;
}

void rg_feed_set_drop_zeros(rg_feed *feed, bool drop)
{
    feed->drop_zeros = drop;
}

size_t rg_feed_used(const rg_feed *feed)
{
    return feed->n_used;
}

const rg_feed_slot *rg_feed_used_at(const rg_feed *feed, size_t i)
{
    return &feed->slots[feed->used[i]];
}

size_t rg_feed_width(const rg_feed *feed, size_t used)
{
    return feed->steps[feed->used[used]].width;
}
