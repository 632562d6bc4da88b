# Gets the direction of a segment from (end - start) // abs(end - start), which divides by zero where the segment has no length.
import sys


def free(board, r1, c1, r2, c2):
    if c1 == c2:
        step = (r2 - r1) // abs(r2 - r1)
        return all(board[r][c1] == b"0" for r in range(r1, r2 + step, step))
    step = (c2 - c1) // abs(c2 - c1)
    return all(board[r1][c] == b"0" for c in range(c1, c2 + step, step))


def linked(board, r1, c1, r2, c2):
    n, m = len(board), len(board[0])
    return any(
        free(board, r1, c1, r1, c) and free(board, r1, c, r2, c) and free(board, r2, c, r2, c2) for c in range(m)
    ) or any(
        free(board, r1, c1, r, c1) and free(board, r, c1, r, c2) and free(board, r, c2, r2, c2) for r in range(n)
    )


def main():
    read = sys.stdin.buffer.readline
    while True:
        n, m = map(int, read().split())
        if n == 0:
            return
        board = [read().split() for _ in range(n)]
        for _ in range(int(read())):
            r1, c1, r2, c2 = (int(word) - 1 for word in read().split())
            tile = board[r1][c1]
            if tile == b"0" or tile != board[r2][c2]:
                print("NO")
                continue
            board[r1][c1] = board[r2][c2] = b"0"
            print("YES" if linked(board, r1, c1, r2, c2) else "NO")
            board[r1][c1] = board[r2][c2] = tile


main()
