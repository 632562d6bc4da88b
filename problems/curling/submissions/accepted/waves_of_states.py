# Breadth first over (cell, removed blocks); the blocks still there are the bits of one number.
import sys


def fewest(width, height, cells):
    wide = width + 1
    blocks = start = goal = 0
    for i, value in enumerate(cells):
        cell = i // width * wide + i % width
        if value == "1":
            blocks |= 1 << cell
        elif value == "2":
            start = cell
        elif value == "3":
            goal = cell

    # The cells that a throw would pass from each cell in each direction, if no block were in the way.
    paths = {}
    for row in range(height):
        for column in range(width):
            cell = row * wide + column
            paths[cell] = (
                range(cell + 1, row * wide + width),
                range(cell - 1, row * wide - 1, -1),
                range(cell + wide, height * wide, wide),
                range(cell - wide, -1, -wide),
            )

    wave = {(start, blocks)}
    for throws in range(1, 11):
        following = set()
        for cell, there in wave:
            for path in paths[cell]:
                stone = cell
                for to in path:
                    if there >> to & 1:
                        if stone != cell:
                            following.add((stone, there ^ 1 << to))
                        break
                    if to == goal:
                        return throws
                    stone = to
        wave = following
    return -1


def main():
    words = sys.stdin.read().split()
    at = 0
    while True:
        width, height = int(words[at]), int(words[at + 1])
        if width == 0:
            return
        at += 2
        print(fewest(width, height, words[at:at + width * height]))
        at += width * height


main()
