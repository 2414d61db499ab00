/* terminal.c - the terminal that someone sits at. */
#include "sys/terminal.h"

#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static bool is_changed;

bool rg_terminal_is_there(void)
{
    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

void rg_terminal_size(int *columns, int *rows)
{
    struct winsize size = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    *columns = known && size.ws_col > 0 ? size.ws_col : 80;
    *rows = known && size.ws_row > 0 ? size.ws_row : 24;
}

void rg_terminal_begin(void)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* Ctrl+C still is a signal */
    is_changed = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    (void)fputs("\033[?1049h\033[?25l", stdout);
    (void)fflush(stdout);
}

void rg_terminal_end(void)
{
    if (!is_changed)
        return;
    is_changed = false;
    (void)fputs("\033[?25h\033[?1049l", stdout);
    (void)fflush(stdout);
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

char rg_terminal_key(int wait_ms)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char key = 0;
    if (poll(&in, 1, wait_ms) != 1)
        return 0;
    return read(STDIN_FILENO, &key, 1) == 1 ? key : 'q';
}
