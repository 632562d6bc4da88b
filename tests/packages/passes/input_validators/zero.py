import re, sys
sys.exit(42 if re.fullmatch(r'0\n', sys.stdin.read()) else 43)
