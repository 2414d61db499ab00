"""Nothing, as in paddle-rec."""
