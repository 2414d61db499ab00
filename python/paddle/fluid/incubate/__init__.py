"""fluid.incubate: fleets and data generators."""
