"""What learning needs beyond a plain installation."""

from ludens.commands import install_command
from ludens.errors import UserError


def need_torch() -> None:
    """Refuse to go on without PyTorch."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise UserError(
            f"training needs PyTorch; install it: {install_command('train')}"
        ) from None
