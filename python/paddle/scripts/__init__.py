"""What starts jobs on clusters: over SSH, Open MPI, Slurm, Kubernetes."""
