"""The pseudo-likelihood of a Gaussian graph at speed: compiled descent, scans of all pairs, and the search over them.

Notation of the files in this folder, for a pair i < j: w its weight, d the diagonal, s_i the mean square of variable i,

    b = -(half the derivative of F in w, the ridge and the pair's own curvature taken out)
    a = s_j / d_i + s_i / d_j + 2 ridge             half of F's curvature in w
    F(w) = a w^2 - 2 b w + 2 l1 |w| + what does not depend on w
    score = b^2 / a                                 what the pair is worth, inside the support and outside alike

With l1 = 0 the score of a pair outside is the decrease of F when it enters, and at a minimum that of a pair inside is
the increase when it leaves.
"""
