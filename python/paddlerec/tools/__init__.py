"""What scripts beside models use."""
