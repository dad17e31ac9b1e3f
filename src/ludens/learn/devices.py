"""With which numbers a net learns, and with how many threads."""

import torch

from ludens.cores import num_cores

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def pick_dtype(precision: str, device: str) -> torch.dtype:
    """Return the numbers for the bulk of the work; auto is the fastest that is safe."""
    if precision != "auto":
        return DTYPES[precision]
    if device == "cuda":
        has_bf16 = torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if has_bf16 else torch.float16
    if device == "cpu" and _has_fast_bf16():
        return torch.bfloat16
    return torch.float32


def _has_fast_bf16() -> bool:
    """Tell whether the CPU multiplies in bfloat16 rather than emulating it."""
    return bool(
        torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    )


def set_threads(threads: int) -> None:
    """Let PyTorch use so many threads; 0: one for each core."""
    torch.set_num_threads(threads or num_cores())
