"""The proofs of Bousquet et al. (2022), executed."""
