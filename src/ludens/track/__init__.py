"""Sinks that record a training elsewhere: TensorBoard and MLflow."""
