HOSTS = [
    "root@192.168.100.17",
    "root@192.168.100.18",
]
'''
Workspace configuration
'''

# The folder, on every node, below which each job gets a folder of its own.
ROOT_DIR = "/home/paddle"
'''
Network configuration
'''
# The network interface of the parameter servers.
PADDLE_NIC = "eth0"
# Their first port.
PADDLE_PORT = 7164
# The number of their ports.
PADDLE_PORTS_NUM = 2
# The number of their ports for sparse parameters.
PADDLE_PORTS_NUM_FOR_SPARSE = 2

# The environment of all processes of a job.
LD_LIBRARY_PATH = "/usr/local/cuda/lib64:/usr/lib64"
