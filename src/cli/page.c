/* page.c - `paddle page`: the page of a job that runs, or that has ended. */
#include "cli/commands.h"
#include "cli/options.h"
#include "sys/clock.h"
#include "sys/interrupt.h"
#include "sys/stop.h"
#include "watch/page.h"

#include <stdio.h>
#include <string.h>

static const rg_option table[] = {
    RG_NUMBER("port", "0", 0, 65535, "where it listens; 0: a port that is free"),
    RG_WORD("host", "127.0.0.1", "the address; one that others reach needs a token"),
    RG_WORD("token", "", "what requests must have: ?token=..., or Authorization: Bearer ..."),
    {.name = NULL},
};

static const char usage[] = "usage: paddle page LOG_DIR [--port PORT] [--host ADDRESS] [--token "
                            "TOKEN]; LOG_DIR is the --log_dir of a job";

int rg_cli_page(int argc, char **argv)
{
    rg_options options;
    rg_page *page;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        (void)printf("%s\n", usage);
        rg_options_print(table);
        return 0;
    }
    if (argc < 2 || argv[1][0] == '-')
        return rg_cli_misused(usage);
    if (rg_options_read(&options, table, argc - 1, argv + 1) != RG_OK)
        return rg_cli_misused(rg_error_message());
    rg_stop_on_signals();
    if (rg_page_open(&page, argv[1], rg_option_text(&options, "host"),
                     (int)rg_option_int(&options, "port"),
                     rg_option_text(&options, "token")) != RG_OK) {
        (void)fprintf(stderr, "paddle page: %s\n", rg_error_message());
        return 1;
    }
    (void)printf("page of %s: %s (Ctrl+C ends it)\n", argv[1], rg_page_address(page));
    (void)fflush(stdout);
    while (rg_stop_signal() == NULL)
        rg_clock_sleep(RG_LOOK_NS);
    rg_page_close(page);
    return 0;
}
