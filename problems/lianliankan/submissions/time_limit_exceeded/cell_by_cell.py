# The least-turns search that marks a state when it is popped: right, but in Python, and over the whole board each time.
import sys


def linked(board, m, a, b):
    if board[a] == 0 or board[a] != board[b]:
        return False
    steps = (1, m, -1, -m)
    found = False
    popped = bytearray(4 * len(board))
    waiting = [4 * a, 4 * a + 1, 4 * a + 2, 4 * a + 3]
    for _ in range(3):
        turned = []
        while waiting:
            state = waiting.pop()
            if popped[state]:
                continue
            popped[state] = 1
            cell, d = state >> 2, state & 3
            if cell != a:
                turned.append(4 * cell + (d + 1) % 4)
                turned.append(4 * cell + (d + 3) % 4)
            to = cell + steps[d]
            if to == b:
                found = True
            elif board[to] == 0:
                waiting.append(4 * to + d)
        waiting = turned
    return found


def main():
    words = map(int, sys.stdin.buffer.read().split())
    while True:
        n, m = next(words), next(words)
        if n == 0:
            return
        wide = m + 1
        board = [-1] * wide
        for _ in range(n):
            board.append(-1)
            board.extend(next(words) for _ in range(m))
        board += [-1] * (wide + 1)
        for _ in range(next(words)):
            r1, c1, r2, c2 = next(words), next(words), next(words), next(words)
            print("YES" if linked(board, wide, r1 * wide + c1, r2 * wide + c2) else "NO")


main()
