"""Fleet: distributed training by roles."""
