"""What models import (model, reader, metrics, utils.envs) and what runs them."""
