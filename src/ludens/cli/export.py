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
    from ludens.nets.onnx_ops import to_onnx, to_onnx_step

    path = find_net(net)
    loaded = load_net(path)
    target = out or Path(path.with_suffix(".onnx").name)
    files = {target: to_onnx(loaded)}
    if loaded.card.config.is_learned:
        files[target.with_suffix(f".step{target.suffix}")] = to_onnx_step(loaded)
    for file, content in files.items():
        write_bytes(file, content)
    size = describe(loaded.card.config, loaded.card.sizes)
    names = " and ".join(map(str, files))
    print(f"Wrote {names}: a net for {loaded.card.game}, {size}.")
