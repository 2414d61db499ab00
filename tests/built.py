"""Where what was compiled is: build/, or the folder of another build that is being tested."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("REGATTA_BUILD", os.path.join(ROOT, "build"))
PADDLE = os.path.join(BUILD, "paddle")  # the command
