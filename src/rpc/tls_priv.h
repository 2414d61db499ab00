/* tls_priv.h - TLS 1.3 between bytes and bytes: OpenSSL knows no socket here. */
#ifndef RG_RPC_TLS_PRIV_H
#define RG_RPC_TLS_PRIV_H

#include "rpc/rpc.h"

typedef struct rg_tls_setup rg_tls_setup; /* certificates, shared by connections */
typedef struct rg_tls rg_tls;             /* one connection */

/* *setup is NULL where neither `security` nor the flags ask for TLS. */
rg_status rg_tls_setup_open(rg_tls_setup **setup, const rg_rpc_security *security, bool server);
void rg_tls_setup_close(rg_tls_setup *setup); /* NULL is allowed */

/* `name` is what the server's certificate must be for; NULL in a server. */
rg_status rg_tls_open(rg_tls **tls, const rg_tls_setup *setup, const char *name);
void rg_tls_close(rg_tls *tls); /* NULL is allowed */

/* Encrypted bytes from the other end. */
rg_status rg_tls_feed(rg_tls *tls, const uint8_t *bytes, size_t n);
/* Go on with the handshake; *done when it is over. */
rg_status rg_tls_shake(rg_tls *tls, bool *done);
/* Plain bytes, as many as there are; *n = 0: none now. */
rg_status rg_tls_read(rg_tls *tls, uint8_t *at, size_t size, size_t *n);
rg_status rg_tls_write(rg_tls *tls, const void *bytes, size_t n);
/* Encrypted bytes for the other end, to be ended with rg_free(); NULL: none. */
rg_status rg_tls_output(rg_tls *tls, uint8_t **bytes, size_t *n);

#endif
