"""Networks are read from files of every kind, and nothing in them is run."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("safetensors", reason="safetensors is not installed")

import torch

from atmostk.cli.network_file import read_network
from atmostk.networks.lenet import lenet

IMAGES = torch.rand(2, 1, 28, 28, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def trained() -> Any:
    return lenet(seed=3).eval()


def exported(network: Any, file: Path, *, any_number: bool = True) -> Path:
    shapes = ({0: torch.export.Dim("images")},) if any_number else None
    torch.export.save(torch.export.export(network, (IMAGES,), dynamic_shapes=shapes), str(file))
    return file


def test_every_kind_of_file_gives_the_same_logits(trained: Any, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    torch.jit.save(torch.jit.trace(trained, IMAGES), str(tmp_path / "script.pt"))
    torch.save(trained.state_dict(), tmp_path / "state.pt")
    torch.save({"state_dict": trained.state_dict(), "epoch": 3}, tmp_path / "checkpoint.pt")
    save_file(trained.state_dict(), tmp_path / "state.safetensors")
    exported(trained, tmp_path / "archive.pt2")
    logits = trained(IMAGES)
    for name in ("script.pt", "archive.pt2"):
        torch.testing.assert_close(read_network(tmp_path / name, None)(IMAGES), logits)
    for name in ("state.pt", "checkpoint.pt", "state.safetensors"):
        torch.testing.assert_close(read_network(tmp_path / name, "lenet")(IMAGES), logits)


def test_a_function_of_ones_own_makes_the_network(
    trained: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.save(trained.state_dict(), tmp_path / "state.pt")
    (tmp_path / "my_networks.py").write_text(
        "from atmostk.networks.lenet import lenet\n\ndef small():\n    return lenet()\n\ndef nothing():\n    return 1\n"
    )
    monkeypatch.chdir(tmp_path)
    read = read_network(tmp_path / "state.pt", "my_networks:small")
    torch.testing.assert_close(read(IMAGES), trained(IMAGES))
    for name, words in (("my_networks:large", "no function 'large'"), ("my_networks:nothing", "torch.nn.Module")):
        with pytest.raises(ValueError, match=words):
            read_network(tmp_path / "state.pt", name)
    for name, words in (("no_such_module:f", "no module"), ("resnet", "paper_cnn, lenet or module:function")):
        with pytest.raises(ValueError, match=words):
            read_network(tmp_path / "state.pt", name)
    with pytest.raises(ValueError, match="does not fit the network paper_cnn"):
        read_network(tmp_path / "state.pt", "paper_cnn")
    with pytest.raises(ValueError, match="name it with --network"):
        read_network(tmp_path / "state.pt", None)


def test_an_archive_of_a_fixed_number_of_images_is_refused_with_advice(trained: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"takes 2 images at a time.*dynamic_shapes"):
        read_network(exported(trained, tmp_path / "fixed.pt2", any_number=False), None)


class Bomb:
    """Unpickling it makes a folder."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.place),)


def test_a_pickled_module_is_refused_unread(trained: Any, tmp_path: Path) -> None:
    torch.save(trained, tmp_path / "module.pt")
    torch.save(Bomb(tmp_path / "burnt"), tmp_path / "bomb.pt")
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Bomb(tmp_path / "burnt")))
    for name in ("module.pt", "bomb.pt", "plain.pt"):
        with pytest.raises(ValueError, match=r"is not read, because that would run.*torch\.jit\.save"):
            read_network(tmp_path / name, "lenet")
    assert not (tmp_path / "burnt").exists()


def test_a_pickle_inside_of_an_archive_is_not_read_either(trained: Any, tmp_path: Path) -> None:
    whole = exported(trained, tmp_path / "whole.pt2")
    loaded = io.BytesIO()
    torch.save(Bomb(tmp_path / "burnt"), loaded)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(tmp_path / "bomb.pt2", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("model_weights_config.json"):
                config = json.loads(content)
                for weights in config["config"].values():
                    weights["use_pickle"] = True
                content = json.dumps(config).encode()
            elif "/weights/weight_" in name:
                content = loaded.getvalue()
            new.writestr(name, content)
    with pytest.raises(ValueError, match=r"no readable torch\.export archive"):
        read_network(tmp_path / "bomb.pt2", None)
    assert not (tmp_path / "burnt").exists()


def test_damaged_files_are_told_of(trained: Any, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    torch.jit.save(torch.jit.trace(trained, IMAGES), str(tmp_path / "script.pt"))
    save_file(trained.state_dict(), tmp_path / "state.safetensors")
    for name, words in (("script.pt", "cut short"), ("state.safetensors", "safetensors file")):
        cut = tmp_path / f"cut-{name}"
        cut.write_bytes((tmp_path / name).read_bytes()[:5000])
        with pytest.raises(ValueError, match=words):
            read_network(cut, "lenet" if name.startswith("state") else None)
    (tmp_path / "empty.pt").write_bytes(b"")
    with pytest.raises(ValueError, match=r"empty\.pt is empty"):
        read_network(tmp_path / "empty.pt", None)
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_network(tmp_path / "missing.pt", None)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_network(tmp_path, None)
    torch.save([1, 2], tmp_path / "list.pt")
    with pytest.raises(ValueError, match="no weights of a network"):
        read_network(tmp_path / "list.pt", "lenet")
