"""The quadratic model of an objective over a pool of candidates, and the exact gain of every exchange in it."""

from atmostk.quadratic.model import QuadraticModel

__all__ = ["QuadraticModel"]
