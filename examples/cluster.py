"""A fit on a cluster: the data stays on the workers, K numbers travel.

python -m examples.cluster                       starts two worker processes on this machine
python -m examples.cluster tcp://host:8786       works on the cluster whose scheduler listens there
"""

from __future__ import annotations

import sys

import numpy as np


def main() -> None:
    """Fit, lose nothing when a worker goes, and search a graph."""
    import dask.array as da
    import joblib
    from distributed import Client, LocalCluster

    from atmostk import SparseClassifier, SparsePrecision, SparseRegressor, sparse_path
    from atmostk.samplers import connected

    if sys.argv[1:]:
        cluster, client = None, connected(sys.argv[1])
    else:
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        client = Client(cluster)

    # Rows are made where they will live; a real program reads them there, with dask.dataframe.read_parquet.
    rows, columns = 200_000, 100
    X = da.random.default_rng(0).normal(size=(rows, columns), chunks=(20_000, columns)).persist()
    noise = da.random.default_rng(1).logistic(size=rows, chunks=20_000)
    y = (X[:, 3] - X[:, 40] + 0.5 * X[:, 77] + noise > 0).astype(float).persist()

    model = SparseClassifier(at_most=3).fit(X, y)
    print("chosen by the cluster:", model.support_, model.coef_[0, model.support_].round(3))
    print(model.certificate_)

    graph = SparsePrecision(edges=20).fit(X)
    print("a graph of the same columns:", graph.edges_)

    # Many small searches are spread by joblib: each fold, path or subsample is a task of the cluster.
    few, target = X[:5000].compute(), np.asarray(y[:5000].compute())
    with joblib.parallel_config("dask"):
        paths = joblib.Parallel()(
            joblib.delayed(sparse_path)(
                few[part::4], target[part::4], at_most=[1, 2, 3], model=SparseRegressor(kicks=0)
            )
            for part in range(4)
        )
    print("a quarter of the rows each:", [path.model(3).support_.tolist() for path in paths])

    client.close()
    if cluster is not None:
        cluster.close()


if __name__ == "__main__":
    main()
