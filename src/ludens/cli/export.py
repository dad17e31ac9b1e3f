"""`ludens export`: a net for other programs."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ludens.errors import UserError


def run(
    net: Annotated[
        str,
        typer.Argument(help="A file, a run (RUN or RUN@40) or a game.", metavar="NET"),
    ],
    onnx: Annotated[bool, typer.Option("--onnx", help="As an ONNX file.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="The file to write.", metavar="FILE")
    ] = None,
) -> None:
    """Write a net in a format that other programs read."""
    from ludens.commands import install_command
    from ludens.files import write_bytes
    from ludens.nets.shapes import describe
    from ludens.nets.weights import load_net
    from ludens.store.finding import find_net

    if not onnx:
        raise UserError("say in which format: --onnx")
    if find_spec("onnx") is None:
        raise UserError(f"this needs ONNX; install it: {install_command('export')}")
    from ludens.nets.onnx_ops import to_onnx

    path = find_net(net)
    loaded = load_net(path)
    target = out or Path(path.with_suffix(".onnx").name)
    write_bytes(target, to_onnx(loaded))
    size = describe(loaded.card.config, loaded.card.sizes)
    print(f"Wrote {target}: a net for {loaded.card.game}, {size}.")
