"""Which documented examples can run here: those of files whose library is installed."""

from importlib.util import find_spec

NEEDED = {
    "src/atmostk/objectives/carlini_wagner.py": "torch",
    "src/atmostk/objectives/margin.py": "torch",
    "src/atmostk/objectives/tanh_carlini_wagner.py": "torch",
    "src/atmostk/objectives/torch_loss.py": "torch",
    "src/atmostk/objectives/jax_loss.py": "jax",
    "src/atmostk/networks": "torch",
    "src/atmostk/networks/adapters/art_attack.py": "art",
    "src/atmostk/networks/adapters/foolbox_attack.py": "foolbox",
    "src/atmostk/networks/adapters/torchattacks_attack.py": "torchattacks",
}

collect_ignore = [path for path, library in NEEDED.items() if find_spec(library) is None]
