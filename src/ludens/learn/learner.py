"""The learner: it brings a net closer to what the samples of a window say."""

import math
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.infer.evaluator import choose_device
from ludens.learn.batches import Feeder, TensorBatch
from ludens.learn.config import LearnConfig
from ludens.learn.depths import errors_by_depth, mean_errors
from ludens.learn.figures import errors_of_values, step_figures
from ludens.learn.imagine import Said, ask
from ludens.learn.losses import MAX_OVERFLOWS, MAX_SKIPPED, StepLosses, losses_of
from ludens.learn.optimizer import MEMORIES, make_optimizer, set_steps
from ludens.learn.window import Window
from ludens.nets.torch_ops import TorchNet
from ludens.nets.weights import Net

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
FIRST_SCALE = 2.0**14  # of f16 gradients; nine halvings, all skipped, leave 32


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


def learning_rate(config: LearnConfig, step: int, progress: float | None) -> float:
    """Return the rate of a step (from 0): a linear rise, then what the schedule says.

    Without a budget nobody knows the progress, and the rate stays at its highest.
    """
    warm_up = min(1.0, (step + 1) / max(1, config.warmup_steps))
    if progress is None or config.schedule == "constant":
        return config.lr * warm_up
    done, final = min(1.0, max(0.0, progress)), config.lr_final_share
    if config.schedule == "steps":
        fallen = min(config.lr_steps, int(done * (config.lr_steps + 1)))
        return float(config.lr * warm_up * final ** (fallen / config.lr_steps))
    share_ahead = (1 + math.cos(math.pi * done)) / 2
    return config.lr * warm_up * (final + (1 - final) * share_ahead)


class Learner:
    """A net that learns, the average of its weights that plays, its optimiser."""

    def __init__(
        self, net: Net, config: LearnConfig, device: str = "auto", threads: int = 0
    ) -> None:
        set_threads(threads)
        self.config = config
        self.card = net.card
        self.device = torch.device(choose_device(device))
        self.dtype = pick_dtype(config.precision, self.device.type)
        self.num_steps = 0
        """Steps taken, skipped ones not counted."""
        self.taken = StepLosses()
        """What the newest call to learn has done so far."""
        self._net = TorchNet(net.card.config, net.card.sizes)
        self._net.load(net.tensors)
        self._net.to(self.device)
        self._average = deepcopy(self._net).requires_grad_(False)
        if config.compile:
            self._net.compile_parts()
        self._weights = tuple(self._net.parameters())
        self._optimizer = make_optimizer(config, self._weights)
        self._scaler = torch.amp.GradScaler(
            self.device.type, FIRST_SCALE, enabled=self.dtype == torch.float16
        )

    def learn(
        self,
        window: Window,
        steps: int,
        rng: np.random.Generator,
        progress: float | None = None,
        importance: float = 1.0,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> dict[str, float]:
        """Take steps on samples of a window; return their mean losses and the speed.

        `progress` is the share of the budget spent, None if there is none; `importance`
        is by how much weights undo the bias of prioritised drawing.
        """
        started_s = time.perf_counter()
        taken = self.taken = StepLosses()
        with self._feeder(window, steps, rng, importance) as feeder:
            for _ in range(steps):
                batch = feeder.next()
                errors = self._step(batch, progress, taken)
                if errors is not None and window.config.prioritised:
                    feeder.tell(errors.cpu().numpy())
                if should_stop():
                    break
        seconds = time.perf_counter() - started_s
        return (
            taken.means()
            | feeder.figures()
            | {
                "lr": learning_rate(self.config, self.num_steps, progress),
                "steps": taken.num_steps,
                "skipped": taken.skipped,
                "weight_norm": self._weight_norm(),
                "seconds": seconds,
                "samples_per_s": taken.num_steps * self.config.batch_size / seconds,
            }
        )

    def _weight_norm(self) -> float:
        """Return the Euclidean norm of all weights that learn."""
        norms = torch.stack([weight.detach().norm() for weight in self._weights])
        return float(norms.norm())

    def measure(
        self, window: Window, batches: int, rng: np.random.Generator
    ) -> dict[str, float]:
        """Return the mean losses of the net that would play, without learning.

        Of a learned model also how far it is from the truth after each step.
        """
        taken, net, errors = StepLosses(), self._average, []
        with self._feeder(window, batches, rng, 1.0) as feeder, torch.no_grad():
            for _ in range(batches):
                batch = feeder.next()
                said, losses = self._losses(net, batch)
                taken.note(losses)
                errors.append(errors_by_depth(net, said, batch))
        return taken.means() | mean_errors(errors)

    def _feeder(
        self, window: Window, count: int, rng: np.random.Generator, importance: float
    ) -> Feeder:
        size, config = self.config.batch_size, self._net.config
        return Feeder(window, count, size, rng, importance, config, self.device)

    def _step(
        self, batch: TensorBatch, progress: float | None, taken: StepLosses
    ) -> Tensor | None:
        """Learn from a batch; return the errors of values [B], None if skipped."""
        said, losses = self._losses(self._net, batch)
        self._optimizer.zero_grad()
        torch.autograd.backward(self._scaler.scale(losses["loss"]))
        self._scaler.unscale_(self._optimizer)
        norm = clip_grad_norm_(self._weights, self.config.clip_norm or math.inf)
        if not bool(torch.isfinite(norm + losses["loss"].detach())):
            self._scaler.update()
            overflows = self._scaler.is_enabled() and losses["loss"].isfinite()
            taken.skip(MAX_OVERFLOWS if overflows else MAX_SKIPPED)
            return None
        rate = learning_rate(self.config, self.num_steps, progress)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._scaler.step(self._optimizer)
        self._scaler.update()
        self._follow()
        self.num_steps += 1
        errors = errors_of_values(self._net, said, batch)
        taken.note(losses | {"grad_norm": norm} | step_figures(said, batch, errors))
        return errors

    def _losses(
        self, net: TorchNet, batch: TensorBatch
    ) -> tuple[Said, dict[str, Tensor]]:
        """Return what a net says of a batch, and its losses."""
        is_mixed = self.dtype != torch.float32
        with torch.autocast(self.device.type, self.dtype, enabled=is_mixed):
            said = ask(net, batch, self.config.dynamics_gradient)
        return said, losses_of(self.config, net.config, said, batch)

    def _follow(self) -> None:
        """Move the average a little towards the weights; at first, faster."""
        decay = min(self.config.ema_decay, (1 + self.num_steps) / (10 + self.num_steps))
        with torch.no_grad():
            averages = tuple(self._average.parameters())
            torch._foreach_lerp_(averages, self._weights, 1 - decay)

    def ema_net(self, iteration: int) -> Net:
        """Return the net that plays: the average of the weights."""
        return Net(replace(self.card, iteration=iteration), self._average.tensors())

    # Its state, as arrays to be kept in a file.

    def tensors(self) -> dict[str, NDArray[np.generic]]:
        """Return a copy of all that it takes to go on as if nothing had happened."""
        scale = self._scaler.state_dict()
        factor = [scale.get("scale", 0.0), scale.get("_growth_tracker", 0)]
        arrays: dict[str, NDArray[np.generic]] = {
            name: np.array(tensor.detach().cpu().numpy(), order="C")
            for name, tensor in self._state().items()
        }
        return arrays | {
            "num_steps": np.array([self.num_steps], np.int64),
            "scaler": np.array(factor, np.float64),
        }

    def restore(self, tensors: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from the state of a learner of the same net."""
        mine = self.tensors()
        if {k: v.shape for k, v in mine.items()} != {
            k: v.shape for k, v in tensors.items()
        }:
            raise UserError("the learner's state is of another net; start a new run")
        with torch.no_grad():
            for name, tensor in self._state().items():
                tensor.copy_(torch.from_numpy(tensors[name]))
        self.num_steps = int(tensors["num_steps"][0])
        set_steps(self._optimizer, self.num_steps)
        scale, growth = tensors["scaler"].tolist()
        if self._scaler.is_enabled() and scale > 0:
            state = self._scaler.state_dict()
            state |= {"scale": scale, "_growth_tracker": int(growth)}
            self._scaler.load_state_dict(state)

    def _state(self) -> dict[str, Tensor]:
        """Return the tensors themselves, each with its name."""
        state: dict[str, Tensor] = {}
        averages = dict(self._average.named_parameters())
        for name, weight in self._net.named_parameters():
            memory = self._optimizer.state[weight]
            state[f"weights/{name}"] = weight
            state[f"ema/{name}"] = averages[name]
            for what in MEMORIES[self.config.optimizer]:
                state[f"{what}/{name}"] = memory[what]
        return state
