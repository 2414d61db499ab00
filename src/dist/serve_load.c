/* serve_load.c - a server that is sent its program: it waits for it, checks it, runs it. */
#include "dist/serve_load.h"
#include "dist/serve_members.h"
#include "dist/serve_notes.h"
#include "dist/serve_tables.h"

#include "base/mem.h"
#include "exec/executor.h"
#include "sys/because.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/interrupt.h"
#include "sys/log.h"

#include <stdio.h>
#include <string.h>

static const uint64_t SECOND = 1000000000;
enum { TELL_AFTER_S = 10, TELL_EVERY_S = 30, TELL_ALONE_S = 600 };

/* ---- servers of one process ---- */

void rg_serve_group_init(rg_serve_group *group)
{
    *group = (rg_serve_group){.failed = RG_OK};
    pthread_mutex_init(&group->lock, NULL);
}

void rg_serve_group_fini(rg_serve_group *group)
{
    pthread_mutex_destroy(&group->lock);
}

void rg_serve_group_fail(rg_serve_group *group, rg_status status, const char *why)
{
    pthread_mutex_lock(&group->lock);
    if (group->failed == RG_OK) {
        group->failed = status;
        (void)snprintf(group->why, sizeof group->why, "%s", why);
    }
    pthread_mutex_unlock(&group->lock);
}

rg_status rg_serve_group_look(rg_serve_group *group)
{
    pthread_mutex_lock(&group->lock);
    rg_status code = group->failed; /* with it, `why` does not change any more */
    pthread_mutex_unlock(&group->lock);
    return code == RG_OK ? RG_OK : rg_fail(code, "%s", group->why);
}

static int add_busy(rg_serve_group *group, int n)
{
    if (group == NULL)
        return 0;
    pthread_mutex_lock(&group->lock);
    int left = group->n_busy += n;
    pthread_mutex_unlock(&group->lock);
    return left;
}

void rg_serve_group_enter(rg_serve_group *group)
{
    (void)add_busy(group, 1);
}

void rg_serve_group_exit(rg_serve_group *group)
{
    (void)add_busy(group, -1);
}

void rg_serve_group_wait(rg_serve_group *group)
{
    for (int left = add_busy(group, -1); left > 0; left = add_busy(group, 0))
        rg_clock_sleep(RG_LOOK_NS / 10);
}

void rg_serve_group_over(rg_serve_group *group)
{
    pthread_mutex_lock(&group->lock);
    group->over = true;
    pthread_mutex_unlock(&group->lock);
}

bool rg_serve_group_is_over(rg_serve_group *group)
{
    pthread_mutex_lock(&group->lock);
    bool over = group->over;
    pthread_mutex_unlock(&group->lock);
    return over;
}

/* ---- what may be in a program that others send ---- */

/* A server's program computes, and nothing else: it writes no files, calls nobody, and ends. */
static rg_status check_op(const rg_opdesc *op, bool listen_allowed)
{
    enum { UNWANTED = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_INTERNAL | RG_OP_ENDLESS };
    if (op->op == NULL)
        return rg_op_missing(op->type);
    if (rg_opdesc_is(op, RG_OP_SERVES) ? !listen_allowed : rg_opdesc_is(op, UNWANTED))
        return rg_fail(RG_EDENIED,
                       "op %s of block %d has no place in a server's program: it computes with its "
                       "own variables alone",
                       op->type, op->block->idx);
    return RG_OK;
}

static rg_status check_ops(const rg_program *program, bool listen_allowed)
{
    for (size_t b = 0; b < program->n_blocks; b++)
        for (size_t i = 0; i < program->blocks[b]->n_ops; i++)
            RG_TRY(check_op(program->blocks[b]->ops[i], listen_allowed && b == 0));
    return RG_OK;
}

/* Slots and attributes are those of the ops, so that whoever reads them may believe their types. */
static rg_status check_arguments(const rg_program *program)
{
    for (size_t b = 0; b < program->n_blocks; b++)
        for (size_t i = 0; i < program->blocks[b]->n_ops; i++)
            RG_TRY(rg_opdesc_infer(program->blocks[b]->ops[i]));
    return RG_OK;
}

static rg_status find_listen(const rg_engine *s, const rg_program *program,
                             const rg_opdesc **listen)
{
    const rg_block *block = program->blocks[0];
    *listen = NULL;
    for (size_t i = 0; i < block->n_ops; i++) {
        if (!rg_opdesc_is(block->ops[i], RG_OP_SERVES))
            continue;
        if (*listen != NULL)
            return rg_fail(RG_EINVAL, "a server's program has one listen_and_serv");
        *listen = block->ops[i];
    }
    if (*listen == NULL || block->n_ops != 1)
        return rg_fail(RG_EINVAL,
                       "the first block of a server's program is its listen_and_serv, and this "
                       "one has %zu ops",
                       block->n_ops);
    const rg_attr *fanin = rg_opdesc_attr(*listen, "Fanin");
    if (fanin == NULL || fanin->i != (int)s->schema.trainers)
        return rg_fail(RG_EINVAL,
                       "the program is for a job of %d trainers, and this server was started with "
                       "--num_gradient_servers=%u; start both with the same number",
                       fanin ? fanin->i : 0, s->schema.trainers);
    return RG_OK;
}

/* ---- taking it ---- */

/* Threads by what they do are not how a server here is made: who asks for them is told so. 12 is
 * what every script has that says nothing, 1 what a file has. */
static void say_what_changes_nothing(const rg_engine *s)
{
    static const char *const names[] = {"rpc_send_thread_num", "rpc_get_thread_num",
                                        "rpc_prefetch_thread_num"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const rg_attr *threads = rg_opdesc_attr(s->desc, names[i]);
        if (threads != NULL && threads->i != 1 && threads->i != 12)
            rg_log(RG_LOG_W, "ps",
                   "server=%d %s=%d \"changes nothing: gradients, reads and look-ups are taken by "
                   "the same loops; more servers are more threads\"",
                   s->id, names[i], threads->i);
    }
}

static rg_status read_attrs(rg_engine *s)
{
    const rg_attr *mode = rg_opdesc_attr(s->desc, "distributed_mode"),
                  *dc = rg_opdesc_attr(s->desc, "dc_asgd"),
                  *sums = rg_opdesc_attr(s->desc, "sum_gradients");
    RG_TRY(rg_mode_find(mode ? mode->i : 0, &s->mode));
    s->schema.mode = (uint32_t)s->mode->programs.number;
    s->dc_asgd = dc != NULL && dc->b;
    s->sums = sums != NULL && sums->b;
    say_what_changes_nothing(s);
    return RG_OK;
}

/* What flags ask of the mode, and it has not. */
static rg_status check_mode(const rg_engine *s)
{
    if (s->elastic > 0 && s->mode->push == NULL)
        return rg_fail(RG_EINVAL,
                       "%s mode with trainers that come and go (FLAGS_ps_elastic): each sends a "
                       "share of what it changed that depends on how many there are; use async, "
                       "half_async or sync",
                       s->mode->programs.name);
    if (s->elastic == 0 && s->mode->programs.merges && rg_flag_bool("ps_go_on"))
        return rg_fail(RG_EINVAL,
                       "%s mode with FLAGS_ps_go_on (launch_ps --min_trainers): a step is of all "
                       "trainers, and the job does not go on without one; use async, half_async or "
                       "geo, or --restarts, which starts it again",
                       s->mode->programs.name);
    return RG_OK;
}

rg_status rg_serve_adopt(rg_engine *s, const rg_opdesc *listen, rg_scope *scope)
{
    uint32_t trainers = s->schema.trainers;
    s->desc = listen;
    s->program = listen->block->program;
    s->scope = scope;
    rg_status code = read_attrs(s);
    if (code == RG_OK)
        code = check_mode(s);
    if (code == RG_OK)
        code = rg_serve_open_vars(s);
    if (code == RG_OK) {
        atomic_store_explicit(&s->ready, true, memory_order_release);
        return RG_OK;
    }
    rg_serve_close_vars(s);
    s->schema.trainers = trainers;
    s->desc = NULL;
    s->program = NULL;
    s->scope = NULL;
    return code;
}

static rg_status run_startup(const rg_program *startup, rg_scope *scope)
{
    rg_executor *executor = NULL;
    RG_TRY(rg_executor_open(&executor, NULL));
    rg_status code = rg_execute(executor, startup, scope);
    rg_executor_close(executor);
    return code;
}

/* Bytes that the startup program will fill; tables get a shape and no memory. */
static rg_status check_memory(const rg_program *startup)
{
    const rg_block *block = startup->blocks[0];
    double bytes = 0, most = (double)rg_host_memory();
    for (size_t i = 0; i < block->n_ops; i++)
        for (int k = 0; !rg_opdesc_is(block->ops[i], RG_OP_NO_MEMORY) && k < block->ops[i]->n_out;
             k++)
            for (int a = 0; a < block->ops[i]->out[k].n; a++) {
                const rg_vardesc *var = rg_block_find(block, block->ops[i]->out[k].names[a]);
                double numel = var ? 1 : 0;
                for (int d = 0; var != NULL && d < var->meta.shape.rank; d++)
                    numel *= (double)var->meta.shape.dim[d];
                bytes += numel * (var ? (double)rg_dtype_size(var->meta.dtype) : 0);
            }
    if (bytes <= most)
        return RG_OK;
    return rg_fail(RG_ENOMEM,
                   "the program's variables take %.1f GiB, and this host has %.1f: use more "
                   "servers, or is_sparse=True for tables, whose rows come when they are used",
                   bytes / 0x1p30, most / 0x1p30);
}

rg_status rg_serve_take(rg_engine *s, const rg_ps_load *load)
{
    rg_program *startup = NULL, *main = NULL;
    rg_scope *scope = NULL;
    const rg_opdesc *listen;
    rg_status code = RG_OK;
    RG_TRY_GOTO(code, rg_program_unpack(&startup, load->startup, load->n_startup));
    RG_TRY_GOTO(code, rg_program_unpack(&main, load->main, load->n_main));
    RG_TRY_GOTO(code, check_ops(startup, false));
    RG_TRY_GOTO(code, check_ops(main, true));
    RG_TRY_GOTO(code, check_arguments(startup));
    RG_TRY_GOTO(code, check_arguments(main));
    RG_TRY_GOTO(code, check_memory(startup));
    RG_TRY_GOTO(code, find_listen(s, main, &listen));
    RG_TRY_GOTO(code, rg_scope_new(&scope, NULL));
    RG_TRY_GOTO(code, run_startup(startup, scope));
    RG_TRY_GOTO(code, rg_serve_adopt(s, listen, scope));
    s->sent = main;
    main = NULL;
    scope = NULL;
done:
    rg_scope_release(scope);
    rg_program_close(main);
    rg_program_close(startup);
    return code;
}

bool rg_serve_load(rg_engine *s, const rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_ps_load load;
    rg_status code;
    if (s->desc != NULL && trainer->epoch > 1) { /* it was started again, and sends it again */
        rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
        return false;
    }
    if (s->desc != NULL)
        code = rg_fail(RG_EINVAL, "%s has its program already", s->who);
    else
        code = rg_ps_load_read(&load, body, n);
    if (code == RG_OK)
        code = rg_serve_take(s, &load);
    if (code == RG_OK)
        code = rg_serve_keep_program(s, body, n);
    if (code != RG_OK) {
        rg_log(RG_LOG_E, "ps", "server=%d \"a program of %s is refused: %s\"", s->id, trainer->who,
               rg_error_message());
        rg_rpc_refuse(request, code, "%s", rg_error_message());
        return false;
    }
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
    rg_log(RG_LOG_I, "ps", "server=%d \"%s has sent the program\" variables=%zu", s->id,
           trainer->who, s->schema.n);
    return true;
}

/* ---- what comes before it ---- */

void rg_serve_hold(rg_engine *s, rg_rpc_request *request)
{
    if (rg_grow((void **)&s->held, s->n_held, &s->cap_held, sizeof *s->held) != RG_OK)
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
    else
        s->held[s->n_held++] = request;
}

rg_rpc_request *rg_serve_next_held(rg_engine *s)
{
    if (s->n_held == 0)
        return NULL;
    rg_rpc_request *first = s->held[0];
    memmove(s->held, s->held + 1, --s->n_held * sizeof(void *));
    return first;
}

/* ---- waiting for it ---- */

static uint32_t count_come(const rg_engine *s)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        n += s->trainers[t].joined;
    return n;
}

void rg_serve_whose_program(rg_engine *s, rg_buf *out)
{
    pthread_mutex_lock(&s->members);
    const rg_member *first = &s->trainers[0];
    if (count_come(s) == 0)
        rg_buf_printf(out, "%s waits for the first trainer to come, of %u", s->who,
                      s->schema.trainers);
    else if (!first->joined)
        rg_buf_printf(out,
                      "%s waits for trainer 0 to send the program, which was never seen; %u of %u "
                      "trainers have come",
                      s->who, count_come(s), s->schema.trainers);
    else
        rg_buf_printf(out, "%s waits for %s to send the program", s->who, first->who);
    pthread_mutex_unlock(&s->members);
}

static void give_up_program(rg_engine *s, int64_t seconds)
{
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_serve_whose_program(s, &text);
    rg_because_say((rg_because){.worker = true, .index = 0});
    rg_serve_fail(s, RG_ETIMEOUT,
                  "%s; after %lld s (FLAGS_ps_join_seconds) it gives up: start who is missing, or "
                  "look at its log",
                  rg_buf_cstr(&text), (long long)seconds);
    rg_buf_fini(&text);
}

void rg_serve_look_for_program(rg_engine *s)
{
    uint64_t now = rg_clock_ns();
    int64_t seconds = rg_flag_int("ps_join_seconds");
    rg_buf text;
    pthread_mutex_lock(&s->members);
    uint64_t come = count_come(s);
    bool over = s->ended;
    pthread_mutex_unlock(&s->members);
    if (come != s->progress || over) {
        s->progress = come;
        s->held_ns = now;
        s->tell_ns = now + TELL_AFTER_S * SECOND;
    } else if (come > 0 && seconds > 0 && now - s->held_ns > (uint64_t)seconds * SECOND) {
        give_up_program(s, seconds);
    } else if (now >= s->tell_ns) {
        s->tell_ns = now + (come > 0 ? TELL_EVERY_S : TELL_ALONE_S) * SECOND;
        rg_buf_init(&text, 0);
        rg_serve_whose_program(s, &text);
        rg_log(RG_LOG_W, "ps", "server=%d \"%s\" seconds=%.0f", s->id, rg_buf_cstr(&text),
               (double)(now - s->held_ns) * 1e-9);
        rg_buf_fini(&text);
    }
}
