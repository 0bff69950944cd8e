"""scikit-learn's own checks of the linear estimators, none of them expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from atmostk import SparseClassifier, SparseRegressor


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([SparseRegressor(), SparseClassifier()])
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)
