/* bar.c - the progress bar. */
#include "train/bar_priv.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 10, LINE_EVERY_S = 10 };

typedef enum looks { OFF, LINES, DRAWN } looks;

struct rg_bar {
    const char *what;
    uint64_t rows;
    looks looks;
    double last_line; /* seconds */
};

static rg_status pick_looks(looks *out)
{
    const char *text;
    RG_TRY(rg_flag_text("progress", &text));
    if (strcmp(text, "auto") == 0)
        *out = rg_stderr_is_terminal() ? DRAWN : LINES;
    else if (strcmp(text, "bar") == 0)
        *out = DRAWN;
    else if (strcmp(text, "lines") == 0)
        *out = LINES;
    else if (strcmp(text, "off") == 0 || strcmp(text, "0") == 0)
        *out = OFF;
    else
        return rg_fail(RG_EINVAL, "FLAGS_progress is '%s', and may be auto, bar, lines or off",
                       text);
    return RG_OK;
}

rg_status rg_bar_open(rg_bar **out, const char *what, uint64_t rows)
{
    looks chosen = OFF;
    RG_TRY(pick_looks(&chosen));
    rg_bar *bar = rg_alloc_zero(1, sizeof *bar);
    if (bar == NULL)
        return rg_no_memory(sizeof *bar, "the progress bar");
    *bar = (rg_bar){.what = what, .rows = rows, .looks = chosen};
    *out = bar;
    return RG_OK;
}

void rg_bar_close(rg_bar *bar)
{
    if (bar != NULL && bar->looks == DRAWN)
        rg_footer_leave();
    rg_free(bar);
}

/* ---- text ---- */

static void add_count(rg_buf *text, double n)
{
    if (n >= 1e9)
        rg_buf_printf(text, "%.2fG", n / 1e9);
    else if (n >= 1e6)
        rg_buf_printf(text, "%.2fM", n / 1e6);
    else if (n >= 1e4)
        rg_buf_printf(text, "%.1fk", n / 1e3);
    else
        rg_buf_printf(text, "%.0f", n);
}

static void add_time(rg_buf *text, double seconds)
{
    long s = seconds > 0 && seconds < 1e8 ? (long)seconds : 0;
    if (s >= 3600)
        rg_buf_printf(text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        rg_buf_printf(text, "%02ld:%02ld", s / 60, s % 60);
}

static void add_cells(rg_buf *text, double done)
{
    static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int full = (int)(done * CELLS * 8);
    rg_buf_text(text, "|");
    for (int i = 0; i < CELLS; i++) {
        int part = full - i * 8;
        rg_buf_text(text, part >= 8 ? "█" : eighths[part > 0 ? part : 0]);
    }
    rg_buf_text(text, "| ");
}

double rg_bar_done(const rg_bar *bar, const rg_progress *p, uint64_t rows)
{
    double part = 0;
    if (bar->rows > 0)
        part = (double)rows / (double)bar->rows;
    else if (p->disk_bytes > 0)
        part = (double)p->disk_bytes_read / (double)p->disk_bytes;
    else if (p->files > 0)
        part = (double)p->files_done / (double)p->files;
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static void add_state(rg_buf *text, const rg_bar *bar, const rg_progress *p,
                      const rg_train_result *now, double done)
{
    double rate = now->seconds > 0 ? (double)now->rows / now->seconds : 0;
    rate = now->rate > 0 ? now->rate : rate;
    if (p->files > 0)
        rg_buf_printf(text, "%llu/%llu %s, ", (unsigned long long)p->files_done,
                      (unsigned long long)p->files, p->are_ranges ? "ranges" : "files");
    add_count(text, (double)now->rows);
    if (bar->rows > 0 && now->workers < 2) {
        rg_buf_text(text, "/");
        add_count(text, (double)bar->rows);
    }
    rg_buf_text(text, " examples [");
    add_time(text, now->seconds);
    if (done > 0 && done < 1) {
        rg_buf_text(text, "<");
        add_time(text, now->seconds * (1 - done) / done);
    }
    rg_buf_text(text, ", ");
    add_count(text, rate);
    rg_buf_text(text, " examples/s");
    if (now->has_loss && isnan(now->loss)) /* printf may say -nan */
        rg_buf_text(text, ", loss=nan");
    else if (now->has_loss)
        rg_buf_printf(text, ", loss=%.5g", now->loss);
    if (!isnan(now->auc))
        rg_buf_printf(text, ", auc=%.4f", now->auc);
    if (now->workers > 1)
        rg_buf_printf(text, ", %d workers, slowest %d", now->workers, now->slowest);
    if (p->bad_lines > 0)
        rg_buf_printf(text, ", %llu bad lines", (unsigned long long)p->bad_lines);
    rg_buf_text(text, "]");
}

static void draw(const rg_bar *bar, const rg_progress *p, const rg_train_result *now, double done)
{
    rg_buf text;
    rg_buf_init(&text, 4096);
    rg_buf_printf(&text, "%s: %3.0f%%", bar->what, done * 100);
    add_cells(&text, done);
    add_state(&text, bar, p, now, done);
    rg_footer_draw(rg_buf_cstr(&text));
    rg_buf_fini(&text);
}

static void write_line(const rg_bar *bar, const rg_progress *p, const rg_train_result *now,
                       double done)
{
    rg_buf text;
    char when[32];
    rg_clock_text(when, sizeof when);
    rg_buf_init(&text, 4096);
    rg_buf_printf(&text, "%s %s: %3.0f%% ", when, bar->what, done * 100);
    add_state(&text, bar, p, now, done);
    rg_buf_text(&text, "\n");
    (void)fputs(rg_buf_cstr(&text), stderr);
    (void)fflush(stderr);
    rg_buf_fini(&text);
}

/* ---- what is shown ---- */

void rg_bar_show(rg_bar *bar, const rg_progress *p, const rg_train_result *mine,
                 const rg_train_result *now)
{
    double done = rg_bar_done(bar, p, mine->rows);
    if (bar->looks == DRAWN) {
        draw(bar, p, now, done);
    } else if (bar->looks == LINES && now->seconds - bar->last_line >= LINE_EVERY_S) {
        bar->last_line = now->seconds;
        write_line(bar, p, now, done);
    }
}

void rg_bar_end(rg_bar *bar, const rg_progress *p, const rg_train_result *result)
{
    if (bar->looks == DRAWN) {
        draw(bar, p, result, 1);
        rg_footer_leave();
    } else if (bar->looks == LINES) {
        write_line(bar, p, result, 1);
    }
}
