"""The page in the browser: a server for every game, and its static client."""
