"""`ludens cluster`: machines that play for a training elsewhere."""

from typing import Annotated

import typer

from ludens.errors import UserError, command

app = typer.Typer(help="Join machines to a Ray cluster.", rich_markup_mode=None)
Cpus = Annotated[
    int | None, typer.Option(help="Cores to play on, else all.", metavar="N", min=0)
]
Address = Annotated[str, typer.Argument(help="Of the head.", metavar="HOST:PORT")]


@app.command()
def start(
    host: Annotated[
        str, typer.Option(help="The address others reach us by.", metavar="IP")
    ] = "",
    port: Annotated[
        int, typer.Option(help="The port of the head.", metavar="N", min=1, max=65535)
    ] = 6380,
    cpus: Cpus = None,
) -> None:
    """Start the head of a cluster here; print what to type on other machines."""
    from ludens.cli.screen import print_facts
    from ludens.cluster.nodes import start_head
    from ludens.cluster.token import token_file

    node = start_head(host, port, cpus)
    facts = {
        "cluster": node.address,
        "token": f"{token_file()} (copy it to the same place on each machine)",
        "join": command("cluster", "join", node.address),
        "train": command("train", "GAME", "--cluster", node.address),
    }
    print_facts(facts.items())


@app.command()
def join(address: Address, cpus: Cpus = None) -> None:
    """Let this machine play for the cluster of a head."""
    from ludens.cluster.nodes import join

    print(f"this machine has joined {join(address, cpus).address}")


@app.command()
def status(
    address: Annotated[
        str, typer.Argument(help="Of the head, else ours.", metavar="[HOST:PORT]")
    ] = "",
) -> None:
    """List nodes, workers with their versions, and the jobs they play."""
    from ludens.cli.screen import print_table
    from ludens.cluster.nodes import find_node
    from ludens.cluster.status import ask_status

    node = find_node()
    if not address and node is None:
        raise UserError("no node of a cluster was started here; write HOST:PORT")
    found = ask_status(address or node.address)  # type: ignore[union-attr]
    rows = [["node", "address", "cores", "free"]]
    rows += [[str(value) for value in one] for one in found.nodes]
    print_table(rows)
    if not found.workers:
        print("no workers: a training makes them when it plays")
        return
    rows = [["worker", "ludens", "jobs", "positions", "memory"]]
    rows += [[str(value) for value in one] for one in found.workers]
    print_table(rows)


@app.command()
def stop() -> None:
    """Stop the node that was started here."""
    from ludens.cluster.nodes import stop

    print(f"this machine has left {stop().address}")
