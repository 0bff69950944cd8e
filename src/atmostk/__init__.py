"""Learning models with at most K nonzeros: K features, K edges, K pixels.

Importing this package loads NumPy and the loop; scikit-learn, PyTorch and the rest are loaded when something of
theirs is asked for.
"""

from atmostk.certificate import Certificate, certify
from atmostk.constraints import AtMost
from atmostk.minimize import Result, minimize
from atmostk.problem import Problem
from atmostk.sample import Sample
from atmostk.solvers.exchange import Exchange
from atmostk.solvers.iht import IHT
from atmostk.solvers.piht import PIHT

__version__ = "0.1.0"

__all__ = ["IHT", "PIHT", "AtMost", "Certificate", "Exchange", "Problem", "Result", "Sample", "certify", "minimize"]
