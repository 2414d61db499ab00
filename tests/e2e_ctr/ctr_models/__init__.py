"""Models of the CTR family as Fluid functions: a logit or probabilities of ids and counts."""
