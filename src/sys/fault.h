/* fault.h - places where a test can make the system fail.
 *
 * RG_FAULT=save.rename:2:eio makes the second pass of the point "save.rename"
 * fail as if the system call had. Actions: kill, stop, eio, enospc, enomem,
 * short, flip, delay (for a second), stall (for ever), late (kill, after 0.3 seconds in which
 * other threads go on). Points exist only in a build with
 * -DFAULTS=ON; in others rg_fault() is the constant RG_FAULT_NONE. */
#ifndef RG_SYS_FAULT_H
#define RG_SYS_FAULT_H

typedef enum rg_fault_action {
    RG_FAULT_NONE,
    RG_FAULT_EIO,
    RG_FAULT_ENOSPC,
    RG_FAULT_ENOMEM,
    RG_FAULT_SHORT, /* do half of it, and say it was all */
    RG_FAULT_FLIP,  /* change one byte */
} rg_fault_action;

#ifdef RG_FAULTS
/* kill, stop, delay and stall are carried out inside; the others the caller plays. */
rg_fault_action rg_fault(const char *point);
#else
static inline rg_fault_action rg_fault(const char *point)
{
    (void)point;
    return RG_FAULT_NONE;
}
#endif

#endif
