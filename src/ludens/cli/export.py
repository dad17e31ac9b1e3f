"""`ludens export`: a net for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from ludens.cli import options
from ludens.errors import UserError, require_extra


def run(
    net: options.Net,
    onnx: Annotated[bool, typer.Option("--onnx", help="As an ONNX file.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="The file to write.", metavar="FILE")
    ] = None,
) -> None:
    """Write a net in a format that other programs read."""
    from ludens.files import write_bytes
    from ludens.nets.shapes import describe
    from ludens.nets.weights import load_net
    from ludens.store.finding import find_net

    if not onnx:
        raise UserError("say in which format: --onnx")
    require_extra("export", "this")
    from ludens.nets.onnx_ops import to_onnx

    path = find_net(net)
    loaded = load_net(path)
    target = out or Path(path.with_suffix(".onnx").name)
    write_bytes(target, to_onnx(loaded))
    size = describe(loaded.card.config, loaded.card.sizes)
    print(f"Wrote {target}: a net for {loaded.card.game}, {size}.")
