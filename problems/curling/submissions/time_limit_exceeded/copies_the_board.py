# Depth first to ten throws without any bound, and the whole board is copied for every throw.
import copy


def play(board, x, y, made):
    best = 11
    if made == 10:
        return best
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        nx, ny = x, y
        while True:
            tx, ty = nx + dx, ny + dy
            if not (0 <= ty < len(board) and 0 <= tx < len(board[0])):
                break
            if board[ty][tx] == 3:
                best = min(best, made + 1)
                break
            if board[ty][tx] == 1:
                if (nx, ny) != (x, y):
                    after = copy.deepcopy(board)
                    after[ty][tx] = 0
                    best = min(best, play(after, nx, ny, made + 1))
                break
            nx, ny = tx, ty
    return best


while True:
    width, height = map(int, input().split())
    if width == 0:
        break
    board = [list(map(int, input().split())) for _ in range(height)]
    start_y = next(y for y in range(height) if 2 in board[y])
    answer = play(board, board[start_y].index(2), start_y, 0)
    print(answer if answer <= 10 else -1)
