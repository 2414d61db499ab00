"""Models to begin with: each folder has a model.py, a config.yaml and a little data."""
