"""What all tests share."""
import signal

# Whoever runs the tests in the background has Ctrl+C ignored, and children inherit that: those
# that are told to stop by it must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)
