# Takes the first element of a generator that yields nothing where the goal can't be reached.
import sys


def ways(board, start):
    """Yields the number of throws of each way to the goal, the shortest first."""
    height, width = len(board), len(board[0])
    wave = {(start, frozenset())}
    for throws in range(1, 11):
        following = set()
        for (x, y), gone in wave:
            for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                nx, ny = x + dx, y + dy
                while 0 <= nx < width and 0 <= ny < height:
                    if board[ny][nx] == "3":
                        yield throws
                        break
                    if board[ny][nx] == "1" and (nx, ny) not in gone:
                        if (nx - dx, ny - dy) != (x, y):
                            following.add(((nx - dx, ny - dy), gone | {(nx, ny)}))
                        break
                    nx += dx
                    ny += dy
        wave = following


def main():
    lines = iter(sys.stdin.read().splitlines())
    for line in lines:
        width, height = map(int, line.split())
        if width == 0:
            return
        board = [next(lines).split() for _ in range(height)]
        y = next(y for y in range(height) if "2" in board[y])
        print(next(ways(board, (board[y].index("2"), y))))


main()
