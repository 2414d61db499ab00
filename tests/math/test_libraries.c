/* OpenBLAS on a CPU that it does not know: it is loaded again, and told what to take. */
#include "check.h"

#include "math/libraries.h"
#include "sys/library.h"

#include <stdlib.h>
#include <string.h>

#define VARIABLE "OPENBLAS_CORETYPE"

static const char *core_of(void **functions)
{
    union {
        void *address;
        char *(*call)(void);
    } name = {.address = functions[0]};
    return name.call();
}

static void a_cpu_that_openblas_does_not_know_has_its_vectors(void **unused)
{
    static const char *const names[] = {"openblas_get_corename"};
    void *functions[1];
    const char *better = rg_blas_better_core("Prescott"), *rest = getenv(VARIABLE);
    (void)unused;
    if (better == NULL || rest != NULL)
        skip(); /* a CPU without vectors of eight; someone has chosen */
    assert_null(rg_blas_better_core("SkylakeX"));
    assert_ok(rg_library_load(RG_OPENBLAS, names, functions, 1));
    assert_ok(rg_library_load_again(RG_OPENBLAS, VARIABLE, "Prescott", names, functions, 1));
    assert_string_equal(core_of(functions), "Prescott"); /* as on such a CPU */
    assert_ok(rg_library_load_again(RG_OPENBLAS, VARIABLE, better, names, functions, 1));
    assert_string_equal(core_of(functions), better);
    assert_null(getenv(VARIABLE));
    assert_int_equal(setenv(VARIABLE, "Prescott", 1), 0);
    assert_null(rg_blas_better_core("Prescott")); /* as the user wants */
    assert_int_equal(unsetenv(VARIABLE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_that_openblas_does_not_know_has_its_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
