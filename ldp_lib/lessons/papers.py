"""The works whose results are executed."""

CLASSIFICATION = "Berrett & Butucea 2019, Classification under local differential privacy"
WAVELETS = "Butucea, Dubois, Kroll & Saumard 2020, Elbow effect in optimal density estimation"
BAYES = "Bousquet et al. 2022, Differentially-private Bayes consistency"
SLIDES = "Baumann 2022, seminar slides on Berrett & Butucea"
