import sys
sys.exit(42 if sys.stdin.read() == '\n' else 43)
