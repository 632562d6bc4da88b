"""Exits with 42 if the input is what the statement says."""

import re
import sys

VALID, INVALID = 42, 43
NUMBER = r"(?:0|-?[1-9][0-9]*)"


def refuse(line, reason):
    print(f"line {line}: {reason}", file=sys.stderr)
    sys.exit(INVALID)


lines = sys.stdin.read().split("\n")
if len(lines) != 3 or lines[2] != "":
    refuse(len(lines), "there must be two lines, both with an end")
if not re.fullmatch(NUMBER, lines[0]) or not 1 <= int(lines[0]) <= 1000:
    refuse(1, "it must be a number from 1 to 1000")
if not re.fullmatch(f"{NUMBER}(?: {NUMBER})*", lines[1]):
    refuse(2, "it must be numbers with single blanks between them")
numbers = [int(word) for word in lines[1].split(" ")]
if len(numbers) != int(lines[0]):
    refuse(2, f"there are {len(numbers)} numbers, not {lines[0]}")
if any(abs(number) > 10**9 for number in numbers):
    refuse(2, "a number is too large")
sys.exit(VALID)
