/* top.c - `paddle top`: a job in a terminal, each second anew. */
#include "cli/commands.h"
#include "cli/options.h"
#include "sys/clock.h"
#include "sys/interrupt.h"
#include "sys/stop.h"
#include "sys/terminal.h"
#include "watch/top.h"

#include <stdio.h>
#include <string.h>

static const rg_option table[] = {
    RG_SWITCH("once", "false",
              "one picture, and the end; so it is, too, where nobody looks: | less"),
    {.name = "sort",
     .type = RG_OPTION_TEXT,
     .initial = "name",
     .doc = "what stands first: name, cpu, memory or wait",
     .choices = "name|cpu|memory|wait"},
    {.name = NULL},
};

static const char usage[] = "usage: paddle top LOG_DIR [--once] [--sort name|cpu|memory|wait]; "
                            "LOG_DIR is the --log_dir of a job";

static rg_top_order order_of(const char *name)
{
    static const char *const names[] = {"name", "cpu", "memory", "wait"};
    for (int i = 0; i < 4; i++)
        if (names[i][0] == name[0])
            return (rg_top_order)i;
    return RG_TOP_NAME;
}

static rg_status draw(rg_watch_state *state, const rg_top_view *view, const char *before)
{
    rg_buf text;
    RG_TRY(rg_watch_state_poll(state, rg_clock_unix()));
    rg_buf_init(&text, 0);
    rg_buf_text(&text, before);
    rg_top_draw(state, view, &text);
    static const char keys[] = " q ends; sort by n name, c cpu, m memory, w wait ";
    if (view->rows > 0) /* a line that went on would move all others up */
        rg_buf_printf(&text, "\033[2m%.*s\033[0m\033[J", view->columns, keys);
    rg_status code = rg_buf_status(&text);
    if (code == RG_OK &&
        (fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout) != 0))
        code = rg_fail(RG_EIO, "cannot write");
    rg_buf_fini(&text);
    return code;
}

static rg_status go_on(rg_watch_state *state, rg_top_view *view)
{
    rg_status code = RG_OK;
    rg_stop_on_signals();
    rg_terminal_begin();
    for (char key = 0; code == RG_OK && key != 'q' && rg_stop_signal() == NULL;) {
        rg_terminal_size(&view->columns, &view->rows);
        code = draw(state, view, "\033[H");
        uint64_t until = rg_clock_ns() + UINT64_C(1000000000);
        for (key = 0; key == 0 && rg_clock_ns() < until && rg_stop_signal() == NULL;)
            key = rg_terminal_key(RG_LOOK_MS);
        if (key != 0 && strchr("ncmw", key) != NULL)
            view->order = order_of((char[]){key, '\0'});
    }
    rg_terminal_end();
    return code;
}

int rg_cli_top(int argc, char **argv)
{
    rg_options options;
    rg_watch_state *state;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        (void)printf("%s\n", usage);
        rg_options_print(table);
        return 0;
    }
    if (argc < 2 || argv[1][0] == '-')
        return rg_cli_misused(usage);
    if (rg_options_read(&options, table, argc - 1, argv + 1) != RG_OK)
        return rg_cli_misused(rg_error_message());
    rg_top_view view = {.order = order_of(rg_option_text(&options, "sort"))};
    if (rg_watch_state_open(&state, argv[1]) != RG_OK)
        return rg_cli_misused(rg_error_message());
    bool live = !rg_option_bool(&options, "once") && rg_terminal_is_there();
    view.colours = live;
    rg_terminal_size(&view.columns, &view.rows);
    view.rows = 0;
    rg_status code = live ? go_on(state, &view) : draw(state, &view, "");
    rg_watch_state_close(state);
    if (code != RG_OK)
        (void)fprintf(stderr, "paddle top: %s\n", rg_error_message());
    return code == RG_OK ? 0 : 1;
}
