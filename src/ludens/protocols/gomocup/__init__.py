"""The Gomocup protocol: a brain that managers of gomoku matches can start."""
