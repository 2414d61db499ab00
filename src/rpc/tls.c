/* tls.c - OpenSSL over memory. */
#include "rpc/tls_priv.h"

#include "base/mem.h"
#include "sys/flags.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>

struct rg_tls_setup {
    SSL_CTX *ssl;
    bool server;
};

struct rg_tls {
    SSL *ssl;
    BIO *in, *out; /* owned by ssl */
};

/* OpenSSL's own words for what it did not like. */
static rg_status tls_fail(rg_status code, const char *doing)
{
    char text[200] = "failed";
    unsigned long error = ERR_peek_last_error();
    if (error != 0 && ERR_reason_error_string(error) != NULL)
        (void)snprintf(text, sizeof text, "%s", ERR_reason_error_string(error));
    ERR_clear_error();
    return rg_fail(code, "TLS: %s: %s", doing, text);
}

static const char *setting(const char *given, const char *flag)
{
    if (given == NULL)
        (void)rg_flag_text(flag, &given);
    return given != NULL && given[0] != '\0' ? given : NULL;
}

static rg_status file_fail(const char *doing, const char *path)
{
    rg_status status = tls_fail(RG_EINVAL, doing);
    return rg_context(status, "%s", path);
}

static rg_status load(SSL_CTX *ssl, const char *cert, const char *key, const char *ca, bool server)
{
    if (cert != NULL && SSL_CTX_use_certificate_chain_file(ssl, cert) != 1)
        return file_fail("reading the certificate", cert);
    if (key != NULL && SSL_CTX_use_PrivateKey_file(ssl, key, SSL_FILETYPE_PEM) != 1)
        return file_fail("reading the private key", key);
    if (cert != NULL && SSL_CTX_check_private_key(ssl) != 1)
        return file_fail("the key does not fit the certificate", cert);
    if (ca != NULL && SSL_CTX_load_verify_locations(ssl, ca, NULL) != 1)
        return file_fail("reading the CA", ca);
    if (ca != NULL && server) {
        STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(ca);
        if (names != NULL)
            SSL_CTX_set_client_CA_list(ssl, names);
    }
    if (ca != NULL)
        SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER | (server ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                           NULL);
    return RG_OK;
}

rg_status rg_tls_setup_open(rg_tls_setup **out, const rg_rpc_security *security, bool server)
{
    const char *cert = setting(security->tls_cert, "rpc_tls_cert");
    const char *key = setting(security->tls_key, "rpc_tls_key");
    const char *ca = setting(security->tls_ca, "rpc_tls_ca");
    *out = NULL;
    if (cert == NULL && key == NULL && ca == NULL)
        return RG_OK;
    if ((cert == NULL) != (key == NULL))
        return rg_fail(RG_EINVAL, "TLS needs both a certificate and its private key"
                                  " (FLAGS_rpc_tls_cert, FLAGS_rpc_tls_key)");
    if (server && cert == NULL)
        return rg_fail(RG_EINVAL, "a server with a CA needs a certificate (FLAGS_rpc_tls_cert)");
    if (!server && ca == NULL)
        return rg_fail(RG_EINVAL, "a client needs the CA that the server's certificate is of"
                                  " (FLAGS_rpc_tls_ca)");
    rg_tls_setup *setup = rg_alloc_zero(1, sizeof *setup);
    if (setup == NULL)
        return rg_no_memory(sizeof *setup, "TLS");
    setup->server = server;
    setup->ssl = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
    rg_status status = RG_OK;
    if (setup->ssl == NULL || SSL_CTX_set_min_proto_version(setup->ssl, TLS1_3_VERSION) != 1)
        status = tls_fail(RG_ENOMEM, "beginning");
    else
        status = load(setup->ssl, cert, key, ca, server);
    if (status != RG_OK) {
        rg_tls_setup_close(setup);
        return status;
    }
    /* No sessions to resume: nothing is sent that the other end does not wait for. */
    (void)SSL_CTX_set_num_tickets(setup->ssl, 0);
    (void)SSL_CTX_set_session_cache_mode(setup->ssl, SSL_SESS_CACHE_OFF);
    *out = setup;
    return RG_OK;
}

void rg_tls_setup_close(rg_tls_setup *setup)
{
    if (setup == NULL)
        return;
    SSL_CTX_free(setup->ssl);
    rg_free(setup);
}

static bool expect_name(SSL *ssl, const char *name)
{
    uint8_t ip[16];
    X509_VERIFY_PARAM *wanted = SSL_get0_param(ssl);
    if (inet_pton(AF_INET, name, ip) == 1 || inet_pton(AF_INET6, name, ip) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(wanted, name) == 1;
    return X509_VERIFY_PARAM_set1_host(wanted, name, 0) == 1 &&
           SSL_set_tlsext_host_name(ssl, name) == 1;
}

rg_status rg_tls_open(rg_tls **out, const rg_tls_setup *setup, const char *name)
{
    rg_tls *tls = rg_alloc_zero(1, sizeof *tls);
    if (tls == NULL)
        return rg_no_memory(sizeof *tls, "a TLS connection");
    tls->ssl = SSL_new(setup->ssl);
    tls->in = BIO_new(BIO_s_mem());
    tls->out = BIO_new(BIO_s_mem());
    if (tls->ssl == NULL || tls->in == NULL || tls->out == NULL) {
        BIO_free(tls->in);
        BIO_free(tls->out);
        SSL_free(tls->ssl);
        rg_free(tls);
        return tls_fail(RG_ENOMEM, "beginning");
    }
    SSL_set_bio(tls->ssl, tls->in, tls->out);
    if (setup->server)
        SSL_set_accept_state(tls->ssl);
    else
        SSL_set_connect_state(tls->ssl);
    if (!setup->server && name != NULL && !expect_name(tls->ssl, name)) {
        rg_tls_close(tls);
        return tls_fail(RG_EINVAL, "the server's name");
    }
    *out = tls;
    return RG_OK;
}

void rg_tls_close(rg_tls *tls)
{
    if (tls == NULL)
        return;
    SSL_free(tls->ssl);
    rg_free(tls);
}

rg_status rg_tls_feed(rg_tls *tls, const uint8_t *bytes, size_t n)
{
    size_t done = 0;
    if (BIO_write_ex(tls->in, bytes, n, &done) != 1 || done != n)
        return tls_fail(RG_ENOMEM, "receiving");
    return RG_OK;
}

rg_status rg_tls_shake(rg_tls *tls, bool *done)
{
    ERR_clear_error();
    int result = SSL_do_handshake(tls->ssl);
    *done = result == 1;
    if (result == 1 || SSL_get_error(tls->ssl, result) == SSL_ERROR_WANT_READ)
        return RG_OK;
    long verdict = SSL_get_verify_result(tls->ssl);
    if (verdict != X509_V_OK) {
        ERR_clear_error();
        return rg_fail(RG_EDENIED, "TLS: the other end's certificate: %s",
                       X509_verify_cert_error_string(verdict));
    }
    return tls_fail(RG_EDENIED, "handshake");
}

rg_status rg_tls_read(rg_tls *tls, uint8_t *at, size_t size, size_t *n)
{
    ERR_clear_error();
    int ok = SSL_read_ex(tls->ssl, at, size, n);
    if (ok == 1)
        return RG_OK;
    *n = 0;
    int error = SSL_get_error(tls->ssl, ok);
    if (error == SSL_ERROR_WANT_READ)
        return RG_OK;
    if (error == SSL_ERROR_ZERO_RETURN)
        return rg_fail(RG_ECLOSED, "the other end closed the connection");
    return tls_fail(RG_EDENIED, "receiving");
}

rg_status rg_tls_write(rg_tls *tls, const void *bytes, size_t n)
{
    size_t done = 0;
    ERR_clear_error();
    if (n > 0 && (SSL_write_ex(tls->ssl, bytes, n, &done) != 1 || done != n))
        return tls_fail(RG_EIO, "sending");
    return RG_OK;
}

rg_status rg_tls_output(rg_tls *tls, uint8_t **bytes, size_t *n)
{
    size_t pending = BIO_ctrl_pending(tls->out), done = 0;
    *bytes = NULL;
    *n = 0;
    if (pending == 0)
        return RG_OK;
    uint8_t *copy = rg_alloc(pending);
    if (copy == NULL)
        return rg_no_memory(pending, "encrypted bytes");
    if (BIO_read_ex(tls->out, copy, pending, &done) != 1) {
        rg_free(copy);
        return tls_fail(RG_EIO, "sending");
    }
    *bytes = copy;
    *n = done;
    return RG_OK;
}
