/* mode.c - the update modes by number. */
#include "dist/mode.h"

#include "base/buf.h"

rg_status rg_mode_find(int64_t number, const rg_mode **mode)
{
    rg_buf known;
    rg_buf_init(&known, 0);
    for (const rg_mode *const *m = rg_modes; *m != NULL; m++) {
        if ((*m)->programs.number == number) {
            rg_buf_fini(&known);
            *mode = *m;
            return RG_OK;
        }
        rg_buf_printf(&known, "%s%d %s", m == rg_modes ? "" : ", ", (*m)->programs.number,
                      (*m)->programs.name);
    }
    rg_status code = rg_fail(RG_EINVAL, "distributed_mode %lld is no mode: there are %s",
                             (long long)number, rg_buf_cstr(&known));
    rg_buf_fini(&known);
    return code;
}

const rg_mode *rg_mode_of_trainer(const rg_mode *servers, const rg_program *program)
{
    for (const rg_mode *const *m = rg_modes; *m != NULL; m++) {
        const rg_mode *other = (*m)->of_trainer ? (*m)->of_trainer(servers, program) : NULL;
        if (other != NULL)
            return other;
    }
    return servers;
}
