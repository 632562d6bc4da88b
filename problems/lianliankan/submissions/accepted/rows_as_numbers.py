# Each row is one big number with a bit for every tile; the bits of a reach slide down from row to row.
import sys


def reach(line, at):
    """The cells around `at`, itself counted, up to the nearest tile on either side."""
    first = line.rfind(b"1", 0, at) + 1
    last = line.find(b"1", at + 1)
    return first, (len(line) if last < 0 else last) - 1


def span(first, last):
    return (1 << (last + 1)) - (1 << first)


def linked(rows, bits, r1, c1, r2, c2):
    top, bottom = min(r1, r2), max(r1, r2)
    a, b = reach(rows[r1], c1), reach(rows[r2], c2)
    first, last = max(a[0], b[0]), min(a[1], b[1])
    if first <= last:
        open_columns = span(first, last)
        for row in range(top, bottom + 1):
            open_columns &= ~bits[row]
            if not open_columns:
                break
        else:
            return True
    a = reach(b"".join([row[c1:c1 + 1] for row in rows]), r1)
    b = reach(b"".join([row[c2:c2 + 1] for row in rows]), r2)
    segment = span(min(c1, c2), max(c1, c2))
    return any(bits[row] & segment == 0 for row in range(max(a[0], b[0]), min(a[1], b[1]) + 1))


def main():
    data = sys.stdin.buffer
    out = []
    while True:
        n, _ = map(int, data.readline().split())
        if n == 0:
            break
        tiles = [data.readline().split() for _ in range(n)]
        rows = [b"".join([b"0" if tile == b"0" else b"1" for tile in row]) for row in tiles]
        bits = [int(row[::-1], 2) for row in rows]
        for _ in range(int(data.readline())):
            r1, c1, r2, c2 = (int(word) - 1 for word in data.readline().split())
            tile = tiles[r1][c1]
            if tile == b"0" or tile != tiles[r2][c2]:
                out.append("NO")
                continue
            saved = [(r, rows[r], bits[r]) for r in {r1, r2}]
            for r, c in ((r1, c1), (r2, c2)):
                rows[r] = rows[r][:c] + b"0" + rows[r][c + 1:]
                bits[r] &= ~(1 << c)
            out.append("YES" if linked(rows, bits, r1, c1, r2, c2) else "NO")
            for r, row, number in saved:
                rows[r], bits[r] = row, number
    print("\n".join(out))


main()
