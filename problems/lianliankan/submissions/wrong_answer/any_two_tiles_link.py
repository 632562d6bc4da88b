# Asks only that both cells hold a tile, not that the tiles are equal.
import sys


def reach(line, at):
    first = line.rfind(b"1", 0, at) + 1
    last = line.find(b"1", at + 1)
    return first, (len(line) if last < 0 else last) - 1


def joined(rows, a, b):
    """Along the row of a, then along some column, then along the row of b."""
    (r1, c1), (r2, c2) = a, b
    reach_a, reach_b = reach(rows[r1], c1), reach(rows[r2], c2)
    between = [rows[r] for r in range(min(r1, r2) + 1, max(r1, r2))]
    return any(
        all(row[c] == 48 for row in between)
        for c in range(max(reach_a[0], reach_b[0]), min(reach_a[1], reach_b[1]) + 1)
    )


def main():
    read = sys.stdin.buffer.readline
    while True:
        n, m = map(int, read().split())
        if n == 0:
            return
        rows = [bytearray(48 + (word != b"0") for word in read().split()) for _ in range(n)]
        columns = [bytearray(column) for column in zip(*rows)]
        for _ in range(int(read())):
            r1, c1, r2, c2 = (int(word) - 1 for word in read().split())
            if rows[r1][c1] == 48 or rows[r2][c2] == 48:
                print("NO")
                continue
            for r, c in ((r1, c1), (r2, c2)):
                rows[r][c] = columns[c][r] = 48
            yes = joined(rows, (r1, c1), (r2, c2)) or joined(columns, (c1, r1), (c2, r2))
            for r, c in ((r1, c1), (r2, c2)):
                rows[r][c] = columns[c][r] = 49
            print("YES" if yes else "NO")


main()
