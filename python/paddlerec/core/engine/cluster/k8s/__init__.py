"""Nothing to import, as in paddle-rec."""
