"""A few steps of CTR-DNN on the GPU, op by op, for a profiler of kernels:

    ncu --clock-control none --metrics gpu__time_duration.sum --csv python kernels.py 512 tf32"""
import sys

import ctr_dnn
import paddle.fluid as fluid

fluid.set_flags({"FLAGS_gpu_graph": False, "FLAGS_enable_tf32": sys.argv[2] == "tf32"})
main, startup, loss, _ = ctr_dnn.build()
place = fluid.CUDAPlace(0)
exe = fluid.Executor(place)
exe.run(startup)
feeds = [ctr_dnn.on_place(f, place) for f in ctr_dnn.batches(2, int(sys.argv[1]))]
for i in range(int(sys.argv[3]) if len(sys.argv) > 3 else 3):
    exe.run(main, feeds[i % 2], [])
exe.run(main, feeds[0], [loss])
