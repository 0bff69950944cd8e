"""The layers of a Keras model as stages: channels last, weights laid out otherwise, activations inside the layers."""

from __future__ import annotations

from typing import Any

import torch

from atmostk.networks.pixels.stages import BEND, MIX, RECTIFY, SIGMOID, TANH, Stage, Unknown

BENDING = {"relu": RECTIFY, "tanh": TANH, "sigmoid": SIGMOID}


def keras_stages(model: Any, shape: tuple[int, ...]) -> list[Stage]:
    """The layers in the order in which images go through them; a softmax at the end is left out."""
    found: list[Stage] = []
    x = torch.zeros(1, *shape)
    layers = [layer for layer in getattr(model, "layers", ()) if type(layer).__name__ not in _NOTHING]
    for layer in layers:
        stages = _of_layer(layer, x, last=layer is layers[-1])
        for stage in stages:
            x = stage(x)
        found += stages
    return found


_NOTHING = ("InputLayer", "Flatten", "Dropout", "SpatialDropout2D")


def _of_layer(layer: Any, x: torch.Tensor, *, last: bool) -> list[Stage]:
    name = type(layer).__name__
    channels_last = getattr(layer, "data_format", "channels_last") == "channels_last"
    if name == "Conv2D" and layer.groups == 1 and tuple(layer.dilation_rate) == (1, 1) and channels_last:
        kernel = tuple(int(size) for size in layer.kernel_size)
        stride = tuple(int(size) for size in layer.strides)
        if layer.padding == "same" and (stride != (1, 1) or not kernel[0] % 2 or not kernel[1] % 2):
            raise Unknown
        padding = (kernel[0] // 2, kernel[1] // 2) if layer.padding == "same" else (0, 0)
        plain = _tensor(layer.kernel).permute(3, 2, 0, 1).contiguous()
        mix = Stage(MIX, kernel, stride, padding, plain=plain, bias=_bias(layer))  # pyright: ignore
        return [mix, *_bent(layer.activation, last)]
    if name == "Dense":
        _, channels, rows, columns = x.shape
        plain = _tensor(layer.kernel)
        if len(plain) != channels * rows * columns:
            raise Unknown
        plain = plain.T.reshape(-1, rows, columns, channels).permute(0, 3, 1, 2).contiguous()
        return [Stage(MIX, (rows, columns), plain=plain, bias=_bias(layer)), *_bent(layer.activation, last)]
    if name == "MaxPooling2D" and layer.padding == "valid" and channels_last:
        pool, stride = (tuple(int(size) for size in sizes) for sizes in (layer.pool_size, layer.strides))
        return [Stage(BEND, pool, stride)]  # pyright: ignore
    if name == "ReLU" and layer.max_value is None and not layer.threshold:
        return [Stage(BEND, function=RECTIFY, slope=float(layer.negative_slope or 0.0))]
    if name == "Softmax" and last:
        return []
    if name == "Activation":
        return _bent(layer.activation, last)
    raise Unknown


def _bent(activation: Any, last: bool) -> list[Stage]:
    name = getattr(activation, "__name__", "linear")
    if activation is None or name == "linear" or (name == "softmax" and last):
        return []
    if name not in BENDING:
        raise Unknown
    return [Stage(BEND, function=BENDING[name])]


def _bias(layer: Any) -> torch.Tensor | None:
    return _tensor(layer.bias) if layer.use_bias else None


def _tensor(variable: Any) -> torch.Tensor:
    return variable.value.detach().float().cpu()
