/* socket_priv.h - connected and listening sockets of libuv: what TCP and Unix sockets share. */
#ifndef RG_SYS_SOCKET_PRIV_H
#define RG_SYS_SOCKET_PRIV_H

#include "sys/loop_priv.h"

/* The conn of a stream. Unix sockets too are libuv's uv_tcp_t: for reading and writing there is no
 * difference. */
typedef struct rg_socket {
    rg_handle base;
    uv_tcp_t uv;
    rg_stream *stream; /* NULL: it is not connected yet, or no longer anybody's */
    rg_dial *dial;     /* NULL: nobody waits for it to be connected */
    uv_connect_t connect;
    struct pending *writes;
    int detached; /* its descriptor, between two loops; -1 */
} rg_socket;

rg_socket *rg_socket_new(rg_loop *loop); /* NULL: no memory */
void rg_socket_close(rg_socket *socket); /* one that is no stream's */
/* Give it its connected descriptor, which is taken in any case. A libuv error, or 0. */
int rg_socket_open(rg_socket *socket, int descriptor);
int rg_socket_descriptor(const rg_socket *socket);
/* It is a stream's from now on. */
void rg_socket_join(rg_socket *socket, rg_stream *stream);

/* Of the table. `adopt` gives the stream a new socket in the other loop. */
rg_status rg_socket_read(rg_stream *stream);
void rg_socket_pause(rg_stream *stream);
void rg_socket_write(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                     void *arg);
size_t rg_socket_queued(const rg_stream *stream, bool with_taken);
void rg_socket_shut(rg_stream *stream, bool writing_alone);
void rg_socket_end(rg_stream *stream); /* close */
rg_status rg_socket_detach(rg_stream *stream);
rg_status rg_socket_adopt(rg_stream *stream, rg_loop *loop);
void rg_socket_hang_up(void *attempt);

/* ---- listening ---- */

typedef struct rg_gate rg_gate;

/* What becomes of a socket that was accepted: taken, and closed where that fails. */
typedef void (*rg_gate_take)(rg_listener *listener, rg_socket *socket);

rg_status rg_gate_new(rg_gate **gate, rg_listener *listener, bool tcp, rg_gate_take take);
uv_tcp_t *rg_gate_tcp(rg_gate *gate);
uv_pipe_t *rg_gate_pipe(rg_gate *gate);
rg_status rg_gate_accept(void *gate);
void rg_gate_close(void *gate);

/* ---- transport_unix.c: the socket that stands beside a TCP port of this host ---- */

/* An abstract one, `kind` being the first part of its name. -1 and errno: the address is not of
 * this host, nobody is there, or another user, who may hold the name. */
int rg_beside_connect(const char *kind, const struct sockaddr *ip);
rg_status rg_beside_listen(void **gate, rg_listener *listener, const char *kind,
                           const struct sockaddr *ip, rg_gate_take take);

#endif
