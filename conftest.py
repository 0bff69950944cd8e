"""Which documented examples can run here: those of files whose library is installed."""

from importlib.util import find_spec

collect_ignore = [
    path
    for path, library in {
        "src/atmostk/objectives/carlini_wagner.py": "torch",
        "src/atmostk/objectives/margin.py": "torch",
        "src/atmostk/objectives/tanh_carlini_wagner.py": "torch",
        "src/atmostk/objectives/torch_loss.py": "torch",
        "src/atmostk/networks": "torch",
        "src/atmostk/objectives/jax_loss.py": "jax",
    }.items()
    if find_spec(library) is None
]
