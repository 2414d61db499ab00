"""`paddle k8s`: the objects of Kubernetes that make a job on parameter servers, as YAML.

options.py reads and checks the command's arguments, pods.py says what a server and a trainer are
(their environment above all), objects.py puts pods into the objects of each kind of job, and
kubectl.py hands them to a cluster."""
