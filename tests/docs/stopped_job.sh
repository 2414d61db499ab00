# A job with a journal that was ended in its midst: what `--resume logs` goes on with.
rm -rf logs trained-*
STAY=1 python -m paddle.distributed.launch_ps --worker_num 2 --server_num 2 --journal everysec train.py &
until [ -e trained-0 ] && [ -e trained-1 ]; do sleep 0.1; done
kill -TERM $!
wait $! || true
