/* fuzz_program.c - any bytes as a ProgramDesc: an error or a program that can be written,
 * printed and planned; never a crash. */
#include "exec/plan.h"
#include "ir/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_program *program;
    rg_scope *scope;
    rg_plan *plan;
    if (rg_program_unpack(&program, bytes, n) != RG_OK)
        return 0;
    rg_buf out;
    rg_buf_init(&out, 1 << 24);
    rg_program_text(program, &out);
    rg_buf_clear(&out);
    (void)rg_program_pack(program, &out);
    rg_buf_fini(&out);
    if (rg_scope_new(&scope, NULL) == RG_OK) {
        rg_plan_config config = {.keep_all = true};
        if (rg_plan_open(&plan, program, scope, &config) == RG_OK)
            rg_plan_close(plan);
        rg_scope_release(scope);
    }
    rg_program_close(program);
    return 0;
}
