/* log.c - log lines to stderr. */
#include "sys/log.h"

#include "base/buf.h"
#include "sys/clock.h"
#include "sys/flags.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char letters[] = "EWID";

static int least_severe(void)
{
    const char *wanted = "W";
    (void)rg_flag_text("log_level", &wanted);
    const char *at = wanted[0] ? strchr(letters, wanted[0]) : NULL;
    return at ? (int)(at - letters) : RG_LOG_W;
}

void rg_log(rg_log_level level, const char *area, const char *fmt, ...)
{
    if ((int)level > least_severe())
        return;
    char line[2048], when[32];
    rg_clock_text(when, sizeof when);
    int used = snprintf(line, sizeof line, "%s %c %s ", when, letters[level], area);
    va_list args;
    va_start(args, fmt);
    int more = vsnprintf(line + used, sizeof line - (size_t)used - 1, fmt, args);
    va_end(args);
    if (more < 0)
        return;
    size_t length = (size_t)used + (size_t)more;
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, length); /* one call: a line stays whole */
    (void)written;
}

bool rg_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

void rg_say(const char *text, size_t n)
{
    while (n > 0) {
        ssize_t written = write(STDOUT_FILENO, text, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* nobody listens */
        text += written;
        n -= (size_t)written;
    }
}
