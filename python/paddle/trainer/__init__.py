"""What stands behind `paddle train`: v1 configs, their data providers, and the loop."""
