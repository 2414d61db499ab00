"""Models of the CTR family as Fluid functions: build(slots, dense) of embedded inputs."""
