/* launch.c - running the processes of a job, and who we are in one. */
#include "_core/core.h"

#include "base/arena.h"
#include "dist/stopped.h"
#include "launch/launch.h"
#include "ps/memory.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/job_env.h"

#include <string.h>

/* ---- running a job ---- */

/* A str as the system wants it; NULL and an exception on failure. Lives in the arena. */
static const char *system_text(rg_arena *arena, PyObject *text)
{
    PyObject *bytes = PyUnicode_Check(text) ? PyUnicode_EncodeFSDefault(text) : NULL;
    char *data = NULL;
    Py_ssize_t size;
    if (bytes == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a process is described by str");
        return NULL;
    }
    /* Without a place for the size, a NUL byte inside is refused. */
    if (PyBytes_AsStringAndSize(bytes, &data, NULL) == 0) {
        size = (Py_ssize_t)strlen(data);
        data = rg_arena_strndup(arena, data, (size_t)size);
        if (data == NULL)
            PyErr_NoMemory();
    }
    Py_DECREF(bytes);
    return data;
}

static const char *const *text_array(rg_arena *arena, PyObject *list)
{
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "arguments and environment are lists of str");
        return NULL;
    }
    Py_ssize_t n = PyList_Size(list);
    const char **texts = rg_arena_alloc(arena, ((size_t)n + 1) * sizeof *texts);
    if (texts == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if ((texts[i] = system_text(arena, PyList_GetItem(list, i))) == NULL)
            return NULL;
    texts[n] = NULL;
    return texts;
}

/* (role, index, argv, env, log or None, append, echo[, spare]) */
static int read_process(rg_arena *arena, PyObject *item, rg_launch_process *out)
{
    const char *role;
    PyObject *argv, *env, *log;
    int index, append, echo, spare = 0;
    if (!PyTuple_Check(item) ||
        !PyArg_ParseTuple(item, "siOOOpp|p;a process of a job", &role, &index, &argv, &env, &log,
                          &append, &echo, &spare))
        return -1;
    bool worker = strcmp(role, "worker") == 0;
    if (!worker && strcmp(role, "server") != 0) {
        PyErr_Format(PyExc_ValueError, "role '%s': it must be worker or server", role);
        return -1;
    }
    *out = (rg_launch_process){
        .role = worker ? RG_LAUNCH_WORKER : RG_LAUNCH_SERVER,
        .index = index,
        .append = append != 0,
        .echo = echo != 0,
        .spare = spare != 0,
    };
    if (log != Py_None && (out->log = system_text(arena, log)) == NULL)
        return -1;
    return (out->argv = text_array(arena, argv)) && (out->env = text_array(arena, env)) ? 0 : -1;
}

/* (watch_dir, stall_seconds, page_host or None, page_port, page_token or None); None: nothing is
 * told */
static int read_watch(rg_arena *arena, PyObject *watch, rg_launch_job *job)
{
    PyObject *folder, *host, *token;
    if (watch == NULL || watch == Py_None)
        return 0;
    if (!PyTuple_Check(watch) ||
        !PyArg_ParseTuple(watch, "OdOiO;how a job is watched", &folder, &job->stall_seconds, &host,
                          &job->page_port, &token))
        return -1;
    if ((host != Py_None && (job->page_host = system_text(arena, host)) == NULL) ||
        (token != Py_None && (job->page_token = system_text(arena, token)) == NULL))
        return -1;
    return (job->watch_dir = system_text(arena, folder)) ? 0 : -1;
}

/* launch(processes, log_dir, run_dir, server_wait_ms[, restarts, restarts_servers, least_workers,
 * join_dir, watch, grace_ms]) -> exit status */
static PyObject *core_launch(PyObject *module, PyObject *args)
{
    PyObject *list, *log_dir, *run_dir, *join_dir = Py_None, *watch = NULL, *out = NULL;
    rg_arena arena = RG_ARENA_EMPTY;
    rg_launch_job job = {0};
    int exit_status = 1;
    (void)module;
    int servers_too = 0;
    if (!PyArg_ParseTuple(args, "O!OOi|ipiOOi:launch", &PyList_Type, &list, &log_dir, &run_dir,
                          &job.server_wait_ms, &job.restarts, &servers_too, &job.least_workers,
                          &join_dir, &watch, &job.grace_ms))
        return NULL;
    job.restarts_servers = servers_too != 0;
    job.n = (int)PyList_Size(list);
    rg_launch_process *processes = rg_arena_zero(&arena,
                                                 ((size_t)job.n + 1) * sizeof(rg_launch_process));
    if (processes == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    job.processes = processes;
    for (int i = 0; i < job.n; i++)
        if (read_process(&arena, PyList_GetItem(list, i), &processes[i]) < 0)
            goto done;
    if ((log_dir != Py_None && (job.log_dir = system_text(&arena, log_dir)) == NULL) ||
        (run_dir != Py_None && (job.run_dir = system_text(&arena, run_dir)) == NULL) ||
        (join_dir != Py_None && (job.join_dir = system_text(&arena, join_dir)) == NULL) ||
        read_watch(&arena, watch, &job) < 0)
        goto done;
    rg_status code;
    Py_BEGIN_ALLOW_THREADS
    code = rg_launch_run(&job, &exit_status);
    Py_END_ALLOW_THREADS
    out = code == RG_OK ? PyLong_FromLong(exit_status) : core_raise(code);
done:
    rg_arena_free(&arena);
    return out;
}

/* ---- who we are ---- */

static PyObject *number_or_none(int number)
{
    if (number < 0)
        Py_RETURN_NONE;
    return PyLong_FromLong(number);
}

static PyObject *sources(const rg_job_env *env)
{
    return Py_BuildValue("{s:z,s:z,s:z,s:z,s:z,s:z}", "role", env->role_from, "trainers",
                         env->trainers_from, "trainer_id", env->trainer_id_from, "servers",
                         env->servers_from, "workers", env->workers_from, "endpoint",
                         env->endpoint_from);
}

static PyObject *describe(const rg_job_env *env)
{
    return Py_BuildValue(
        "{s:z,s:N,s:N,s:N,s:N,s:z,s:N,s:z,s:z,s:z,s:N,s:N}", "role",
        env->role == RG_JOB_NONE ? NULL : rg_job_role_name(env->role), "trainers",
        number_or_none(env->trainers), "trainer_id", number_or_none(env->trainer_id), "servers",
        core_text_list(env->servers, env->n_servers), "workers",
        core_text_list(env->workers, env->n_workers), "endpoint", env->endpoint, "server_index",
        number_or_none(env->server_index), "job_id", env->job_id, "run_dir", env->run_dir,
        "log_dir", env->log_dir, "has_key", PyBool_FromLong(env->has_key), "from", sources(env));
}

static PyObject *core_job_env(PyObject *module, PyObject *unused)
{
    rg_job_env env;
    rg_status code;
    (void)module, (void)unused;
    Py_BEGIN_ALLOW_THREADS
    code = rg_job_env_here(&env);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    PyObject *out = describe(&env);
    rg_job_env_fini(&env);
    return out;
}

static PyObject *core_job_env_names(PyObject *module, PyObject *unused)
{
    int n;
    const char *const *names = rg_job_env_names(&n);
    (void)module, (void)unused;
    return core_text_list(names, n);
}

/* ---- hosts and ports ---- */

static PyObject *core_host_resolve(PyObject *module, PyObject *host)
{
    char address[RG_ADDRESS_TEXT];
    const char *name = core_text(host);
    rg_status code;
    (void)module;
    if (name == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rg_host_resolve(name, address);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    return PyUnicode_FromString(address);
}

static PyObject *core_host_is_ours(PyObject *module, PyObject *host)
{
    char address[RG_ADDRESS_TEXT];
    const char *name = core_text(host);
    (void)module;
    if (name == NULL)
        return NULL;
    CORE_TRY(rg_host_resolve(name, address));
    return PyBool_FromLong(rg_address_is_ours(address));
}

static PyObject *core_port_is_free(PyObject *module, PyObject *args)
{
    const char *host;
    int port;
    bool is_free;
    (void)module;
    if (!PyArg_ParseTuple(args, "si:port_is_free", &host, &port))
        return NULL;
    CORE_TRY(rg_port_is_free(host, port, &is_free));
    return PyBool_FromLong(is_free);
}

static PyObject *core_port_find(PyObject *module, PyObject *host)
{
    const char *name = core_text(host);
    int port;
    (void)module;
    if (name == NULL)
        return NULL;
    CORE_TRY(rg_port_find(name, &port));
    return PyLong_FromLong(port);
}

static PyObject *core_check_table_memory(PyObject *module, PyObject *args)
{
    const char *memory, *evict, *disk;
    size_t bytes;
    rg_evict how;
    (void)module;
    if (!PyArg_ParseTuple(args, "sss:check_table_memory", &memory, &evict, &disk))
        return NULL;
    CORE_TRY(rg_parse_table_memory(memory, evict, disk, &bytes, &how));
    Py_RETURN_NONE;
}

/* stopped_write(journals, folder) -> what is in it */
static PyObject *core_stopped_write(PyObject *module, PyObject *args)
{
    const char *from, *to;
    rg_stopped *job = NULL;
    rg_stopped_about about = {0};
    rg_status code;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss:stopped_write", &from, &to))
        return NULL;
    CORE_TRY(rg_flag_set("ps_return_seconds", "60")); /* what is kept for who comes back is there */
    Py_BEGIN_ALLOW_THREADS
    code = rg_stopped_open(&job, from);
    if (code == RG_OK) {
        about = rg_stopped_tell(job);
        code = rg_stopped_write(job, to);
    }
    rg_stopped_close(job);
    Py_END_ALLOW_THREADS
    CORE_TRY(code);
    return Py_BuildValue("{s:i,s:I,s:K,s:K,s:K,s:I,s:K}", "servers", about.servers, "workers",
                         about.trainers, "steps", (unsigned long long)about.steps, "pushes",
                         (unsigned long long)about.pushes, "left_out",
                         (unsigned long long)about.left_out, "readings", about.readings, "examples",
                         (unsigned long long)about.examples);
}

static PyMethodDef functions[] = {
    {"stopped_write", core_stopped_write, METH_VARARGS,
     "stopped_write(journals, folder): a snapshot of all servers of a stopped job, for any number "
     "of them -> {servers, workers, steps, pushes, left_out, readings, examples}"},
    {"launch", core_launch, METH_VARARGS,
     "launch([(role, index, argv, env, log, append, echo)], log_dir, run_dir, server_wait_ms,"
     " restarts=0, restarts_servers=False, least_workers=0, watch=None) -> exit status; watch is"
     " (folder, stall_seconds, page_host or None, page_port, page_token or None)"},
    {"job_env", core_job_env, METH_NOARGS, "Who we are in a job, and which variables said it."},
    {"job_env_names", core_job_env_names, METH_NOARGS, "The variables job_env() reads."},
    {"host_resolve", core_host_resolve, METH_O, "host_resolve(name) -> address"},
    {"host_is_ours", core_host_is_ours, METH_O, "host_is_ours(name or address) -> bool"},
    {"port_is_free", core_port_is_free, METH_VARARGS, "port_is_free(host, port) -> bool"},
    {"check_table_memory", core_check_table_memory, METH_VARARGS,
     "check_table_memory(memory, evict, disk): an error names what is wrong"},
    {"port_find", core_port_find, METH_O, "port_find(host) -> a free port"},
    {NULL, NULL, 0, NULL},
};

int core_add_launch(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
