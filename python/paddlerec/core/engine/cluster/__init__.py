"""Submissions: refused by name; paddlerec.backends makes them."""
