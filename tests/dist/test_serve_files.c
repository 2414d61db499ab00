/* test_serve_files.c - servers write parts of tables to files: where they may, and for whom. */
#include "dist/asking.h"

#include "sys/file.h"
#include "tensor/tensor_io.h"

#include <sys/stat.h>
#include <unistd.h>

static rg_status save_part(rg_rpc_client *client, const char *folder, const char *table,
                           uint64_t *rows)
{
    rg_buf body;
    uint8_t *reply = NULL;
    size_t n = 0;
    rg_buf_init(&body, 0);
    rg_ps_change_write(&body, &(rg_ps_change){1, 1});
    rg_ps_save_write(&body, folder, table);
    rg_status code = ask(client, RG_PS_SAVE, body.data, body.len, &reply, &n);
    rg_cursor in = {reply, n};
    if (code == RG_OK)
        assert_ok(rg_cursor_u64(&in, rows));
    rg_free(reply);
    rg_buf_fini(&body);
    return code;
}

static void read_part(const char *path, rg_value *part)
{
    rg_file *file;
    assert_ok(rg_file_open(&file, path));
    rg_source source = rg_source_file(file);
    assert_ok(rg_rows_read(&source, part));
    assert_int_equal(source.left, 0);
    rg_file_close(file);
}

static void a_server_writes_its_rows(void **state)
{
    static const int64_t ids[] = {7, 2};
    char folder[] = "/tmp/regatta-test-serve-XXXXXX", path[128];
    fixture f;
    rg_buf body;
    rg_value part;
    uint64_t rows;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_ok(rg_flag_set("ps_save_root", folder));
    rg_value_init(&part);
    start(&f, RG_UPDATE_ASYNC);
    (void)snprintf(path, sizeof path, "%s/deep", folder);
    assert_ok(save_part(f.clients[0], path, "table", &rows));
    assert_int_equal(rows, 0); /* nobody has touched any */
    (void)snprintf(path, sizeof path, "%s/deep/table_0", folder);
    read_part(path, &part);
    assert_int_equal(part.n_rows, 0);
    write_push(&body, 0, ids, 2, 3);
    assert_ok(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL));
    rg_buf_fini(&body);
    (void)snprintf(path, sizeof path, "%s/deep", folder);
    assert_ok(save_part(f.clients[1], path, "table", &rows)); /* over the old one */
    assert_int_equal(rows, 2);
    (void)snprintf(path, sizeof path, "%s/deep/table_0", folder);
    read_part(path, &part);
    assert_int_equal(part.n_rows, 2);
    assert_int_equal(part.rows[0], 2);
    assert_int_equal(part.rows[1], 7);
    assert_int_equal(part.meta.shape.dim[0], ROWS);
    for (int i = 0; i < 2 * WIDTH; i++)
        assert_float_equal(((const float *)part.data)[i], 1 - 3, 1e-6);
    assert_fails(save_part(f.clients[0], folder, "w", &rows), RG_ENOENT, "no part of a table w");
    assert_fails(save_part(f.clients[0], path, "table", &rows), RG_EIO, "table_0");
    rg_rpc_client *tool = connect_as(&f, RG_RPC_TOOL, RG_RPC_ANY_TRAINER);
    assert_fails(save_part(tool, folder, "table", &rows), RG_EINVAL, "only a trainer");
    rg_rpc_client_close(tool);
    rg_value_fini(&part);
    finish(&f);
    assert_ok(rg_flag_set("ps_save_root", ""));
    assert_ok(rg_dir_remove(folder));
}

/* Below the root, whatever the folder is called and whatever lies there. */
/* promise 31 */
static void a_server_writes_below_its_root(void **state)
{
    char root[] = "/tmp/regatta-test-serve-XXXXXX", other[] = "/tmp/regatta-test-other-XXXXXX";
    char path[256];
    fixture f;
    uint64_t rows;
    (void)state;
    assert_non_null(mkdtemp(root));
    assert_non_null(mkdtemp(other));
    assert_ok(rg_flag_set("ps_save_root", root));
    start(&f, RG_UPDATE_ASYNC);
    (void)snprintf(path, sizeof path, "%s/link", root);
    assert_int_equal(symlink(other, path), 0);
    (void)snprintf(path, sizeof path, "%s/inside", other);
    assert_int_equal(mkdir(path, 0700), 0);
    static const char *const links[] = {"link", "link/inside", "./link/deep/er"};
    for (int i = 0; i < 3; i++)
        assert_fails(save_part(f.clients[0], links[i], "table", &rows), RG_EDENIED,
                     "link is a symbolic link");
    (void)snprintf(path, sizeof path, "%s/link/inside", root);
    assert_fails(save_part(f.clients[0], path, "table", &rows), RG_EDENIED, "symbolic link");
    const char *const outside[] = {other, "..", "deep/../../x", "/", "/proc/none"};
    for (int i = 0; i < 5; i++)
        assert_fails(save_part(f.clients[0], outside[i], "table", &rows), RG_EINVAL,
                     "FLAGS_ps_save_root");
    (void)snprintf(path, sizeof path, "%s-more", root); /* begins as the root does */
    assert_fails(save_part(f.clients[0], path, "table", &rows), RG_EINVAL, "is not below");
    (void)snprintf(path, sizeof path, "%s/inside/table_0", other);
    assert_false(rg_path_exists(path));
    (void)snprintf(path, sizeof path, "%s//a/./b", root);
    assert_ok(save_part(f.clients[0], path, "table", &rows));
    assert_ok(save_part(f.clients[0], "c", "table", &rows));
    assert_ok(save_part(f.clients[0], root, "table", &rows));
    static const char *const written[] = {"a/b/table_0", "c/table_0", "table_0"};
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", root, written[i]);
        assert_true(rg_path_exists(path));
    }
    finish(&f);
    assert_ok(rg_flag_set("ps_save_root", ""));
    assert_ok(rg_dir_remove(root));
    assert_ok(rg_dir_remove(other));
}

/* Without a key: by TCP anyone on this host may have come. */
/* promise 31 */
static void strangers_cannot_have_files_written(void **state)
{
    fixture f;
    uint64_t rows;
    char folder[64], file[80];
    (void)state;
    /* Others run this test at the same time, in the same folder. */
    (void)snprintf(folder, sizeof folder, "regatta-test-serve-%ld", (long)getpid());
    (void)snprintf(file, sizeof file, "%s/table_0", folder);
    assert_ok(rg_flag_set("rpc_transport", "tcp"));
    start(&f, RG_UPDATE_ASYNC);
    assert_fails(save_part(f.clients[0], folder, "table", &rows), RG_EDENIED, "has no key");
    finish(&f);
    assert_false(rg_path_exists(folder));
    /* With the key it may be any user, on any host. */
    static const uint8_t key[16] = {0x5a, 0x5a};
    assert_int_equal(setenv("REGATTA_JOB_KEY", "5a5a0000000000000000000000000000", 1), 0);
    security = (rg_rpc_security){.key = key, .key_bytes = sizeof key};
    start(&f, RG_UPDATE_ASYNC);
    assert_ok(save_part(f.clients[0], folder, "table", &rows));
    finish(&f);
    security = (rg_rpc_security){0};
    assert_int_equal(unsetenv("REGATTA_JOB_KEY"), 0);
    assert_ok(rg_flag_set("rpc_transport", "auto"));
    assert_true(rg_path_exists(file));
    assert_ok(rg_dir_remove(folder));
}

RUN(cmocka_unit_test(a_server_writes_its_rows),
    cmocka_unit_test(strangers_cannot_have_files_written),
    cmocka_unit_test(a_server_writes_below_its_root))
