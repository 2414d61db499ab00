/* test_tls.c - TLS between a real server and real clients, with certificates made here. */
#include "check.h"
#include "rpc/echo.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>

typedef struct identity {
    EVP_PKEY *key;
    X509 *cert;
    char cert_file[128], key_file[128];
} identity;

static char folder[64];
static identity ca, other_ca, server_id, client_id, stranger_id, expired_id;

static void extend(X509 *cert, int what, const char *text)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, what, text);
    assert_non_null(extension);
    assert_int_equal(X509_add_ext(cert, extension, -1), 1);
    X509_EXTENSION_free(extension);
}

/* A certificate for `name`, signed by `by` (NULL: by itself, a CA), good for `seconds` from now. */
static void make(identity *id, const char *name, const char *for_whom, const identity *by,
                 long seconds)
{
    static long serial = 1;
    id->key = EVP_EC_gen("P-256");
    id->cert = X509_new();
    assert_non_null(id->key);
    X509_set_version(id->cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(id->cert), serial++);
    X509_gmtime_adj(X509_getm_notBefore(id->cert), -86400);
    X509_gmtime_adj(X509_getm_notAfter(id->cert), seconds);
    X509_set_pubkey(id->cert, id->key);
    X509_NAME *subject = X509_get_subject_name(id->cert);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(id->cert, by ? X509_get_subject_name(by->cert) : subject);
    if (by == NULL)
        extend(id->cert, NID_basic_constraints, "critical,CA:TRUE");
    else
        extend(id->cert, NID_subject_alt_name, for_whom);
    assert_true(X509_sign(id->cert, by ? by->key : id->key, EVP_sha256()) > 0);
    (void)snprintf(id->cert_file, sizeof id->cert_file, "%s/%s.pem", folder, name);
    (void)snprintf(id->key_file, sizeof id->key_file, "%s/%s.key", folder, name);
    FILE *file = fopen(id->cert_file, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, id->cert), 1);
    (void)fclose(file);
    file = fopen(id->key_file, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_PrivateKey(file, id->key, NULL, NULL, 0, NULL, NULL), 1);
    (void)fclose(file);
}

static int make_all(void **state)
{
    static const char both[] = "DNS:localhost,IP:127.0.0.1";
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/rg-tls-XXXXXX");
    assert_non_null(mkdtemp(folder));
    make(&ca, "ca", NULL, NULL, 86400);
    make(&other_ca, "other-ca", NULL, NULL, 86400);
    make(&server_id, "server", both, &ca, 86400);
    make(&client_id, "client", both, &ca, 86400);
    make(&stranger_id, "stranger", "DNS:elsewhere", &ca, 86400);
    make(&expired_id, "expired", both, &ca, -60);
    return 0;
}

static int remove_all(void **state)
{
    identity *all[] = {&ca, &other_ca, &server_id, &client_id, &stranger_id, &expired_id};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        (void)unlink(all[i]->cert_file);
        (void)unlink(all[i]->key_file);
        X509_free(all[i]->cert);
        EVP_PKEY_free(all[i]->key);
    }
    return rmdir(folder);
}

static void start(echo *e, const identity *id, const identity *client_ca)
{
    static const uint8_t key[] = "a key besides it";
    rg_rpc_server_config config = {.security = {.key = key, .key_bytes = 16}};
    if (id != NULL) {
        config.security.tls_cert = id->cert_file;
        config.security.tls_key = id->key_file;
    }
    if (client_ca != NULL)
        config.security.tls_ca = client_ca->cert_file;
    echo_init(e);
    assert_ok(echo_open(e, &config));
}

static rg_rpc_client_config with(const identity *trusted, const identity *id)
{
    static const uint8_t key[] = "a key besides it";
    rg_rpc_client_config config = echo_client();
    config.deadline_ms = 1000;
    config.security = (rg_rpc_security){.key = key, .key_bytes = 16};
    if (trusted != NULL)
        config.security.tls_ca = trusted->cert_file;
    if (id != NULL) {
        config.security.tls_cert = id->cert_file;
        config.security.tls_key = id->key_file;
    }
    return config;
}

static void expect_refusal(const echo *e, rg_rpc_client_config config, rg_status code,
                           const char *text)
{
    rg_rpc_client *client;
    assert_ok(rg_rpc_client_open(&client, rg_rpc_server_endpoint(e->server, 0), &config));
    assert_fails(rg_rpc_client_ready(client, NULL), code, text);
    rg_rpc_client_close(client);
    assert_int_equal(e->hellos, 0);
}

static void bytes_come_back_through_tls(void **state)
{
    static const char *const ways[] = {"tcp", "unix"};
    echo e;
    (void)state;
    start(&e, &server_id, NULL);
    for (int w = 0; w < 2; w++) {
        rg_rpc_client_config config = with(&ca, NULL);
        config.transport = ways[w];
        rg_rpc_client *client = echo_connect(&e, &config);
        for (size_t n = 0; n < 5000000; n = n * 7 + 1)
            echo_once(client, n, (uint8_t)n);
        rg_rpc_server_cut(e.server);
        echo_once(client, 100000, 1);
        rg_rpc_client_close(client);
    }
    echo_stop(&e);
}

/* promise 26 */
static void client_certificates_are_demanded_where_there_is_a_ca(void **state)
{
    echo e;
    (void)state;
    start(&e, &server_id, &ca);
    expect_refusal(&e, with(&ca, NULL), RG_EDENIED, "certificate required");
    rg_rpc_client_config config = with(&ca, &client_id);
    rg_rpc_client *client = echo_connect(&e, &config);
    echo_once(client, 1000, 1);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

/* promise 26 */
static void what_is_wrong_with_a_certificate_is_said(void **state)
{
    const struct {
        const identity *server;
        const identity *trusted;
        const char *name, *text;
    } cases[] = {
        {&server_id, &other_ca, NULL, "unable to get local issuer certificate"},
        {&stranger_id, &ca, NULL, "IP address mismatch"},
        {&stranger_id, &ca, "localhost", "hostname mismatch"},
        {&expired_id, &ca, NULL, "certificate has expired"},
        {&other_ca, &ca, NULL, "self-signed certificate"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        echo e;
        start(&e, cases[i].server, NULL);
        rg_rpc_client_config config = with(cases[i].trusted, NULL);
        config.security.tls_name = cases[i].name;
        expect_refusal(&e, config, RG_EDENIED, cases[i].text);
        echo_stop(&e);
    }
}

/* promise 26 */
static void it_never_falls_back_to_plain_text(void **state)
{
    echo e;
    (void)state;
    start(&e, &server_id, NULL);
    expect_refusal(&e, with(NULL, NULL), RG_ETIMEOUT, "");
    echo_stop(&e);
    start(&e, NULL, NULL);
    expect_refusal(&e, with(&ca, NULL), RG_ETIMEOUT, "TLS handshake");
    echo_stop(&e);
}

/* promise 26 */
static void older_versions_are_refused(void **state)
{
    static const int versions[] = {TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION, TLS1_3_VERSION};
    echo e;
    (void)state;
    start(&e, &server_id, NULL);
    const char *port = strrchr(rg_rpc_server_endpoint(e.server, 0), ':') + 1;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)strtol(port, NULL, 10)),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        SSL_CTX *context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_security_level(context, 0); /* or it would not even try */
        assert_int_equal(SSL_CTX_set_min_proto_version(context, TLS1_VERSION), 1);
        assert_int_equal(SSL_CTX_set_max_proto_version(context, versions[i]), 1);
        SSL *tls = SSL_new(context);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
        assert_int_equal(SSL_set_fd(tls, fd), 1);
        assert_int_equal(SSL_connect(tls) == 1, versions[i] == TLS1_3_VERSION);
        SSL_free(tls);
        SSL_CTX_free(context);
        (void)close(fd);
    }
    assert_int_equal(e.hellos, 0);
    echo_stop(&e);
}

static void half_a_configuration_is_refused(void **state)
{
    echo e;
    rg_rpc_client *client;
    rg_rpc_client_config config = with(&ca, NULL);
    (void)state;
    rg_rpc_server_config server = {.security = {.tls_cert = server_id.cert_file}};
    echo_init(&e);
    assert_fails(echo_open(&e, &server), RG_EINVAL, "FLAGS_rpc_tls_key");
    server.security.tls_key = client_id.key_file;
    assert_fails(echo_open(&e, &server), RG_EINVAL, client_id.key_file);
    server.security.tls_key = "/nowhere";
    assert_fails(echo_open(&e, &server), RG_EINVAL, "/nowhere");
    config.security.tls_ca = "/nowhere";
    assert_fails(rg_rpc_client_open(&client, "127.0.0.1:1", &config), RG_EINVAL, "/nowhere");
    echo_stop(&e); /* of which there is no server */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back_through_tls),
        cmocka_unit_test(client_certificates_are_demanded_where_there_is_a_ca),
        cmocka_unit_test(what_is_wrong_with_a_certificate_is_said),
        cmocka_unit_test(it_never_falls_back_to_plain_text),
        cmocka_unit_test(older_versions_are_refused),
        cmocka_unit_test(half_a_configuration_is_refused),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
