"""The names of the attack's forms, as cells and figures have them."""

PRINTED, LOGITS, RELEASED, OURS = FORMS = ("as printed", "printed, on logits", "as released", "ours")
