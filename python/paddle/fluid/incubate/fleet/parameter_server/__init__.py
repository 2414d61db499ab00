"""Fleets that train over parameter servers."""
