"""Draws the boards of an input with the fewest throws that reach the goal, one after the other.

Called as: draw.py INPUT ANSWER. Prints SVG. What stands in the picture without its animation is the whole way; the
stone runs along it once.
"""

import sys
from collections import deque

CELL = 28
GAP = 16
MOST = 10
BOARDS = 12
SECONDS = 4.8
ICE, BLOCK, START, GOAL = "#e8f1f8", "#566573", "#2f6fb3", "#2e8b57"


def boards(words):
    numbers = iter(words)
    while True:
        width, height = int(next(numbers)), int(next(numbers))
        if width == 0:
            return
        yield [[int(next(numbers)) for _ in range(width)] for _ in range(height)]


def slide(board, gone, place, step):
    """Where a throw ends: (rest, vanished block), (goal, None), or None for a throw that is lost or can't be made."""
    row, column = place
    first = True
    while True:
        beyond = (row + step[0], column + step[1])
        if not (0 <= beyond[0] < len(board) and 0 <= beyond[1] < len(board[0])):
            return None
        kind = board[beyond[0]][beyond[1]]
        if kind == 1 and beyond not in gone:
            return None if first else ((row, column), beyond)
        row, column = beyond
        first = False
        if kind == 3:
            return (beyond, None)


def throws(board):
    """The stops of a shortest way and the block that each throw takes; None when there is no way."""
    start = next((r, c) for r, line in enumerate(board) for c, kind in enumerate(line) if kind == 2)
    queue = deque([(start, frozenset(), ((start, None),))])
    seen = {(start, frozenset())}
    while queue and len(seen) < 60_000:
        place, gone, way = queue.popleft()
        if len(way) > MOST:
            continue
        for step in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            end = slide(board, gone, place, step)
            if end is None:
                continue
            stop, block = end
            if block is None:
                return way + (end,)
            state = (stop, gone | {block})
            if state not in seen:
                seen.add(state)
                queue.append((stop, state[1], way + (end,)))
    return None


def middle(place):
    return place[1] * CELL + CELL // 2, place[0] * CELL + CELL // 2


def draw(board):
    out = []
    way = throws(board)
    taken = {block: number for number, (_, block) in enumerate(way or ()) if block}
    count = len(way) - 1 if way else 0
    per_throw = min(0.8, SECONDS / count) if count else 0
    for r, line in enumerate(board):
        for c, kind in enumerate(line):
            fill = BLOCK if kind == 1 else ICE
            out.append(f'<rect x="{c * CELL + 1}" y="{r * CELL + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="3" fill="{ICE}"/>')
            if kind != 1:
                continue
            block = f'<rect x="{c * CELL + 3}" y="{r * CELL + 3}" width="{CELL - 6}" height="{CELL - 6}" rx="4" fill="{fill}"'
            if (r, c) in taken:
                at = taken[r, c] * per_throw
                out.append(block + f'><animate attributeName="opacity" from="1" to="0.3" begin="{at:.2f}s" dur="0.15s" fill="freeze"/></rect>')
            else:
                out.append(block + "/>")
    for kind, colour, word in ((2, START, "S"), (3, GOAL, "G")):
        x, y = middle(next((r, c) for r, line in enumerate(board) for c, value in enumerate(line) if value == kind))
        out.append(f'<circle cx="{x}" cy="{y}" r="11" fill="none" stroke="{colour}" stroke-width="3"/>')
        out.append(f'<text x="{x}" y="{y}" font-size="12" font-weight="700" text-anchor="middle" dominant-baseline="central" fill="{colour}">{word}</text>')
    if way:
        stops = [middle(stop) for stop, _ in way]
        points = " ".join(f"{x},{y}" for x, y in stops)
        out.append(f'<polyline points="{points}" fill="none" stroke="#c2410c" stroke-width="2.5" stroke-linejoin="round" stroke-dasharray="5 3"/>')
        for number, (x, y) in enumerate(stops[1:], 1):
            out.append(f'<circle cx="{x}" cy="{y}" r="3" fill="#c2410c"/>')
            out.append(f'<text x="{x + 6}" y="{y - 6}" font-size="10" fill="#7c2d12">{number}</text>')
        x, y = stops[0]
        moves = "".join(
            f'<animate attributeName="{name}" values="{";".join(str(stop[axis]) for stop in stops)}" dur="{per_throw * count:.2f}s" begin="0s" fill="freeze"/>'
            for axis, name in ((0, "cx"), (1, "cy"))
        )
        out.append(f'<circle cx="{x}" cy="{y}" r="8" fill="#dc2626" stroke="#ffffff" stroke-width="2">{moves}</circle>')
    width, height = len(board[0]) * CELL, len(board) * CELL
    words = f"{count} throws" if way and count != 1 else "1 throw" if way else "no way within ten throws"
    return out, max(width, 250), height, words


def main():
    words = open(sys.argv[1]).read().split()
    y, widest, out = GAP, 0, []
    for number, board in enumerate(boards(words), 1):
        if number > BOARDS:
            out.append(f'<text x="{GAP}" y="{y + 14}" font-size="13" fill="#374151">more boards are not drawn</text>')
            y += 20 + GAP
            break
        parts, width, height, said = draw(board)
        out.append(f'<text x="{GAP}" y="{y + 12}" font-size="13" font-weight="700" fill="#1f2937">Board {number}: {said}</text>')
        out.append(f'<g transform="translate({GAP} {y + 20})">' + "".join(parts) + "</g>")
        y += 20 + height + GAP
        widest = max(widest, width)
    width = widest + 2 * GAP
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" font-family="sans-serif">')
    print(f'<rect width="{width}" height="{y}" fill="#ffffff"/>' + "\n".join(out) + "</svg>")


main()
