/* send_attrs.h - the attributes of `send` by position, for its kernel and those of modes. */
#ifndef RG_DIST_SEND_ATTRS_H
#define RG_DIST_SEND_ATTRS_H

enum {
    RG_SEND_TRAINER_ID,
    RG_SEND_EPMAP,
    RG_SEND_SECTIONS,
    RG_SEND_VARNAMES,
    RG_SEND_NUM,
    RG_SEND_MERGE_ADD,
    RG_SEND_USE_HANDLER,
    RG_SEND_GEO_PARAMS,
    RG_SEND_GEO_SLICES,
    RG_SEND_GEO_SECTIONS,
    RG_SEND_GEO_PUSH_NUMS,
    RG_SEND_GEO_TRAINERS,
    RG_SEND_GEO_MOVING,
};

#endif
