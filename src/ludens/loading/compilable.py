"""Functions that are ordinary Python, and compiled where compiled code calls them."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba.core import cgutils, types
from numba.core.typing.templates import builtin_registry
from numba.extending import intrinsic, overload
from numba.np import arrayobj

from ludens.loading.jit import inner

Function = TypeVar("Function", bound=Callable[..., Any])
Arrays = TypeVar("Arrays")


def compilable(function: Function) -> Function:
    """Let kernels call a function that does not depend on the game."""
    compiled = inner(function)
    builtin_registry.register_global(function, types.Dispatcher(compiled))
    function.__dict__["compiled"] = compiled  # the type holds only a weak reference
    return function


def borrow(array: Arrays) -> Arrays:
    """Return an array whose references are not counted.

    Numba counts them each time an array leaves a tuple, which would cost a search more
    than half its speed. The array must be one that the kernel's caller holds.
    """
    return array


def _uncounted_type(context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        nothing: Any = cgutils.get_null_value
        made.meminfo = nothing(made.meminfo.type)
        made.parent = nothing(made.parent.type)
        return made._getvalue()

    return array(array), generate


_uncounted: Any = intrinsic(_uncounted_type)


def records(words: Any, dtype: Any) -> Any:
    """Return 64-bit words [N, W] as records [N], in the same memory and uncounted.

    Compiled code that only handles words is the same for all games.
    """
    return words.view(dtype)[:, 0]


def _records_type(context: Any, words: Any, dtype: Any) -> Any:
    kind = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(kind)(context, builder)
        given = context.make_array(words)(context, builder, arguments[0])
        (count, _), (stride, _) = (
            cgutils.unpack_tuple(builder, pair) for pair in (given.shape, given.strides)
        )
        arrayobj.populate_array(
            made,
            data=builder.bitcast(given.data, made.data.type),
            shape=[count],
            strides=[stride],
            itemsize=stride,
            meminfo=None,
        )
        return made._getvalue()

    return kind(words, dtype), generate


_records: Any = intrinsic(_records_type)


@overload(records)
def _records_compiled(words: Any, dtype: Any) -> Any:
    def records(words: Any, dtype: Any) -> Any:
        return _records(words, dtype)

    return records


@overload(borrow)
def _borrow(array: Any) -> Any:
    def borrow(array: Any) -> Any:
        return _uncounted(array)

    return borrow
