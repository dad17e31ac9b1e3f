"""The training loop: settings, presets, evaluation and the run of iterations."""
