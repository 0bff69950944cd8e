"""A small convolutional network read as a chain of two kinds of stages, so that one changed pixel can be followed.

A *mixing* stage is linear (a convolution, or a dense layer, which is a convolution as large as its input); a *bending*
stage is a maximum over windows and a rising function of one number, in either order. Dropout and flattening do nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import fx, nn
from torch.nn import functional

from atmostk.networks.keras_model import is_keras
from atmostk.networks.pixels.room import laid_out
from atmostk.networks.pixels.scene import Scene

MIX, BEND = 0, 1
PLAIN, RECTIFY, TANH, SIGMOID = 0, 1, 2, 3
RUN = 16  # single-precision numbers that a processor adds at once
CLOSE = 1e-3  # of the largest logit: how far stages and network may differ before the reading is taken for wrong


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage; sizes are (rows, columns). `weights` are (in, kernel rows, kernel columns backwards, out)."""

    kind: int
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    plain: torch.Tensor | None = None  # the weights as PyTorch has them
    bias: torch.Tensor | None = None
    function: int = PLAIN
    slope: float = 0.0  # below zero, of RECTIFY

    @property
    def weights(self) -> np.ndarray:
        """As the search reads them: for one input channel all it adds to, in the order of the output."""
        assert self.plain is not None
        return np.ascontiguousarray(self.plain.permute(1, 2, 3, 0).flip(2).numpy())

    def widened(self, channels: int, out: int) -> Stage:
        """The same with channels of zeros after the others, before and behind."""
        if self.plain is None:
            return self
        more = out - len(self.plain)
        plain = functional.pad(self.plain, (0, 0, 0, 0, 0, channels - self.plain.shape[1], 0, more))
        return replace(self, plain=plain, bias=None if self.bias is None else functional.pad(self.bias, (0, more)))

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """(N, channels, rows, columns) to the same of the next stage."""
        if self.kind == MIX:
            assert self.plain is not None
            return functional.conv2d(x, self.plain, self.bias, self.stride, self.padding)
        if self.kernel != (1, 1) or self.stride != (1, 1):
            x = functional.max_pool2d(x, self.kernel, self.stride, self.padding)
        if self.function == RECTIFY:
            return functional.leaky_relu(x, self.slope)
        return {PLAIN: lambda z: z, TANH: torch.tanh, SIGMOID: torch.sigmoid}[self.function](x)


@dataclass(frozen=True, eq=False)
class Stages:
    """The stages in order, and the shapes (rows, columns, channels) before each of them and after the last."""

    chain: tuple[Stage, ...]
    shapes: tuple[tuple[int, int, int], ...]
    classes: int

    @property
    def numbers(self) -> int:
        """How many activations one image has, its pixels included."""
        return sum(int(np.prod(shape)) for shape in self.shapes)


def stages_of(scene: Scene) -> Stages | None:
    """The network of the scene as stages, or None where it is not of that kind (or a check on two images fails)."""
    if not isinstance(scene.model, nn.Module):
        return None
    with torch.no_grad():
        try:
            stages = _shaped(_merged(_read(scene.model, scene.shape)), scene.shape)
        except Unknown:
            return None
        # A reading is checked against the network itself: hooks, odd views and the like show here.
        images = scene.images[:2]
        wanted, found = scene.logits(images), images
        for stage in stages.chain:
            found = stage(found)
        found = found.flatten(1)
        if wanted.shape[1] != stages.classes or found.shape[1] < stages.classes:
            return None
        far = float((found[:, : stages.classes] - wanted).abs().max())
        return stages if far <= CLOSE * max(1.0, float(wanted.abs().max())) else None


class Unknown(Exception):
    """The network holds what no stage stands for."""


def _read(model: nn.Module, shape: tuple[int, ...]) -> list[Stage]:
    """The layers in the order in which images go through them."""
    if is_keras(model):
        from atmostk.networks.pixels.keras_stages import keras_stages

        return keras_stages(model, shape)
    try:
        graph = fx.symbolic_trace(model)
    except Exception:  # whatever a stranger's forward does with a stand-in for images
        raise Unknown from None
    named = dict(graph.named_modules())
    found: list[Stage] = []
    nodes = [node for node in graph.graph.nodes if node.op != "output"]
    if not nodes or nodes[0].op != "placeholder" or len(nodes) > 1000:
        raise Unknown
    x = torch.zeros(1, *shape)
    for before, node in pairwise(nodes):
        if node.all_input_nodes != [before] or len(before.users) != 1:
            raise Unknown
        if node.op == "call_module":
            stages = _of_module(named[node.target], x)
        elif node.op in ("call_function", "call_method"):
            stages = _of_function(node)
        else:
            raise Unknown
        for stage in stages:
            x = stage(x)
        found += stages
    return found


def _of_module(layer: nn.Module, x: torch.Tensor) -> list[Stage]:
    match layer:
        case nn.Dropout() | nn.Dropout2d() | nn.Identity() | nn.Flatten(start_dim=1, end_dim=-1):
            return []
        case nn.Conv2d(groups=1, padding_mode="zeros", dilation=(1, 1)) if not isinstance(layer.padding, str):
            bias = None if layer.bias is None else layer.bias.detach().float()
            plain = layer.weight.detach().float()
            kernel, stride, padding = _pair(layer.kernel_size), _pair(layer.stride), _pair(layer.padding)
            return [Stage(MIX, kernel, stride, padding, plain=plain, bias=bias)]
        case nn.Linear():
            _, channels, rows, columns = x.shape
            if layer.in_features != channels * rows * columns:
                raise Unknown
            plain = layer.weight.detach().float().reshape(-1, channels, rows, columns)
            bias = None if layer.bias is None else layer.bias.detach().float()
            return [Stage(MIX, (rows, columns), plain=plain, bias=bias)]
        case nn.MaxPool2d(ceil_mode=False, return_indices=False) if _pair(layer.dilation) == (1, 1):
            stride = layer.stride if layer.stride is not None else layer.kernel_size
            return [Stage(BEND, _pair(layer.kernel_size), _pair(stride), _pair(layer.padding))]
        case nn.ReLU():
            return [Stage(BEND, function=RECTIFY)]
        case nn.LeakyReLU() if layer.negative_slope > 0:
            return [Stage(BEND, function=RECTIFY, slope=float(layer.negative_slope))]
        case nn.Tanh():
            return [Stage(BEND, function=TANH)]
        case nn.Sigmoid():
            return [Stage(BEND, function=SIGMOID)]
        case nn.BatchNorm2d() if layer.running_mean is not None and layer.running_var is not None:
            return [_normalising(layer)]
    raise Unknown


def _of_function(node: fx.Node) -> list[Stage]:
    simple = {
        torch.relu: RECTIFY,
        functional.relu: RECTIFY,
        "relu": RECTIFY,
        torch.tanh: TANH,
        "tanh": TANH,
        torch.sigmoid: SIGMOID,
        "sigmoid": SIGMOID,
    }
    if node.target in simple:
        return [Stage(BEND, function=simple[node.target])]  # pyright: ignore[reportArgumentType]
    if node.target in (torch.flatten, "flatten", "view", "reshape", functional.dropout, functional.dropout2d):
        return []  # whether the order is the usual one, the check on two images tells
    if node.target is functional.max_pool2d and set(node.kwargs) <= {"kernel_size", "stride", *_USUAL}:
        given: Any = dict(zip(("kernel_size", "stride"), node.args[1:], strict=False)) | dict(node.kwargs)
        if len(node.args) <= 3 and all(given.get(name, usual) == usual for name, usual in _USUAL.items()):
            stride = given.get("stride") or given["kernel_size"]
            return [Stage(BEND, _pair(given["kernel_size"]), _pair(stride))]
    raise Unknown


_USUAL = {"padding": 0, "dilation": 1, "ceil_mode": False, "return_indices": False}


def _normalising(layer: nn.BatchNorm2d) -> Stage:
    """What batch normalisation does to each channel when nothing is learned: a factor and a shift."""
    assert layer.running_mean is not None
    assert layer.running_var is not None
    factor = (layer.running_var + layer.eps).rsqrt()
    if layer.weight is not None:
        factor = factor * layer.weight.detach()
    shift = -layer.running_mean * factor
    if layer.bias is not None:
        shift = shift + layer.bias.detach()
    return Stage(MIX, plain=torch.diag(factor)[:, :, None, None].float(), bias=shift.float())


def _merged(stages: list[Stage]) -> list[Stage]:
    """Neighbours joined: a normalisation into the convolution before it, a rising function with a maximum."""
    merged: list[Stage] = []
    for stage in stages:
        last = merged[-1] if merged else None
        if last is not None and stage.kind == last.kind == BEND:
            bends, pools = _bends(last) + _bends(stage), _pools(last) + _pools(stage)
            if bends <= 1 and pools <= 1:
                pool, bend = (last, stage) if _pools(last) or not _pools(stage) else (stage, last)
                if bends == 0 or _bends(bend) == 0:
                    bend = last if _bends(last) else stage
                merged[-1] = replace(pool, function=bend.function, slope=bend.slope)
                continue
        one_by_one = stage.kind == MIX and stage.kernel == (1, 1) and stage.stride == (1, 1) and stage.padding == (0, 0)
        if last is not None and one_by_one and last.kind == MIX and stage.plain is not None and last.plain is not None:
            through = stage.plain[:, :, 0, 0]
            if torch.equal(through, torch.diag(through.diagonal())):
                plain = torch.einsum("po,oikl->pikl", through, last.plain)
                bias = (
                    stage.bias if last.bias is None else through @ last.bias + (0 if stage.bias is None else stage.bias)
                )
                merged[-1] = replace(last, plain=plain, bias=bias)
                continue
        merged.append(stage)
    return merged


def _bends(stage: Stage) -> int:
    return int(stage.function != PLAIN)


def _pools(stage: Stage) -> int:
    return int(stage.kernel != (1, 1) or stage.stride != (1, 1))


def _shaped(chain: list[Stage], shape: tuple[int, ...]) -> Stages:
    """The stages with their shapes; dense layers are widened, because whole runs of numbers are added faster."""
    if not chain or chain[-1].kind != MIX:
        raise Unknown
    shapes, wide = [(shape[1], shape[2], shape[0])], []
    x = torch.zeros(1, *shape)
    classes = 0
    for stage in chain:
        if stage.plain is not None:
            classes = len(stage.plain)
            dense = (x.shape[2], x.shape[3]) == stage.kernel and stage.padding == (0, 0)
            stage = stage.widened(x.shape[1], -(-classes // RUN) * RUN if dense else classes)
        x = stage(x)
        wide.append(stage)
        shapes.append((x.shape[2], x.shape[3], x.shape[1]))
    return Stages(tuple(wide), tuple(shapes), classes)


def activations(stages: Stages, scene: Scene, signs: np.ndarray) -> np.ndarray:
    """Of every image what goes into each stage and comes out of the last, (images, numbers), channels last."""
    change = laid_out(signs, scene.shape)
    kept = np.empty((len(scene.images), stages.numbers), np.float32)
    first = 0
    with torch.no_grad():
        for images in scene.images.split(64):
            x = scene.room.moved(images, change).contiguous(memory_format=torch.channels_last)
            place = 0
            for stage in (None, *stages.chain):
                x = x if stage is None else stage(x)
                flat = x.permute(0, 2, 3, 1).reshape(len(x), -1)
                kept[first : first + len(x), place : place + flat.shape[1]] = flat.numpy()
                place += flat.shape[1]
            first += len(images)
    return kept


def _pair(size: Any) -> tuple[int, int]:
    return (int(size), int(size)) if isinstance(size, int) else (int(size[0]), int(size[1]))
