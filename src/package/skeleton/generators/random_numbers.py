"""Prints a random input: random_numbers SEED N."""

import random
import sys

seed, n = int(sys.argv[1]), int(sys.argv[2])
random.seed(seed)
print(n)
print(*(random.randint(-(10**9), 10**9) for _ in range(n)))
