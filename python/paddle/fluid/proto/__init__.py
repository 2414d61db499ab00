"""The messages of saved programs, for scripts that read and write them by themselves."""
