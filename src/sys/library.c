/* library.c - shared libraries, by dlopen(). */
#include "sys/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

rg_status rg_library_load_again(const char *name, const char *variable, const char *value,
                                const char *const *names, void **functions, size_t n)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    for (int i = 0; library != NULL && i < 2; i++) /* that of now, and that of before */
        (void)dlclose(library);
    (void)setenv(variable, value, 1);
    rg_status code = rg_library_load(name, names, functions, n);
    (void)unsetenv(variable); /* our children choose by themselves */
    return code;
}

/* The path of what this code is in. */
static bool own_path(char *path, size_t size)
{
    static const char here; /* its address is in the same file */
    Dl_info info;
    if (dladdr(&here, &info) != 0 && info.dli_fname != NULL && strchr(info.dli_fname, '/') != NULL)
        return (size_t)snprintf(path, size, "%s", info.dli_fname) < size;
    ssize_t n = readlink("/proc/self/exe", path, size - 1); /* a command found in the PATH */
    if (n > 0)
        path[n] = '\0';
    return n > 0;
}

static bool is_in(const char *own, const char *folder, const char *name, char *path, size_t size)
{
    return (size_t)snprintf(path, size, "%s%s/%s", own, folder, name) < size &&
           access(path, R_OK) == 0;
}

/* What pip installs stands in Python's package, the command in its bin: of the same prefix. */
static bool is_in_package(const char *own, const char *name, char *path, size_t size)
{
    char lib[PATH_MAX], folder[PATH_MAX];
    const struct dirent *entry;
    bool found = false;
    if ((size_t)snprintf(lib, sizeof lib, "%s/../lib", own) >= sizeof lib)
        return false;
    DIR *dir = opendir(lib);
    while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
        static const char *const kinds[] = {"site", "dist"};
        for (int i = 0; i < 2 && !found && strncmp(entry->d_name, "python3", 7) == 0; i++) {
            (void)snprintf(folder, sizeof folder, "/../lib/%s/%s-packages/paddle", entry->d_name,
                           kinds[i]);
            found = is_in(own, folder, name, path, size);
        }
    }
    if (dir != NULL)
        (void)closedir(dir);
    return found;
}

bool rg_library_beside(const char *name, char *path, size_t size)
{
    char named[PATH_MAX], own[PATH_MAX];
    if (!own_path(named, sizeof named) || realpath(named, own) == NULL)
        return false;
    *strrchr(own, '/') = '\0';
    return is_in(own, "", name, path, size) || is_in(own, "/../lib", name, path, size) ||
           is_in_package(own, name, path, size);
}

rg_status rg_library_load_module(const char *path, const char *name, void **symbol)
{
    char own[PATH_MAX];
    /* Python loads extensions with their symbols hidden from all others. */
    if (own_path(own, sizeof own))
        (void)dlopen(own, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return rg_fail(RG_ENOENT, "%s", dlerror());
    *symbol = dlsym(library, name);
    return *symbol ? RG_OK : rg_fail(RG_ENOENT, "the library %s has no %s", path, name);
}
