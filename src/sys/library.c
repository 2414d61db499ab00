/* library.c - shared libraries, by dlopen(). */
#include "sys/library.h"

#include <dlfcn.h>

rg_status rg_library_load(const char *name, const char *const *names, void **functions, size_t n)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return rg_fail(RG_ENOENT, "cannot load the library %s: %s", name, dlerror());
    for (size_t i = 0; i < n; i++)
        if ((functions[i] = dlsym(library, names[i])) == NULL)
            return rg_fail(RG_ENOENT, "the library %s has no function %s", name, names[i]);
    return RG_OK;
}
