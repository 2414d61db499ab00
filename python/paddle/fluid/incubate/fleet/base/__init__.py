"""What every kind of fleet shares: roles, and the fleet itself."""
