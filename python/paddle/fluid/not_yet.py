"""The public names of paddle.fluid 1.8.5, so that one which is missing here is told from a
misspelt one. Read when a name was not found, not before."""

__all__ = ["missing"]

NAMES = {
    "paddle.fluid": """
    BuildStrategy CPUPlace CUDAPinnedPlace CUDAPlace CompiledProgram ComplexVariable DataFeedDesc
    DataFeeder DatasetFactory DistMultiTrainer DistributeTranspiler DistributeTranspilerConfig
    ExecutionStrategy Executor HashName InMemoryDataset LoDTensor LoDTensorArray MultiTrainer
    ParallelExecutor ParamAttr PipelineTrainer Program QueueDataset RoundRobin Scope Tensor
    TrainerDesc VarBase Variable WeightNormParamAttr append_backward backward clip contrib
    cpu_places create_lod_tensor create_random_int_lodtensor cuda_pinned_places cuda_places data
    data_generator dataset default_main_program default_startup_program device_guard
    disable_dygraph disable_imperative dygraph embedding enable_dygraph enable_imperative
    get_flags global_scope gradients in_dygraph_mode incubate initializer install_check io
    is_compiled_with_cuda layers learning_rate_decay load load_dygraph load_op_library
    memory_optimize name_scope nets one_hot optimizer profiler program_guard reader regularizer
    release_memory require_version save save_dygraph scope_guard set_flags trainer_desc transpiler
    unique_name
    """,
    "paddle.fluid.layers": """
    BasicDecoder BeamSearchDecoder Categorical DecodeHelper Decoder DynamicRNN GRUCell
    GreedyEmbeddingHelper IfElse LSTMCell MultivariateNormalDiag Normal Print RNNCell
    SampleEmbeddingHelper StaticRNN Switch TrainingHelper Uniform While abs accuracy acos
    adaptive_pool2d adaptive_pool3d add_position_encoding addcmul addmm affine_channel affine_grid
    allclose anchor_generator arange argmax argmin argsort array_length array_read array_write
    asin assign atan auc autoincreased_step_counter batch_norm beam_search beam_search_decode
    bilinear_tensor_product bipartite_match bmm box_clip box_coder box_decoder_and_assign bpr_loss
    brelu case cast ceil center_loss chunk_eval clamp clip clip_by_norm collect_fpn_proposals
    concat cond continuous_value_model conv2d conv2d_transpose conv3d conv3d_transpose cos cos_sim
    cosine_decay create_array create_global_var create_parameter create_py_reader_by_data
    create_tensor crf_decoding crop crop_tensor cross cross_entropy ctc_greedy_decoder cumsum data
    data_norm deformable_conv deformable_roi_pooling density_prior_box detection_output diag
    diag_embed dice_loss dist distribute_fpn_proposals dot double_buffer dropout dynamic_decode
    dynamic_gru dynamic_lstm dynamic_lstmp edit_distance elementwise_add elementwise_div
    elementwise_equal elementwise_floordiv elementwise_max elementwise_min elementwise_mod
    elementwise_mul elementwise_pow elementwise_sub elu embedding equal erf exp expand expand_as
    exponential_decay eye fc fill_constant fill_constant_batch_size_like filter_by_instag flatten
    flip floor fsp_matrix full full_like gather gather_nd gather_tree gaussian_random
    gaussian_random_batch_size_like gelu generate_mask_labels generate_proposal_labels
    generate_proposals get_tensor_from_selected_rows greater_equal greater_than grid_sampler
    group_norm gru_unit hard_shrink hard_sigmoid hard_swish has_inf has_nan hash hsigmoid
    huber_loss im2sequence image_resize image_resize_short increment index_sample index_select
    inplace_abn instance_norm interpolate inverse_time_decay iou_similarity is_empty isfinite
    kldiv_loss kron l2_normalize label_smooth layer_norm leaky_relu less_equal less_than
    linear_chain_crf linear_lr_warmup linspace load locality_aware_nms lod_append lod_reset log
    log1p log_loss log_softmax logical_and logical_not logical_or logical_xor logsigmoid logsumexp
    lrn lstm lstm_unit margin_rank_loss matmul matrix_nms maxout mean mean_iou merge_selected_rows
    meshgrid mish mse_loss mul multi_box_head multiclass_nms multiplex natural_exp_decay nce
    noam_decay nonzero not_equal npair_loss one_hot ones ones_like pad pad2d pad_constant_like
    piecewise_decay pixel_shuffle polygon_box_transform polynomial_decay pool2d pool3d pow prelu
    prior_box prroi_pool psroi_pool py_func py_reader randint randn random_crop randperm range
    rank rank_loss read_file reciprocal reduce_all reduce_any reduce_max reduce_mean reduce_min
    reduce_prod reduce_sum relu relu6 reorder_lod_tensor_by_rank reshape resize_bilinear
    resize_nearest resize_trilinear retinanet_detection_output retinanet_target_assign reverse rnn
    roi_align roi_perspective_transform roi_pool roll round row_conv rpn_target_assign rsqrt
    sampled_softmax_with_cross_entropy sampling_id scale scatter scatter_nd scatter_nd_add selu
    sequence_concat sequence_conv sequence_enumerate sequence_expand sequence_expand_as
    sequence_first_step sequence_last_step sequence_mask sequence_pad sequence_pool
    sequence_reshape sequence_reverse sequence_scatter sequence_slice sequence_softmax
    sequence_unpad shape shard_index shuffle_channel sigmoid sigmoid_cross_entropy_with_logits
    sigmoid_focal_loss sign similarity_focus sin size slice smooth_l1 soft_relu softmax
    softmax_with_cross_entropy softplus softshrink softsign space_to_depth spectral_norm split
    sqrt square square_error_cost squeeze ssd_loss stack stanh strided_slice sum sums swish
    switch_case t tanh tanh_shrink target_assign teacher_student_sigmoid_loss temporal_shift
    tensor_array_to_tensor thresholded_relu topk trace transpose tril triu unfold uniform_random
    uniform_random_batch_size_like unique unique_with_counts unsqueeze unstack warpctc where
    while_loop yolo_box yolov3_loss zeros zeros_like
    """,
}


def missing(module, name):
    """The AttributeError for a name that a module does not have."""
    if name in NAMES[module].split():
        return AttributeError("%s.%s is not implemented; `paddle ops` lists the ops that are"
                              % (module, name))
    return AttributeError("module %r has no attribute %r" % (module, name))
