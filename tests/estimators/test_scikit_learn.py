"""scikit-learn's own checks of the linear estimators, none of them expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from atmostk import SparseClassifier, SparseClassifierCV, SparseRegressor, SparseRegressorCV


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [SparseRegressor(), SparseClassifier(), SparseRegressorCV(), SparseClassifierCV(at_most=(1, 2, 3))]
)
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)
