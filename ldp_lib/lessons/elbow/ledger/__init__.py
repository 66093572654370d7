"""The proofs of Butucea, Dubois, Kroll & Saumard (2020), executed."""
