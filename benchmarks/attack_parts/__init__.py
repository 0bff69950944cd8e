"""What the attack benchmark is made of: the contestants, and one run of one of them."""
