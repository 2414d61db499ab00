/* events.c - lines appended to this process's file. */
#include "sys/events.h"

#include "base/escape.h"
#include "base/json.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/log.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_A_SECOND = 50 }; /* events */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below but `is_open` */
static int file = -1;
static uint64_t bytes;
static char our_name[64];
static bool warned;
static uint64_t second, in_second; /* which it is, and events in it */
static atomic_bool is_open;        /* asked without the lock: most processes have no file */

/* In a child, whatever its parent's threads were at. */
static void forget(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    lock = fresh;
    atomic_store(&is_open, false);
    if (file >= 0)
        (void)close(file);
    file = -1;
}

/* One that was killed may have left half a line. */
static void end_line(int fd, const char *path)
{
    char last = '\n';
    off_t size = lseek(fd, 0, SEEK_END);
    int reader = size > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (reader >= 0 && pread(reader, &last, 1, size - 1) == 1 && last != '\n') {
        ssize_t n = write(fd, "\n", 1);
        (void)n;
    }
    if (reader >= 0)
        (void)close(reader);
}

rg_status rg_watch_file_open(const char *folder, const char *process)
{
    static atomic_flag on_fork = ATOMIC_FLAG_INIT;
    rg_buf path;
    struct stat info;
    rg_buf_init(&path, 4096);
    rg_buf_printf(&path, "%s/%s.jsonl", folder, process);
    rg_status code = rg_buf_status(&path);
    if (code == RG_OK)
        code = rg_dir_make(folder);
    int fd = code == RG_OK
                 ? open(rg_buf_cstr(&path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
                 : -1;
    if (code == RG_OK && fd < 0)
        code = rg_fail(RG_EIO, "cannot write %s: %s", rg_buf_cstr(&path), strerror(errno));
    if (code == RG_OK) {
        end_line(fd, rg_buf_cstr(&path));
        rg_watch_file_close();
        pthread_mutex_lock(&lock);
        file = fd;
        bytes = fstat(fd, &info) == 0 ? (uint64_t)info.st_size : 0;
        (void)snprintf(our_name, sizeof our_name, "%s", process);
        pthread_mutex_unlock(&lock);
        if (!atomic_flag_test_and_set(&on_fork))
            rg_process_on_fork(forget);
        atomic_store(&is_open, true);
    }
    rg_buf_fini(&path);
    return code;
}

void rg_watch_file_close(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_open, false);
    if (file >= 0)
        (void)close(file);
    file = -1;
    pthread_mutex_unlock(&lock);
}

bool rg_watch_file_is_open(void)
{
    return atomic_load(&is_open);
}

uint64_t rg_watch_file_bytes(void)
{
    pthread_mutex_lock(&lock);
    uint64_t n = bytes;
    pthread_mutex_unlock(&lock);
    return n;
}

/* Whole or not at all: a disk that is full takes a part. The lock is held. */
static bool append(const char *text, size_t n)
{
    ssize_t written = write(file, text, n);
    if (written == (ssize_t)n) {
        bytes += n;
        return true;
    }
    int why = written < 0 ? errno : ENOSPC;
    if (written > 0)
        (void)!ftruncate(file, (off_t)bytes);
    errno = why;
    return false;
}

void rg_watch_line(const char *rest)
{
    if (!rg_watch_file_is_open())
        return;
    rg_buf line;
    int why = 0;
    rg_buf_init(&line, 0);
    rg_buf_printf(&line, "{\"t\":%.3f,%s}\n", rg_clock_unix(), rest);
    pthread_mutex_lock(&lock);
    if (file >= 0 && rg_buf_status(&line) == RG_OK && !append((char *)line.data, line.len) &&
        !warned) {
        why = errno;
        warned = true;
    }
    pthread_mutex_unlock(&lock);
    if (why != 0)
        rg_log(RG_LOG_W, "watch", "process=%s \"what is seen of it has gaps\" why=\"%s\"", our_name,
               strerror(why));
    rg_buf_fini(&line);
}

/* Who is refused may come again at once, and so on: a file is not filled by that. */
static bool is_too_many(void)
{
    uint64_t now = rg_clock_ns() / 1000000000u;
    pthread_mutex_lock(&lock);
    in_second = now == second ? in_second + 1 : 1;
    second = now;
    bool many = in_second > MOST_A_SECOND;
    pthread_mutex_unlock(&lock);
    return many;
}

void rg_event(const char *kind, const char *who, const char *fmt, ...)
{
    char text[1024], one_line[1200];
    va_list args;
    if (!rg_watch_file_is_open() || is_too_many())
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    (void)rg_escape(one_line, sizeof one_line, text, strlen(text));
    rg_buf line;
    rg_buf_init(&line, 0);
    rg_buf_text(&line, "\"event\":");
    rg_json_string(&line, kind);
    rg_buf_text(&line, ",\"who\":");
    rg_json_string(&line, who != NULL ? who : our_name);
    rg_buf_text(&line, ",\"text\":");
    rg_json_string(&line, one_line);
    if (rg_buf_status(&line) == RG_OK)
        rg_watch_line(rg_buf_cstr(&line));
    rg_buf_fini(&line);
}
