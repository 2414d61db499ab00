/* report.c - what workers say they have read: how many examples, which files. */
#include "launch/launch.h"

#include "base/mem.h"
#include "sys/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORT_BYTES = 64 << 20, SHOWN_FILES = 5 };

/* The number at *text, which is the last or has a blank behind it. */
static rg_status next_number(char **text, long long *out)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(*text, &end, 10);
    if (errno != 0 || end == *text || (*end != '\0' && *end != ' ') || number < 0)
        return rg_fail(RG_ECORRUPT, "the number of examples is not a number");
    *text = end + (*end == ' ');
    *out = number;
    return RG_OK;
}

static rg_status parse_line(rg_launch_report *report, char *line, size_t *cap)
{
    char *value = strchr(line, '=');
    if (value == NULL)
        return rg_fail(RG_ECORRUPT, "a line without '='");
    *value++ = '\0';
    if (strcmp(line, "examples") == 0) {
        RG_TRY(next_number(&value, &report->examples));
    } else if (strcmp(line, "leased") == 0) {
        long long ranges, returned;
        RG_TRY(next_number(&value, &report->leased));
        RG_TRY(next_number(&value, &ranges));
        RG_TRY(next_number(&value, &returned));
        report->ranges = (int)ranges;
        report->returned = (int)returned;
    } else if (strcmp(line, "file") == 0) {
        RG_TRY(rg_grow((void **)&report->files, report->n_files, cap, sizeof *report->files));
        report->files[report->n_files++] = value;
    }
    return RG_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_files(rg_launch_report *report)
{
    size_t kept = 0;
    if (report->n_files > 0)
        qsort(report->files, report->n_files, sizeof *report->files, by_text);
    for (size_t i = 0; i < report->n_files; i++)
        if (kept == 0 || strcmp(report->files[kept - 1], report->files[i]) != 0)
            report->files[kept++] = report->files[i];
    report->n_files = kept;
}

rg_status rg_launch_report_parse(rg_launch_report *report, const char *text, size_t length)
{
    size_t cap = 0;
    rg_status code = RG_OK;
    *report = (rg_launch_report){.examples = -1, .leased = -1};
    if (length > 0 && memchr(text, '\0', length) != NULL)
        return rg_fail(RG_ECORRUPT, "a NUL byte");
    report->text = rg_alloc(length + 1);
    if (report->text == NULL)
        return rg_no_memory(length, "a worker's report");
    if (length > 0)
        memcpy(report->text, text, length);
    report->text[length] = '\0';
    report->found = true;
    for (char *line = report->text; code == RG_OK && line != NULL && *line != '\0';) {
        char *next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (*line != '\0')
            code = parse_line(report, line, &cap);
        line = next;
    }
    if (code != RG_OK)
        rg_launch_report_fini(report);
    else
        sort_files(report);
    return code;
}

void rg_launch_report_fini(rg_launch_report *report)
{
    rg_free(report->files);
    rg_free(report->text);
    *report = (rg_launch_report){.examples = -1, .leased = -1};
}

/* ---- of all workers ---- */

/* A worker that left none says nothing; an unreadable one is told, and says nothing. */
static void load(rg_launch_report *report, const char *run_dir, int worker, rg_buf *notes)
{
    rg_buf path, text;
    *report = (rg_launch_report){.examples = -1, .leased = -1};
    rg_buf_init(&path, 0);
    rg_buf_init(&text, MAX_REPORT_BYTES);
    rg_buf_printf(&path, "%s/worker.%d.report", run_dir, worker);
    if (rg_buf_status(&path) == RG_OK && rg_path_exists(rg_buf_cstr(&path))) {
        rg_status code = rg_file_read_all(rg_buf_cstr(&path), MAX_REPORT_BYTES, &text);
        if (code == RG_OK)
            code = rg_launch_report_parse(report, rg_buf_cstr(&text), text.len);
        if (code != RG_OK)
            rg_buf_printf(notes, "the report of worker %d cannot be read: %s\n", worker,
                          rg_error_message());
    }
    rg_buf_fini(&path);
    rg_buf_fini(&text);
}

typedef struct read_by {
    const char *file;
    int worker;
} read_by;

static int by_file(const void *a, const void *b)
{
    const read_by *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : x->worker - y->worker;
}

/* `all` is sorted: the workers of one file stand together. */
static void tell_twice(const read_by *all, size_t n, rg_buf *out)
{
    size_t shared = 0;
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && strcmp(all[i].file, all[next].file) == 0;)
            next++;
        if (next == i + 1 || ++shared > SHOWN_FILES)
            continue;
        rg_buf_printf(out, "%s was read by workers", all[i].file);
        for (size_t k = i; k < next; k++)
            rg_buf_printf(out, "%s %d", k == i ? "" : k + 1 == next ? " and" : ",", all[k].worker);
        rg_buf_char(out, '\n');
    }
    if (shared > SHOWN_FILES)
        rg_buf_printf(out, "and %zu more files were read by more than one worker\n",
                      shared - SHOWN_FILES);
    if (shared > 0)
        rg_buf_text(out, "give each worker its own files: fleet.split_files(files)\n");
}

/* reports[i] is of process i of the job; those of servers are empty. */
static rg_status compare_files(const rg_launch_report *reports, const rg_launch_job *job,
                               rg_buf *twice)
{
    size_t n = 0;
    for (int i = 0; i < job->n; i++)
        n += reports[i].n_files;
    if (n == 0)
        return RG_OK;
    read_by *all = rg_alloc_zero(n, sizeof *all);
    if (all == NULL)
        return rg_no_memory(n * sizeof *all, "the files of all workers");
    n = 0;
    for (int i = 0; i < job->n; i++)
        for (size_t k = 0; k < reports[i].n_files; k++)
            all[n++] = (read_by){reports[i].files[k], job->processes[i].index};
    qsort(all, n, sizeof *all, by_file);
    tell_twice(all, n, twice);
    rg_free(all);
    return RG_OK;
}

/* Each says what it heard last: who heard it last has all. */
static void tell_leased(const rg_launch_report *reports, int n, rg_buf *out)
{
    const rg_launch_report *last = NULL;
    for (int i = 0; i < n; i++)
        if (reports[i].found && reports[i].leased >= 0 &&
            (last == NULL || reports[i].leased > last->leased))
            last = &reports[i];
    if (last == NULL)
        return;
    rg_buf_printf(out, "%sleased: each of %lld examples was trained on once, in %d ranges",
                  out->len > 0 ? "; " : "", last->leased, last->ranges);
    if (last->returned > 0)
        rg_buf_printf(out, " (%d given back)", last->returned);
}

rg_status rg_launch_report_text(const char *run_dir, const rg_launch_job *job, rg_buf *examples,
                                rg_buf *twice)
{
    rg_launch_report *reports = rg_alloc_zero((size_t)job->n + 1, sizeof *reports);
    if (reports == NULL)
        return rg_no_memory((size_t)job->n * sizeof *reports, "the reports of workers");
    const char *before = "examples: ";
    for (int i = 0; i < job->n; i++) {
        int worker = job->processes[i].index;
        if (job->processes[i].role != RG_LAUNCH_WORKER)
            continue;
        load(&reports[i], run_dir, worker, twice);
        if (reports[i].found && reports[i].examples >= 0) {
            rg_buf_printf(examples, "%sworker %d %lld", before, worker, reports[i].examples);
            before = ", ";
        }
    }
    tell_leased(reports, job->n, examples);
    rg_status code = compare_files(reports, job, twice);
    for (int i = 0; i < job->n; i++)
        rg_launch_report_fini(&reports[i]);
    rg_free(reports);
    RG_TRY(code);
    RG_TRY(rg_buf_status(examples));
    return rg_buf_status(twice);
}
