/* libraries.h - OpenBLAS and oneDNN, loaded when the first product is made.
 *
 * Both are large and start threads and buffers of their own: a parameter server, which multiplies
 * nothing, is a third smaller and quicker to start without. Calls look as ever; each function that
 * is used here stands in one of the two lists. A process in which a library cannot be loaded ends
 * with a line that says so, as one that is linked with it would not have started. */
#ifndef RG_MATH_LIBRARIES_H
#define RG_MATH_LIBRARIES_H

#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

void openblas_set_num_threads(int threads); /* no header says so in C */

char *openblas_get_corename(void);

#define RG_BLAS_CALLS(CALL)                                             \
    CALL(cblas_sgemm) CALL(cblas_dgemm) CALL(openblas_set_num_threads) \
    CALL(openblas_get_corename)

#define RG_DNNL_CALLS(CALL)                                                                    \
    CALL(dnnl_dilated_convolution_backward_data_desc_init)                                     \
    CALL(dnnl_dilated_convolution_backward_weights_desc_init)                                  \
    CALL(dnnl_dilated_convolution_forward_desc_init) CALL(dnnl_engine_create)                  \
    CALL(dnnl_engine_destroy) CALL(dnnl_get_effective_cpu_isa) CALL(dnnl_matmul_desc_init)     \
    CALL(dnnl_memory_create)                                                                   \
    CALL(dnnl_memory_desc_equal) CALL(dnnl_memory_desc_get_size)                               \
    CALL(dnnl_memory_desc_init_by_strides) CALL(dnnl_memory_desc_init_by_tag)                  \
    CALL(dnnl_memory_destroy) CALL(dnnl_memory_set_data_handle)                                \
    CALL(dnnl_memory_set_data_handle_v2) CALL(dnnl_post_ops_append_eltwise)                    \
    CALL(dnnl_post_ops_create) CALL(dnnl_post_ops_destroy) CALL(dnnl_primitive_attr_create)    \
    CALL(dnnl_primitive_attr_destroy) CALL(dnnl_primitive_attr_set_post_ops)                   \
    CALL(dnnl_primitive_attr_set_scratchpad_mode) CALL(dnnl_primitive_create)                  \
    CALL(dnnl_primitive_desc_create) CALL(dnnl_primitive_desc_destroy)                         \
    CALL(dnnl_primitive_desc_query) CALL(dnnl_primitive_desc_query_md)                         \
    CALL(dnnl_primitive_destroy) CALL(dnnl_primitive_execute)                                  \
    CALL(dnnl_reorder_primitive_desc_create) CALL(dnnl_sgemm) CALL(dnnl_stream_create)         \
    CALL(dnnl_stream_destroy) CALL(dnnl_stream_wait)

#define RG_MEMBER(NAME) __typeof__(NAME) *NAME;
typedef struct rg_blas_calls {
    RG_BLAS_CALLS(RG_MEMBER)
} rg_blas_calls;
typedef struct rg_dnnl_calls {
    RG_DNNL_CALLS(RG_MEMBER)
} rg_dnnl_calls;
#undef RG_MEMBER

/* The kernels that OpenBLAS should be told to take on this CPU, where it has chosen those of a core
 * of that name; NULL: it may keep them. */
const char *rg_blas_better_core(const char *chosen);
/* Loaded now where they are not yet. Any thread. */
const rg_blas_calls *rg_blas(void);
const rg_dnnl_calls *rg_dnnl(void);

#define cblas_sgemm              rg_blas()->cblas_sgemm
#define cblas_dgemm              rg_blas()->cblas_dgemm
#define openblas_set_num_threads rg_blas()->openblas_set_num_threads

#define dnnl_dilated_convolution_backward_data_desc_init \
    rg_dnnl()->dnnl_dilated_convolution_backward_data_desc_init
#define dnnl_dilated_convolution_backward_weights_desc_init \
    rg_dnnl()->dnnl_dilated_convolution_backward_weights_desc_init
#define dnnl_dilated_convolution_forward_desc_init \
    rg_dnnl()->dnnl_dilated_convolution_forward_desc_init
#define dnnl_engine_create                      rg_dnnl()->dnnl_engine_create
#define dnnl_engine_destroy                     rg_dnnl()->dnnl_engine_destroy
#define dnnl_get_effective_cpu_isa              rg_dnnl()->dnnl_get_effective_cpu_isa
#define dnnl_matmul_desc_init                   rg_dnnl()->dnnl_matmul_desc_init
#define dnnl_memory_create                      rg_dnnl()->dnnl_memory_create
#define dnnl_memory_desc_equal                  rg_dnnl()->dnnl_memory_desc_equal
#define dnnl_memory_desc_get_size               rg_dnnl()->dnnl_memory_desc_get_size
#define dnnl_memory_desc_init_by_strides        rg_dnnl()->dnnl_memory_desc_init_by_strides
#define dnnl_memory_desc_init_by_tag            rg_dnnl()->dnnl_memory_desc_init_by_tag
#define dnnl_memory_destroy                     rg_dnnl()->dnnl_memory_destroy
#define dnnl_memory_set_data_handle             rg_dnnl()->dnnl_memory_set_data_handle
#define dnnl_memory_set_data_handle_v2          rg_dnnl()->dnnl_memory_set_data_handle_v2
#define dnnl_post_ops_append_eltwise            rg_dnnl()->dnnl_post_ops_append_eltwise
#define dnnl_post_ops_create                    rg_dnnl()->dnnl_post_ops_create
#define dnnl_post_ops_destroy                   rg_dnnl()->dnnl_post_ops_destroy
#define dnnl_primitive_attr_create              rg_dnnl()->dnnl_primitive_attr_create
#define dnnl_primitive_attr_destroy             rg_dnnl()->dnnl_primitive_attr_destroy
#define dnnl_primitive_attr_set_post_ops        rg_dnnl()->dnnl_primitive_attr_set_post_ops
#define dnnl_primitive_attr_set_scratchpad_mode rg_dnnl()->dnnl_primitive_attr_set_scratchpad_mode
#define dnnl_primitive_create                   rg_dnnl()->dnnl_primitive_create
#define dnnl_primitive_desc_create              rg_dnnl()->dnnl_primitive_desc_create
#define dnnl_primitive_desc_destroy             rg_dnnl()->dnnl_primitive_desc_destroy
#define dnnl_primitive_desc_query               rg_dnnl()->dnnl_primitive_desc_query
#define dnnl_primitive_desc_query_md            rg_dnnl()->dnnl_primitive_desc_query_md
#define dnnl_primitive_destroy                  rg_dnnl()->dnnl_primitive_destroy
#define dnnl_primitive_execute                  rg_dnnl()->dnnl_primitive_execute
#define dnnl_reorder_primitive_desc_create      rg_dnnl()->dnnl_reorder_primitive_desc_create
#define dnnl_sgemm                              rg_dnnl()->dnnl_sgemm
#define dnnl_stream_create                      rg_dnnl()->dnnl_stream_create
#define dnnl_stream_destroy                     rg_dnnl()->dnnl_stream_destroy
#define dnnl_stream_wait                        rg_dnnl()->dnnl_stream_wait

#endif
