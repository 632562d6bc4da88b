# Puts a ring of free cells around the board, so that a path may leave it, as some versions of the game allow.
import sys


def reach(line, at):
    first = line.rfind(b"1", 0, at) + 1
    last = line.find(b"1", at + 1)
    return first, (len(line) if last < 0 else last) - 1


def linked(rows, r1, c1, r2, c2):
    a, b = reach(rows[r1], c1), reach(rows[r2], c2)
    inner = range(min(r1, r2) + 1, max(r1, r2))
    for c in range(max(a[0], b[0]), min(a[1], b[1]) + 1):
        if all(rows[r][c] == 48 for r in inner):
            return True
    a = reach(bytes(row[c1] for row in rows), r1)
    b = reach(bytes(row[c2] for row in rows), r2)
    left, right = min(c1, c2), max(c1, c2)
    return any(b"1" not in rows[r][left + 1:right] for r in range(max(a[0], b[0]), min(a[1], b[1]) + 1))


def main():
    read = sys.stdin.buffer.readline
    out = []
    while True:
        n, m = map(int, read().split())
        if n == 0:
            break
        tiles = [read().split() for _ in range(n)]
        ring = b"0" * (m + 2)
        rows = [ring] + [b"0" + bytes(48 + (tile != b"0") for tile in row) + b"0" for row in tiles] + [ring]
        for _ in range(int(read())):
            r1, c1, r2, c2 = map(int, read().split())
            tile = tiles[r1 - 1][c1 - 1]
            if tile == b"0" or tile != tiles[r2 - 1][c2 - 1]:
                out.append("NO")
                continue
            lifted = list(rows)
            for r, c in ((r1, c1), (r2, c2)):
                lifted[r] = lifted[r][:c] + b"0" + lifted[r][c + 1:]
            out.append("YES" if linked(lifted, r1, c1, r2, c2) else "NO")
    print("\n".join(out))


main()
