"""`ludens nets`: the networks that ship, and what is in a file of one."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludens.cli import options
from ludens.errors import UserError

if TYPE_CHECKING:
    from ludens.nets.weights import Net

_HEADER = ["game", "method", "iteration", "parameters", "multiply-adds", "KB"]


def run(
    net: options.Net = "",
    as_json: options.Json = False,
) -> None:
    """List the nets that ship, or describe one."""
    from ludens.cli.screen import print_json
    from ludens.store.finding import find_net

    if net:
        facts = _read(find_net(net))
        if as_json:
            print_json(facts)
        else:
            _tell(facts)
        return
    found, damaged = _shipped()
    if as_json:
        print_json(found)
    else:
        _list(found)
    for trouble in damaged:
        raise UserError(trouble)


def _shipped() -> tuple[list[dict[str, Any]], list[str]]:
    """Return the cards of the nets that ship, and what is wrong with others."""
    from ludens.nets.shipped import shipped_files

    found, damaged = [], []
    for path in shipped_files():
        try:
            found.append(_read(path))
        except UserError as error:
            damaged.append(str(error))
    return found, damaged


def _read(path: Path) -> dict[str, Any]:
    """Return what is known of a net; loading it compares the checksum."""
    from ludens.nets.weights import card_facts, load_net, num_parameters

    net = load_net(path)
    return {
        "file": str(path),
        "size_bytes": path.stat().st_size,
        "checksum": "ok",
        **card_facts(net.card),
        "method": net.card.config.method,
        "parameters": num_parameters(net),
        **_costs(net),
    }


def _costs(net: "Net") -> dict[str, int]:
    """Return what an evaluation for play costs, and a step of a learned model."""
    from ludens.nets.shapes import root_cost, step_cost

    config, sizes = net.card.config, net.card.sizes
    costs = {"multiply_adds": root_cost(config, sizes)}
    if config.is_learned:
        costs["step_multiply_adds"] = step_cost(config, sizes)
    return costs


def _list(found: list[dict[str, Any]]) -> None:
    from ludens.cli.screen import print_table

    rows = [
        [
            _game(facts),
            facts["method"],
            str(facts["iteration"]),
            f"{facts['parameters']:,}",
            f"{facts['multiply_adds']:,}",
            f"{facts['size_bytes'] / 1000:,.0f}",
        ]
        for facts in found
    ]
    if rows:
        print_table([_HEADER, *rows], num_words=2)
    else:
        print("No nets ship with this version; `ludens train GAME` makes one.")


def _game(facts: dict[str, Any]) -> str:
    """Return the game with its options, those that are usual left out."""
    from ludens.loading.game import format_spec, load_named

    with suppress(UserError):  # a net outlives the file of its rules
        return load_named(facts["game"], compiled=False, options=facts["options"]).spec
    return format_spec(facts["game"], facts["options"])


def _tell(facts: dict[str, Any]) -> None:
    """Print a card, a line a fact."""
    from ludens.cli.screen import print_facts

    config = ", ".join(f"{k}={v}" for k, v in facts["config"].items())
    cost = f"{facts['multiply_adds']:,} for a position"
    if "step_multiply_adds" in facts:
        cost += f", {facts['step_multiply_adds']:,} for a step of the model"
    rows = {
        "file": f"{facts['file']}, {facts['size_bytes']:,} bytes, checksum ok",
        "game": _game(facts),
        "behaviour": facts["behaviour"],
        "run": facts["run"] or "-",
        "iteration": facts["iteration"],
        "method": facts["method"],
        "parameters": f"{facts['parameters']:,}",
        "multiply-adds": cost,
        "architecture": config,
    }
    if facts["notes"]:
        rows["notes"] = facts["notes"]
    print_facts(rows.items(), width=15)
