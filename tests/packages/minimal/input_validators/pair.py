import re
import sys

line = sys.stdin.read()
fits = re.fullmatch(r"(0|[1-9]\d*) (0|[1-9]\d*)\n", line) and all(int(x) <= 10**9 for x in line.split())
sys.exit(42 if fits else 43)
