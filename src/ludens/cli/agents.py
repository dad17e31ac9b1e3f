"""`ludens agents`: who can play, and how strong."""


def run() -> None:
    """List the agents and the settings of a search."""
    from ludens.agents import AGENTS, PLAY_OPTIONS, SEARCH_DEFAULTS
    from ludens.search.config import search_options

    for name, kind in AGENTS.items():
        print(f"{name:<8}{kind.help}")
    print("\nsettings of mcts, as in mcts:sims=5000,root=gumbel")
    for option in (*search_options().values(), *PLAY_OPTIONS.values()):
        default = str(SEARCH_DEFAULTS.get(option.name, option.default)).lower()
        print(f"  {option.name:<18}{default:<9}{option.help} ({option.allowed})")
