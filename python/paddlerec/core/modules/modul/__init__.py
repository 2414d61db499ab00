"""Nets built from YAML, for servers of PSLIB: refused by name."""
