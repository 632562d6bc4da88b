import re, sys
sys.exit(42 if re.fullmatch(r'\d{1,3}\n', sys.stdin.read()) else 43)
