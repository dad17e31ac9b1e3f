"""What learning needs beyond a plain installation."""

from ludens.errors import UserError


def need_torch() -> None:
    """Refuse to go on without PyTorch."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise UserError(
            'training needs PyTorch; install it with: pip install "ludens[train]"'
        ) from None
