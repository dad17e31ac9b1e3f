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
        for setting, option in AGENTS[names[0]].options.items():
            if tuple(sharers[setting]) == names:
                default = _defaults(setting, names)
                print(f"  {setting:<18}{default:<10}{option.help} ({option.allowed})")


def _defaults(setting: str, names: tuple[str, ...]) -> str:
    """Return the default of a setting; those of all agents where they differ."""
    from ludens.agents import AGENTS

    values = [str(AGENTS[name].options[setting].default).lower() for name in names]
    return "/".join(values if len(set(values)) > 1 else values[:1])
