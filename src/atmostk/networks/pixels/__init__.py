"""The search behind `SparseAttack`: which pixels, and which way each; parts that a front-end puts together."""
