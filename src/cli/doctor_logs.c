/* doctor_logs.c - `paddle doctor LOG_DIR`: why a job has failed, from what it has left.
 *
 * Who failed first is what the launcher wrote (launch/job_end.h), or, where it could not, the one
 * whose log has a reason of its own: one that says "trainer 1 ... has failed" failed because of
 * another. What that log says last is then held against the table of causes (doctor_causes.c). */
#include "cli/doctor_logs.h"

#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/host.h"
#include "sys/process.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOGS = 4096, CHUNK = 1 << 16 };

typedef struct story {
    rg_log_story *logs;
    size_t n, cap;
    bool has_end;
    rg_job_end end;
    const rg_log_story *first; /* NULL: nobody is known to have failed */
    rg_verdict verdict;
} story;

/* ---- the files ---- */

/* workerlog.3, serverlog.0 of launch_ps, worker.3, server.0 of paddlerec. */
static bool is_log(const char *name, rg_launch_process *process)
{
    static const struct {
        const char *begin;
        rg_launch_role role;
    } kinds[] = {{"workerlog.", RG_LAUNCH_WORKER},
                 {"serverlog.", RG_LAUNCH_SERVER},
                 {"worker.", RG_LAUNCH_WORKER},
                 {"server.", RG_LAUNCH_SERVER}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].begin);
        char *end;
        if (strncmp(name, kinds[i].begin, n) != 0 || !isdigit((unsigned char)name[n]))
            continue;
        process->role = kinds[i].role;
        process->index = (int)strtol(name + n, &end, 10);
        return *end == '\0';
    }
    return false;
}

static rg_status note_log(void *arg, const char *name)
{
    story *s = arg;
    rg_launch_process process = {0};
    if (!is_log(name, &process) || s->n == MAX_LOGS)
        return RG_OK;
    RG_TRY(rg_grow((void **)&s->logs, s->n, &s->cap, sizeof *s->logs));
    rg_log_story *log = &s->logs[s->n++];
    memset(log, 0, sizeof *log);
    log->process = process;
    (void)snprintf(log->name, sizeof log->name, "%s", name);
    return RG_OK;
}

static rg_status read_log(const rg_folder *folder, rg_log_story *log)
{
    rg_file *file;
    rg_line line = {0};
    char *chunk;
    size_t got = 0;
    RG_TRY(rg_folder_read_linked(&file, folder, log->name));
    rg_status code = (chunk = rg_alloc_zero(1, CHUNK)) ? RG_OK : rg_no_memory(CHUNK, "a log");
    size_t length = 0;
    line.number = 1;
    while (code == RG_OK) {
        code = rg_file_read_some(file, chunk, CHUNK, &got);
        if (code != RG_OK || got == 0)
            break;
        for (size_t i = 0; i < got; i++) {
            if (chunk[i] != '\n') { /* of a long line the beginning is enough */
                if (length < sizeof line.text - 1)
                    line.text[length++] = chunk[i];
                continue;
            }
            line.text[length] = '\0';
            rg_log_line(log, &line);
            line.number++;
            length = 0;
        }
    }
    line.text[length] = '\0';
    if (code == RG_OK && length > 0)
        rg_log_line(log, &line);
    rg_free(chunk);
    rg_file_close(file);
    return code;
}

static rg_status read_logs(story *s, const char *path)
{
    rg_folder *folder;
    RG_TRY(rg_folder_open(&folder, path));
    rg_status code = rg_folder_each(folder, note_log, s);
    for (size_t i = 0; code == RG_OK && i < s->n; i++)
        code = read_log(folder, &s->logs[i]);
    rg_folder_close(folder);
    if (code == RG_OK && s->n == 0)
        code = rg_fail(RG_ENOENT, "%s has no log of a job (workerlog.N, serverlog.N)", path);
    if (code == RG_OK) {
        rg_status read = rg_job_end_read(path, &s->end);
        s->has_end = read == RG_OK;
        code = read == RG_ENOENT ? RG_OK : read;
    }
    return code;
}

/* ---- who was first ---- */

static const rg_log_story *find(const story *s, rg_launch_role role, int index)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->logs[i].process.role == role && s->logs[i].process.index == index)
            return &s->logs[i];
    return NULL;
}

/* Without the launcher's word: whom the others name, or else who has a reason of its own. */
static const rg_log_story *guess_first(const story *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const rg_log_story *blamed = s->logs[i].peer.number == 0
                                         ? NULL
                                         : find(s, s->logs[i].blames.role, s->logs[i].blames.index);
        if (blamed != NULL && blamed->peer.number == 0)
            return blamed;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->logs[i].error.number != 0 && s->logs[i].peer.number == 0)
            return &s->logs[i];
    for (size_t i = 0; i < s->n; i++)
        if (s->logs[i].strong.number != 0)
            return &s->logs[i];
    return NULL;
}

/* One whose log blames another failed because of it, whoever was quicker to end: the last of the
 * chain that has a reason of its own. */
static const rg_log_story *follow_blame(const story *s, const rg_log_story *from)
{
    const rg_log_story *at = from;
    for (size_t i = 0; i < s->n && at != NULL && at->error.number == 0; i++)
        at = at->peer.number ? find(s, at->blames.role, at->blames.index) : NULL;
    return at != NULL ? at : from;
}

static void judge(story *s)
{
    const rg_launch_failure *failure = NULL;
    if (s->has_end && s->end.kind == RG_JOB_FAILED) {
        failure = &s->end.failure;
        s->first = find(s, failure->process->role, failure->process->index);
        const rg_log_story *cause = s->first != NULL && failure->end.signal == 0
                                        ? follow_blame(s, s->first)
                                        : s->first;
        if (cause != s->first) { /* how that one ended the launcher has not written down */
            s->first = cause;
            failure = NULL;
        }
    }
    if (!s->has_end || s->end.kind == RG_JOB_RUNNING)
        s->first = guess_first(s);
    rg_verdict_make(&s->verdict, s->first, failure);
}

/* ---- in words ---- */

static void who(char *out, size_t size, const rg_launch_process *process)
{
    (void)snprintf(out, size, "%s %d", rg_launch_role_name(process->role), process->index);
}

static void print_line(const char *folder, const rg_log_story *log, const rg_line *line)
{
    char shown[sizeof line->text];
    (void)rg_escape(shown, sizeof shown, line->text, strlen(line->text));
    (void)printf("  %s/%s:%ld: %s\n", folder, log->name, line->number, shown);
}

static void print_others(const story *s, const char *folder)
{
    for (size_t i = 0; i < s->n; i++)
        if (&s->logs[i] != s->first && s->logs[i].peer.number != 0)
            print_line(folder, &s->logs[i], &s->logs[i].peer);
}

static void print_text(const story *s, const char *folder)
{
    const rg_verdict *v = &s->verdict;
    char name[64] = "nobody";
    if (s->first != NULL)
        who(name, sizeof name, &s->first->process);
    else if (s->has_end && s->end.kind == RG_JOB_FAILED)
        who(name, sizeof name, &s->end.first);
    (void)printf("cause: %s\nfirst: %s%s%s\n", v->text, name, v->how[0] ? ", " : "", v->how);
    if (s->has_end && s->end.failure.given_up != NULL) {
        rg_buf text;
        rg_buf_init(&text, 0);
        rg_launch_given_up(&text, &s->end.failure, "");
        (void)printf("because: %s\n", rg_buf_cstr(&text));
        rg_buf_fini(&text);
    }
    (void)printf("evidence:\n");
    if (v->kernel[0] != '\0')
        (void)printf("  kernel: %s\n", v->kernel);
    if (s->first != NULL && v->line.number != 0)
        print_line(folder, s->first, &v->line);
    if (s->first != NULL && v->place[0] != '\0')
        (void)printf("  raised at %s\n", v->place);
    print_others(s, folder);
    rg_doctor_watched(folder, s->first != NULL ? &s->first->process : NULL, NULL);
    (void)printf("do: %s\n", v->advice);
}

static void json_line(rg_buf *out, const char *folder, const rg_log_story *log, const rg_line *line,
                      bool *any)
{
    char path[4096], shown[sizeof line->text];
    (void)snprintf(path, sizeof path, "%s/%s", folder, log->name);
    (void)rg_escape(shown, sizeof shown, line->text, strlen(line->text));
    rg_buf_printf(out, "%s{\"file\": ", *any ? ", " : "");
    rg_json_string(out, path);
    rg_buf_printf(out, ", \"line\": %ld, \"text\": ", line->number);
    rg_json_string(out, shown);
    rg_buf_char(out, '}');
    *any = true;
}

static void print_json(const story *s, const char *folder)
{
    const rg_verdict *v = &s->verdict;
    char name[64] = "";
    bool any = false;
    rg_buf out;
    rg_buf_init(&out, 0);
    if (s->first != NULL)
        who(name, sizeof name, &s->first->process);
    else if (s->has_end && s->end.kind == RG_JOB_FAILED)
        who(name, sizeof name, &s->end.first);
    rg_buf_printf(&out, "{\"kind\": \"%s\", \"first\": \"%s\", \"cause\": ", v->kind, name);
    rg_json_string(&out, v->text);
    rg_buf_text(&out, ", \"how\": ");
    rg_json_string(&out, v->how);
    rg_buf_text(&out, ", \"evidence\": [");
    if (s->first != NULL && v->line.number != 0)
        json_line(&out, folder, s->first, &v->line, &any);
    for (size_t i = 0; i < s->n; i++)
        if (&s->logs[i] != s->first && s->logs[i].peer.number != 0)
            json_line(&out, folder, &s->logs[i], &s->logs[i].peer, &any);
    rg_buf_text(&out, "], \"events\": [");
    rg_doctor_watched(folder, NULL, &out);
    rg_buf_text(&out, "], \"do\": ");
    rg_json_string(&out, v->advice);
    rg_buf_text(&out, "}\n");
    (void)fwrite(out.data, 1, out.len, stdout);
    rg_buf_fini(&out);
}

/* The launcher is there yet: on this host, and of that number. */
static bool still_runs(const rg_job_end *end)
{
    char host[256];
    rg_host_name(host, sizeof host);
    return end->kind == RG_JOB_RUNNING && strcmp(host, end->host) == 0 && end->launcher > 0 &&
           rg_process_is_there(end->launcher);
}

/* What is said where nobody has failed. */
static bool not_failed(story *s)
{
    rg_verdict *v = &s->verdict;
    if (!s->has_end)
        return false;
    if (s->end.kind == RG_JOB_FINISHED)
        rg_verdict_say(v, "finished", "none: the job has ended well", "nothing");
    else if (still_runs(&s->end))
        rg_verdict_say(v, "running", "none: the job still runs",
                       "`paddle status` asks its servers whom they wait for");
    else
        return false;
    return true;
}

int rg_doctor_logs(const char *folder, bool json)
{
    story s = {0};
    if (read_logs(&s, folder) != RG_OK) {
        (void)fprintf(stderr, "paddle doctor: %s\n", rg_error_message());
        rg_free(s.logs);
        return 2;
    }
    bool well = not_failed(&s);
    if (!well && s.has_end && s.end.kind == RG_JOB_INTERRUPTED)
        rg_verdict_interrupted(&s.verdict, s.end.signal);
    else if (!well)
        judge(&s);
    if (!well && s.has_end && s.end.kind == RG_JOB_RUNNING && s.first == NULL)
        rg_verdict_say(
            &s.verdict, "launcher",
            "the launcher is gone, and has not seen the job's end: it was killed, or the "
            "machine went down",
            "look for who killed it (dmesg, the scheduler's log, uptime); start the job "
            "again, with --resume where it had a journal");
    if (json)
        print_json(&s, folder);
    else
        print_text(&s, folder);
    rg_free(s.logs);
    if (fflush(stdout) != 0)
        return 1;
    return well ? 0 : 1;
}
