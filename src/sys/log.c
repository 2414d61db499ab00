/* log.c - log lines to stderr, or to a file. */
#include "sys/log.h"

#include "base/escape.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/log_priv.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char letters[] = "EWID";

/* ---- the footer ---- */

enum { FOOTER_BYTES = 2048 };

static pthread_mutex_t footer_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t footer_cells; /* that are drawn now; 0: no footer */

static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Columns of the terminal, less the last one, where some terminals wrap already. */
static size_t columns(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? (size_t)size.ws_col - 1 : FOOTER_BYTES;
}

static void write_stderr(const char *bytes, size_t n)
{
    ssize_t written = write(STDERR_FILENO, bytes, n); /* one call: a line stays whole */
    (void)written;
}

void rg_footer_draw(const char *text)
{
    char line[FOOTER_BYTES + 2] = "\r";
    size_t n = 1, cells = 0, most = columns();
    for (; *text != '\0' && n < FOOTER_BYTES; text++) {
        if (!continues_character(*text) && ++cells > most) {
            cells--;
            break;
        }
        line[n++] = *text;
    }
    (void)pthread_mutex_lock(&footer_lock);
    for (size_t i = cells; i < footer_cells && n < FOOTER_BYTES; i++)
        line[n++] = ' ';
    footer_cells = cells;
    write_stderr(line, n);
    (void)pthread_mutex_unlock(&footer_lock);
}

/* With the lock held. */
static void erase_footer(void)
{
    char line[FOOTER_BYTES + 2];
    size_t n = footer_cells < FOOTER_BYTES ? footer_cells : FOOTER_BYTES;
    if (n == 0)
        return;
    memset(line, ' ', n + 2);
    line[0] = line[n + 1] = '\r';
    write_stderr(line, n + 2);
    footer_cells = 0;
}

void rg_footer_erase(void)
{
    (void)pthread_mutex_lock(&footer_lock);
    erase_footer();
    (void)pthread_mutex_unlock(&footer_lock);
}

void rg_footer_leave(void)
{
    (void)pthread_mutex_lock(&footer_lock);
    if (footer_cells > 0)
        write_stderr("\n", 1);
    footer_cells = 0;
    (void)pthread_mutex_unlock(&footer_lock);
}

/* ---- lines ---- */

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
    char text[2048], line[2200], when[32];
    rg_clock_text(when, sizeof when);
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    size_t length = (size_t)snprintf(line, sizeof line, "%s %c %s ", when, letters[level], area);
    length += rg_escape(line + length, sizeof line - length - 1, text, strlen(text));
    line[length++] = '\n';
    rg_log_file_write(line, length);
    if (rg_log_file_takes_all() && level != RG_LOG_E)
        return;
    (void)pthread_mutex_lock(&footer_lock);
    erase_footer();
    write_stderr(line, length);
    (void)pthread_mutex_unlock(&footer_lock);
}

bool rg_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

void rg_say(const char *text, size_t n)
{
    rg_footer_erase();
    rg_log_file_write(text, n);
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
