/* request.c - a request that came in: what it says, and where the parts of its body lie. */
#include "rpc/server_priv.h"

#include "base/mem.h"
#include "rpc/body.h"
#include "sys/lent.h"

#include <string.h>

rg_rpc_peer *rg_rpc_request_peer(const rg_rpc_request *request)
{
    return request->peer;
}

uint16_t rg_rpc_request_method(const rg_rpc_request *request)
{
    return request->frame.method;
}

uint16_t rg_rpc_request_flags(const rg_rpc_request *request)
{
    return request->frame.flags;
}

uint64_t rg_rpc_request_id(const rg_rpc_request *request)
{
    return request->frame.id;
}

bool rg_rpc_request_repeated(const rg_rpc_request *request)
{
    return request->repeated;
}

void rg_rpc_request_remember(rg_rpc_request *request)
{
    request->remembers = true;
}

void rg_rpc_request_logged(rg_rpc_request *request)
{
    request->logged = true;
}

void rg_rpc_request_noted(rg_rpc_request *request)
{
    request->noted = true;
}

bool rg_rpc_request_recalled(const rg_rpc_request *request)
{
    return request->frame.id <= request->peer->recalled;
}

void rg_rpc_request_alone(rg_rpc_request *request)
{
    request->alone = true;
    request->peer->n_alone++;
    rg_peer_throttle(request->peer);
}

const uint8_t *rg_rpc_request_body(const rg_rpc_request *request, size_t *bytes)
{
    *bytes = request->frame.bytes;
    return request->body;
}

void *rg_rpc_request_mine(const rg_rpc_request *request)
{
    return request->mine;
}

uint64_t rg_rpc_request_room(const rg_rpc_request *request)
{
    return request->peer->server->config.max_peer_memory;
}

/* ---- what the other end lends ---- */

static void fill_piece(rg_rpc_request *request, rg_lent_piece *piece)
{
    if (piece->at != NULL)
        memcpy(request->body + piece->offset, piece->at, piece->n);
    piece->at = NULL;
}

void rg_request_fill(rg_rpc_request *request)
{
    for (size_t i = 0; i < request->n_lent; i++)
        fill_piece(request, &request->lent[i]);
    request->n_lent = 0;
}

const uint8_t *rg_rpc_request_part(rg_rpc_request *request, uint64_t offset, size_t n)
{
    for (size_t i = 0; i < request->n_lent; i++) {
        rg_lent_piece *piece = &request->lent[i];
        if (piece->at == NULL || piece->offset >= offset + n || piece->offset + piece->n <= offset)
            continue;
        if (piece->offset <= offset && offset + n <= piece->offset + piece->n)
            return piece->at + (offset - piece->offset);
        fill_piece(request, piece);
    }
    return request->body + offset;
}

size_t rg_rpc_request_pieces(const rg_rpc_request *request, rg_iov *pieces, size_t most)
{
    uint64_t at = 0, end = request->frame.bytes;
    size_t n = 0;
    for (size_t i = 0; i <= request->n_lent; i++) {
        const rg_lent_piece *lent = i < request->n_lent ? &request->lent[i] : NULL;
        if (lent != NULL && lent->at == NULL)
            continue; /* it has been copied */
        uint64_t until = lent != NULL ? lent->offset : end;
        if (n + 2 > most || until < at)
            return 0;
        if (until > at)
            pieces[n++] = (rg_iov){request->body + at, until - at};
        if (lent != NULL)
            pieces[n++] = (rg_iov){lent->at, lent->n};
        at = lent != NULL ? lent->offset + lent->n : end;
    }
    return n;
}

const uint8_t *rg_rpc_request_copied(rg_rpc_request *request, uint64_t offset, size_t n)
{
    for (size_t i = 0; i < request->n_lent; i++)
        if (request->lent[i].offset < offset + n &&
            request->lent[i].offset + request->lent[i].n > offset)
            fill_piece(request, &request->lent[i]);
    return request->body + offset;
}

void rg_request_free(rg_rpc_request *request)
{
    request->peer->memory -= request->memory;
    rg_budget_give(&request->peer->server->memory, request->memory);
    rg_body_free(request->body);
    rg_free(request->lent);
    rg_lent_view_drop(request->view);
    if (request->iov != request->few)
        rg_free(request->iov);
    rg_rpc_peer_drop(request->peer);
    rg_free(request);
}
