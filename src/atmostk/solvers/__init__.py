"""The algorithms: each a frozen record of hyperparameters with `start` and `step`."""

from atmostk.solvers.exchange import Exchange
from atmostk.solvers.iht import IHT
from atmostk.solvers.piht import PIHT
from atmostk.solvers.sample_size import Fixed, Measured, Polynomial, Released
from atmostk.solvers.streamed_exchange import StreamedExchange

__all__ = ["IHT", "PIHT", "Exchange", "Fixed", "Measured", "Polynomial", "Released", "StreamedExchange"]
