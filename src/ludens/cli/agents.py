"""`ludens agents`: who can play, and how strong."""


def run() -> None:
    """List the agents and their settings."""
    from ludens.agents import AGENTS

    width = max(map(len, AGENTS)) + 2
    for name, kind in AGENTS.items():
        print(f"{name:<{width}}{kind.help}")
    print("\nan agent is text: mcts:sims=5000,root=gumbel or net:weights=FILE,sims=800")
    sharers: dict[str, list[str]] = {}
    for name, kind in AGENTS.items():
        for setting in kind.options:
            sharers.setdefault(setting, []).append(name)
    for names in dict.fromkeys(map(tuple, sharers.values())):
        print(f"\nsettings of {', '.join(names)}")
        shared = [one for one, whose in sharers.items() if tuple(whose) == names]
        defaults = {one: _defaults(one, names) for one in shared}
        width = max(8, *map(len, defaults.values())) + 2
        for setting, default in defaults.items():
            option = AGENTS[names[0]].options[setting]
            words = f"{option.help} ({option.allowed})"
            print(f"  {setting:<18}{default:<{width}}{words}")


def _defaults(setting: str, names: tuple[str, ...]) -> str:
    """Return the default of a setting; those of all agents where they differ."""
    from ludens.agents import AGENTS

    values = [str(AGENTS[name].options[setting].default).lower() for name in names]
    return "/".join(values if len(set(values)) > 1 else values[:1])
