"""Pictures of simple shapes, with captions and boxes that are known exactly."""
