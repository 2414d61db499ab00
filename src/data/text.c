/* text.c - files as text. */
#include "data/text_priv.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sys/file.h"
#include "sys/secret_file.h"

#include <string.h>
#include <zlib.h>

enum { PACKED_BYTES = 256 * 1024 };

/* What a pipe command's Python would otherwise hash differently in each process. */
static const char *const pipe_environment[] = {"PYTHONHASHSEED=0", NULL};

struct rg_text {
    char *name;
    char *secret; /* path of what `hadoop` shall know of; NULL: nothing */
    rg_file *file;
    rg_command *fetch, *pipe;
    bool packed, unpacking; /* .gz; inside a member of it */
    z_stream z;
    uint8_t *in; /* of PACKED_BYTES */
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

bool rg_text_is_remote(const char *file)
{
    return strncmp(file, "hdfs:", 5) == 0 || strncmp(file, "afs:", 4) == 0;
}

/* ---- unpacking ---- */

static rg_status open_packed(rg_text *text)
{
    text->packed = true;
    text->in = rg_alloc(PACKED_BYTES);
    if (text->in == NULL)
        return rg_no_memory(PACKED_BYTES, text->name);
    if (inflateInit2(&text->z, 16 + MAX_WBITS) != Z_OK)
        return rg_fail(RG_ENOMEM, "%s: zlib cannot start", text->name);
    return RG_OK;
}

static rg_status refill(rg_text *text)
{
    size_t got;
    RG_TRY(rg_file_read_some(text->file, text->in, PACKED_BYTES, &got));
    text->z.next_in = text->in;
    text->z.avail_in = (uInt)got;
    return RG_OK;
}

/* A .gz may hold several members one after the other; it must end after one. */
static rg_status read_packed(rg_text *text, void *bytes, size_t n, size_t *got)
{
    text->z.next_out = bytes;
    text->z.avail_out = (uInt)n;
    while (text->z.avail_out == n) {
        if (text->z.avail_in == 0)
            RG_TRY(refill(text));
        if (text->z.avail_in == 0) {
            if (text->unpacking || rg_file_offset(text->file) == 0)
                return rg_fail(RG_ECORRUPT,
                               "%s is cut off: it ends inside the packed data, at "
                               "byte %llu",
                               text->name, (unsigned long long)rg_file_offset(text->file));
            break;
        }
        if (!text->unpacking && inflateReset(&text->z) != Z_OK)
            return rg_fail(RG_ECORRUPT, "%s: zlib cannot start", text->name);
        text->unpacking = true;
        int code = inflate(&text->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            text->unpacking = false;
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return rg_fail(RG_ECORRUPT, "%s is not sound gzip data: %s", text->name,
                           text->z.msg ? text->z.msg : "zlib refuses it");
    }
    *got = n - text->z.avail_out;
    return RG_OK;
}

/* No line begins as gzip data do, so those are known whatever the file is called. (A pipe command
 * gets such a file as it is: it may want to unpack it.) */
static rg_status looks_packed(rg_text *text, bool *packed)
{
    uint8_t head[2];
    *packed = false;
    if (rg_file_size(text->file) < sizeof head)
        return RG_OK;
    RG_TRY(rg_file_read(text->file, head, sizeof head));
    *packed = head[0] == 0x1f && head[1] == 0x8b;
    return rg_file_seek(text->file, 0);
}

/* ---- where the bytes come from ---- */

static bool has_pipe(const rg_text_config *config)
{
    return config->pipe != NULL && strcmp(config->pipe, "cat") != 0;
}

static void quote(rg_buf *out, const char *text)
{
    rg_buf_char(out, '\'');
    for (; *text != '\0'; text++)
        if (*text == '\'')
            rg_buf_text(out, "'\\''");
        else
            rg_buf_char(out, *text);
    rg_buf_char(out, '\'');
}

/* The user and its password as a configuration of hadoop's: no argument, which all can see. */
static rg_status write_ugi(rg_text *text, const char *ugi)
{
    rg_buf xml;
    rg_buf_init(&xml, 1 << 20);
    rg_buf_text(&xml, "<?xml version=\"1.0\"?>\n<configuration><property>"
                      "<name>hadoop.job.ugi</name><value>");
    for (; *ugi != '\0'; ugi++)
        if (*ugi == '&')
            rg_buf_text(&xml, "&amp;");
        else if (*ugi == '<')
            rg_buf_text(&xml, "&lt;");
        else
            rg_buf_char(&xml, *ugi);
    rg_buf_text(&xml, "</value></property></configuration>\n");
    rg_status code = rg_buf_status(&xml);
    if (code == RG_OK)
        code = rg_secret_file_make(&text->secret, xml.data, xml.len);
    rg_buf_fini(&xml);
    return code;
}

static rg_status open_remote(rg_text *text, const rg_text_config *config)
{
    rg_buf line;
    bool own = config->fetch != NULL && config->fetch[0] != '\0';
    if (!own && config->ugi != NULL)
        RG_TRY(write_ugi(text, config->ugi));
    rg_buf_init(&line, 1 << 20);
    if (own) {
        rg_buf_printf(&line, "%s ", config->fetch);
    } else {
        rg_buf_text(&line, "hadoop fs");
        if (text->secret != NULL) {
            rg_buf_text(&line, " -conf ");
            quote(&line, text->secret);
        }
        if (config->fs_name != NULL) {
            rg_buf_text(&line, " -D fs.default.name=");
            quote(&line, config->fs_name);
        }
        rg_buf_text(&line, " -text ");
    }
    quote(&line, text->name);
    rg_status code = rg_buf_status(&line);
    rg_command_config fetch = {.command = rg_buf_cstr(&line), .wake = config->wake};
    if (code == RG_OK)
        code = rg_command_open(&text->fetch, &fetch);
    rg_buf_fini(&line);
    return code;
}

static rg_status read_origin(void *arg, void *bytes, size_t n, size_t *got)
{
    rg_text *text = arg;
    if (text->fetch != NULL)
        return rg_command_read(text->fetch, bytes, n, got);
    if (text->packed)
        return read_packed(text, bytes, n, got);
    return rg_file_read_some(text->file, bytes, n, got);
}

static rg_status open_origin(rg_text *text, const rg_text_config *config)
{
    if (rg_text_is_remote(text->name))
        return open_remote(text, config);
    RG_TRY(config->stream ? rg_file_open_stream(&text->file, text->name)
                          : rg_file_open(&text->file, text->name));
    bool packed = ends_with(text->name, ".gz");
    if (!packed && !has_pipe(config) && !config->stream)
        RG_TRY(looks_packed(text, &packed));
    return packed ? open_packed(text) : RG_OK;
}

static rg_status open_pipe(rg_text *text, const rg_text_config *config)
{
    bool plain = text->fetch == NULL && !text->packed;
    rg_command_config pipe = {
        .command = config->pipe,
        .input_path = plain ? text->name : NULL,
        .input = read_origin,
        .input_arg = text,
        .defaults = pipe_environment,
        .wake = config->wake,
    };
    return rg_command_open(&text->pipe, &pipe);
}

rg_status rg_text_open(rg_text **out, const rg_text_config *config, const char *file)
{
    rg_text *text = rg_alloc_zero(1, sizeof *text);
    char *name = rg_strdup(file);
    if (text == NULL || name == NULL) {
        rg_free(text);
        rg_free(name);
        return rg_no_memory(sizeof *text, file);
    }
    text->name = name;
    rg_status code = open_origin(text, config);
    if (code == RG_OK && has_pipe(config))
        if ((code = open_pipe(text, config)) != RG_OK)
            code = rg_context(code, "the pipe command for %s", file);
    if (code != RG_OK) {
        rg_text_close(text);
        return code;
    }
    *out = text;
    return RG_OK;
}

rg_status rg_text_seek(rg_text *text, uint64_t offset)
{
    return rg_file_seek(text->file, offset);
}

rg_status rg_text_can_cut(const rg_text_config *config, const char *file, bool *can)
{
    rg_text *text;
    *can = false;
    if (rg_text_is_remote(file) || has_pipe(config))
        return RG_OK;
    RG_TRY(rg_text_open(&text, config, file));
    *can = !text->packed;
    rg_text_close(text);
    return RG_OK;
}

uint64_t rg_text_consumed(const rg_text *text)
{
    if (text->fetch != NULL)
        return 0;
    if (text->pipe != NULL && !text->packed)
        return rg_command_input_offset(text->pipe);
    return rg_file_offset(text->file);
}

void rg_text_close(rg_text *text)
{
    if (text == NULL)
        return;
    rg_command_close(text->pipe);
    rg_command_close(text->fetch);
    rg_secret_file_remove(text->secret);
    rg_free(text->secret);
    rg_file_close(text->file);
    if (text->packed)
        (void)inflateEnd(&text->z);
    rg_free(text->in);
    rg_free(text->name);
    rg_free(text);
}

rg_status rg_text_read(rg_text *text, void *bytes, size_t n, size_t *got)
{
    if (text->pipe == NULL && text->fetch == NULL)
        return read_origin(text, bytes, n, got);
    rg_status code = text->pipe ? rg_command_read(text->pipe, bytes, n, got)
                                : read_origin(text, bytes, n, got);
    if (code != RG_OK)
        return rg_context(code, "the text of %s was not read whole", text->name);
    return RG_OK;
}
