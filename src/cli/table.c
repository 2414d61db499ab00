/* table.c - `paddle table DIR`: what is in the tables that a model was saved with. */
#include "base/bytes.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/embedding.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 100000, BAR = 40 };

static const rg_option table[] = {
    RG_WORD("name", "", "which table; without it all are listed, or the only one is shown"),
    RG_WORD("start", "",
            "the folder of the model as training began: rows that are as there were "
            "never updated, and hot is what moved farthest"),
    RG_NUMBER("k", "10", 0, MOST_SHOWN, "how many ids are shown of each kind"),
    {.name = "near",
     .type = RG_OPTION_INT,
     .initial = "0",
     .doc = "an id: the k rows that are most alike, by the cosine"},
    {.name = "to",
     .initial = "",
     .doc = "write the table to --out",
     .choices = "npy|word2vec|parquet"},
    RG_WORD("out", "", "--to: the file"),
    RG_WORD("words", "", "--to word2vec: a file whose line i is the word of id i"),
    RG_WORD("picture", "", "the histogram as a picture: FILE.png (needs Matplotlib)"),
    RG_SWITCH("json", "false", "as one JSON object"),
    {.name = NULL},
};

/* ---- all tables ---- */

static void print_row(const rg_embedding *t, const rg_embedding_numbers *m)
{
    char bytes[RG_BYTES_TEXT];
    (void)printf("%-32s %12zu %6zu %10s %10.4g %10.4g %10.4g %10zu\n", t->name, t->n, t->dim,
                 rg_show_bytes(t->n * t->dim * sizeof *t->values, bytes), m->least, m->median,
                 m->most, m->zeros);
    if (m->bad > 0)
        (void)printf("%-32s %zu rows have a NaN or Inf\n", "", m->bad);
}

static rg_status list_one(void *arg, const rg_embedding *t)
{
    rg_embedding_numbers m;
    int *n = arg;
    RG_TRY(rg_embedding_measure(&m, t, NULL, 0));
    if ((*n)++ == 0)
        (void)printf("%-32s %12s %6s %10s %10s %10s %10s %10s\n", "table", "rows", "dim", "size",
                     "norm min", "median", "max", "zero rows");
    print_row(t, &m);
    rg_embedding_numbers_fini(&m);
    return RG_OK;
}

static rg_status count_one(void *arg, const rg_embedding *t)
{
    (void)t;
    ++*(int *)arg;
    return RG_OK;
}

/* ---- one ---- */

static void print_ids(const char *what, size_t n, size_t all, const int64_t *ids, size_t shown)
{
    (void)printf("%-14s %zu (%.2f %%)", what, n, all ? 100.0 * (double)n / (double)all : 0.0);
    for (size_t i = 0; i < n && i < shown; i++)
        (void)printf("%s%lld", i ? ", " : ": ", (long long)ids[i]);
    (void)printf(n > shown && shown > 0 ? ", ...\n" : "\n");
}

static void print_bins(const rg_embedding_numbers *m)
{
    uint64_t most = 1;
    double width = (m->most - m->least) / RG_BINS;
    for (int i = 0; i < RG_BINS; i++)
        most = m->bins[i] > most ? m->bins[i] : most;
    (void)printf("rows by norm:\n");
    for (int i = 0; i < RG_BINS; i++) {
        int length = (int)((double)m->bins[i] * BAR / (double)most + 0.5);
        if (m->bins[i] > 0 && length == 0)
            length = 1;
        (void)printf("  from %-10.4g %10llu %.*s\n", m->least + width * i,
                     (unsigned long long)m->bins[i], length,
                     "########################################");
    }
}

static void print_one(const rg_embedding *t, const rg_embedding_numbers *m, size_t shown)
{
    char bytes[RG_BYTES_TEXT];
    (void)printf("%s: %zu rows of %zu %s, %s", t->name, t->n, t->dim, t->dtype,
                 rg_show_bytes(t->n * t->dim * sizeof *t->values, bytes));
    if (t->parts > 0)
        (void)printf(
            ", in %d part%s of servers; ids below %lld, of which others were never touched",
            t->parts, t->parts == 1 ? "" : "s", (long long)t->height);
    (void)printf("\n%-14s min %.6g, median %.6g, max %.6g, mean %.6g\n", "norms", m->least,
                 m->median, m->most, m->mean);
    if (m->bad > 0)
        print_ids("NaN or Inf", m->bad, t->n, m->bad_ids, shown);
    print_ids("zero rows", m->zeros, t->n, m->zero_ids, shown);
    if (m->compared)
        print_ids("never updated", m->still, t->n, m->still_ids, shown);
    (void)printf("%-14s", m->compared ? "moved farthest" : "largest norms");
    for (size_t i = 0; i < m->n_hot; i++)
        (void)printf("%s%lld (%.4g)", i ? ", " : " ", (long long)m->hot[i].id, m->hot[i].value);
    (void)printf("\n");
    print_bins(m);
}

static void print_near(int64_t id, const rg_ranked *near, size_t n)
{
    (void)printf("nearest to id %lld, by the cosine:\n", (long long)id);
    for (size_t i = 0; i < n; i++)
        (void)printf("  %-12lld %.6f\n", (long long)near[i].id, near[i].value);
}

/* ---- JSON ---- */

static void json_ids(rg_buf *out, const char *name, const int64_t *ids, size_t n, size_t shown)
{
    rg_buf_printf(out, ", \"%s\": {\"rows\": %zu, \"ids\": [", name, n);
    for (size_t i = 0; i < n && i < shown; i++)
        rg_buf_printf(out, "%s%lld", i ? ", " : "", (long long)ids[i]);
    rg_buf_text(out, "]}");
}

static void json_ranked(rg_buf *out, const char *name, const rg_ranked *list, size_t n)
{
    rg_buf_printf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < n; i++)
        rg_buf_printf(out, "%s[%lld, %.9g]", i ? ", " : "", (long long)list[i].id, list[i].value);
    rg_buf_text(out, "]");
}

static void print_json(const rg_embedding *t, const rg_embedding_numbers *m, size_t shown,
                       const rg_ranked *near, size_t n_near)
{
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_buf_text(&out, "{\"name\": ");
    rg_json_string(&out, t->name);
    rg_buf_printf(&out, ", \"rows\": %zu, \"dim\": %zu, \"height\": %lld, \"parts\": %d", t->n,
                  t->dim, (long long)t->height, t->parts);
    rg_buf_printf(&out,
                  ", \"norms\": {\"min\": %.9g, \"median\": %.9g, \"max\": %.9g, \"mean\": %.9g}",
                  m->least, m->median, m->most, m->mean);
    json_ids(&out, "zero", m->zero_ids, m->zeros, shown);
    json_ids(&out, "bad", m->bad_ids, m->bad, shown);
    if (m->compared)
        json_ids(&out, "never_updated", m->still_ids, m->still, shown);
    json_ranked(&out, m->compared ? "moved" : "hot", m->hot, m->n_hot);
    rg_buf_text(&out, ", \"histogram\": [");
    for (int i = 0; i < RG_BINS; i++)
        rg_buf_printf(&out, "%s%llu", i ? ", " : "", (unsigned long long)m->bins[i]);
    rg_buf_text(&out, "], \"edges\": [");
    for (int i = 0; i <= RG_BINS; i++)
        rg_buf_printf(&out, "%s%.9g", i ? ", " : "", m->least + (m->most - m->least) * i / RG_BINS);
    rg_buf_text(&out, "]");
    if (near != NULL)
        json_ranked(&out, "near", near, n_near);
    (void)printf("%s}\n", rg_buf_cstr(&out));
    rg_buf_fini(&out);
}

/* ---- the command ---- */

static rg_status show(const rg_options *o, const rg_embedding *t, const rg_embedding *start)
{
    size_t shown = (size_t)rg_option_int(o, "k"), n_near = 0;
    bool wants_near = rg_option_given(o, "near");
    rg_embedding_numbers m = {0};
    rg_ranked *near = rg_alloc_zero(shown + 1, sizeof *near);
    rg_status code = near ? RG_OK : rg_no_memory(shown * sizeof *near, "neighbours");
    if (code == RG_OK && wants_near)
        code = rg_embedding_near(t, rg_option_int(o, "near"), shown, near, &n_near);
    if (code == RG_OK)
        code = rg_embedding_measure(&m, t, start, shown);
    if (code == RG_OK && rg_option_bool(o, "json"))
        print_json(t, &m, shown, wants_near ? near : NULL, n_near);
    else if (code == RG_OK && wants_near)
        print_near(rg_option_int(o, "near"), near, n_near);
    else if (code == RG_OK)
        print_one(t, &m, shown);
    rg_embedding_numbers_fini(&m);
    rg_free(near);
    return code;
}

static rg_status export(const rg_options *o, const rg_embedding *t)
{
    const char *out = rg_option_text(o, "out");
    RG_TRY(strcmp(rg_option_text(o, "to"), "npy") == 0
               ? rg_embedding_to_npy(t, out)
               : rg_embedding_to_word2vec(t, out, rg_option_text(o, "words")));
    (void)printf("%s: %zu rows of %zu floats are in %s%s\n", t->name, t->n, t->dim, out,
                 t->ids != NULL && strcmp(rg_option_text(o, "to"), "npy") == 0
                     ? ", their ids beside it in .ids.npy"
                     : "");
    return RG_OK;
}

static rg_status do_one(const rg_options *o, const char *folder)
{
    rg_embedding t, start;
    const char *name = rg_option_text(o, "name"), *from = rg_option_text(o, "start");
    RG_TRY(rg_embedding_open(&t, folder, name));
    memset(&start, 0, sizeof start);
    rg_status code = from[0] != '\0' ? rg_embedding_open(&start, from, t.name) : RG_OK;
    if (code == RG_OK)
        code = rg_option_given(o, "to") ? export(o, &t) : show(o, &t, from[0] ? &start : NULL);
    rg_embedding_fini(&start);
    rg_embedding_fini(&t);
    return code;
}

static rg_status check(const rg_options *o)
{
    bool to = rg_option_given(o, "to");
    if (to != rg_option_given(o, "out"))
        return rg_fail(RG_EINVAL, "--to and --out go together: the format, and the file");
    if (rg_option_given(o, "words") && strcmp(rg_option_text(o, "to"), "word2vec") != 0)
        return rg_fail(RG_EINVAL, "--words is for --to word2vec");
    if (to && (rg_option_given(o, "near") || rg_option_given(o, "start") ||
               rg_option_given(o, "picture") || rg_option_given(o, "json")))
        return rg_fail(RG_EINVAL, "--to writes the table, and shows nothing of it");
    return RG_OK;
}

static rg_status run(const rg_options *o, const char *folder)
{
    int n = 0;
    RG_TRY(check(o));
    bool asks_one = rg_option_given(o, "name") || rg_option_given(o, "to") ||
                    rg_option_given(o, "near") || rg_option_given(o, "start") ||
                    rg_option_given(o, "json");
    if (!asks_one)
        RG_TRY(rg_embeddings_each(folder, count_one, &n));
    if (asks_one || n < 2)
        return do_one(o, folder);
    n = 0;
    return rg_embeddings_each(folder, list_one, &n);
}

int rg_cli_table(int argc, char **argv)
{
    rg_options options;
    const char *folder = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
    int skip = folder != NULL;
    if (rg_options_read(&options, table, argc - skip, argv + skip) != RG_OK) {
        (void)fprintf(stderr, "paddle table: %s\n", rg_error_message());
        return 2;
    }
    if (options.help) {
        (void)printf("usage: paddle table DIR [options]\n\nWhat is in the tables (embeddings) of a "
                     "saved model: rows, norms, dead and hot ids, neighbours.\n\n");
        rg_options_print(table);
        return 0;
    }
    if (folder == NULL)
        return rg_cli_misused(
            "usage: paddle table DIR [options]; `paddle table --help` lists them");
    if (rg_option_given(&options, "picture") ||
        strcmp(rg_option_text(&options, "to"), "parquet") == 0)
        return rg_cli_module(argc, argv); /* it calls us for the numbers, and draws or writes */
    if (run(&options, folder) != RG_OK) {
        (void)fprintf(stderr, "paddle table: %s\n", rg_error_message());
        return 1;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
