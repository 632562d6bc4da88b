"""Draws the boards of an input with the line that links each pair, where there is one.

Called as: draw.py INPUT ANSWER. Prints SVG. Large boards are left out: nobody could read them.
"""

import sys
from collections import deque

CELL = 30
GAP = 16
BOARDS = 12
LARGEST = 24
PAIRS = 12
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
LINES = ("#c2410c", "#1d4ed8", "#15803d", "#7e22ce", "#b91c1c", "#0f766e")
TILES = ("#fde68a", "#bfdbfe", "#bbf7d0", "#fbcfe8", "#ddd6fe", "#fed7aa", "#a5f3fc", "#e5e7eb")


def link(board, first, second):
    """The corners of a line with at most two turns, by breadth over (turns, cell, direction); None if there is none."""
    kind = board[first[0]][first[1]]
    if kind == 0 or board[second[0]][second[1]] != kind:
        return None
    queue = deque((first, direction, 0, (first,)) for direction in range(4))
    best = {}
    while queue:
        place, direction, turns, way = queue.popleft()
        ahead = (place[0] + STEPS[direction][0], place[1] + STEPS[direction][1])
        if not (0 <= ahead[0] < len(board) and 0 <= ahead[1] < len(board[0])):
            continue
        if ahead == second:
            return way + (ahead,)
        if board[ahead[0]][ahead[1]] != 0 or best.get((ahead, direction), 3) <= turns:
            continue
        best[ahead, direction] = turns
        # Straight on first: at equal turns nothing is lost, and a line with fewer turns is found before one with more.
        queue.appendleft((ahead, direction, turns, way + (ahead,)))
        if turns < 2:
            for other in range(4):
                if other // 2 != direction // 2:
                    queue.append((ahead, other, turns + 1, way + (ahead,)))
    return None


def middle(place):
    return place[1] * CELL + CELL // 2, place[0] * CELL + CELL // 2


def draw(board, pairs):
    out = []
    for r, line in enumerate(board):
        for c, kind in enumerate(line):
            fill = TILES[kind % len(TILES)] if kind else "#f3f4f6"
            out.append(f'<rect x="{c * CELL + 1}" y="{r * CELL + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="4" fill="{fill}"/>')
            if kind:
                x, y = middle((r, c))
                size = 13 if kind < 1000 else 7
                out.append(f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="middle" dominant-baseline="central" fill="#1f2937">{kind}</text>')
    said = []
    for number, (first, second) in enumerate(pairs, 1):
        way = link(board, first, second)
        said.append(f"{number}: {'YES' if way else 'NO'}")
        if not way:
            continue
        colour = LINES[(number - 1) % len(LINES)]
        shift = (number - 1) % 5 * 2 - 4
        points = " ".join(f"{middle(place)[0] + shift},{middle(place)[1] + shift}" for place in way)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round" opacity="0.85"/>')
        for place in (first, second):
            x, y = middle(place)
            out.append(f'<circle cx="{x}" cy="{y}" r="12" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = middle(way[len(way) // 2])
        out.append(f'<circle cx="{x + shift}" cy="{y + shift}" r="7" fill="{colour}"/>')
        out.append(f'<text x="{x + shift}" y="{y + shift}" font-size="9" font-weight="700" text-anchor="middle" dominant-baseline="central" fill="#ffffff">{number}</text>')
    return out, said


def main():
    numbers = iter(open(sys.argv[1]).read().split())
    take = lambda: int(next(numbers))
    y, widest, out = GAP, 220, []
    for number in range(1, BOARDS + 1):
        rows, columns = take(), take()
        if rows == 0:
            break
        board = [[take() for _ in range(columns)] for _ in range(rows)]
        pairs = [((take() - 1, take() - 1), (take() - 1, take() - 1)) for _ in range(take())]
        title = f"Board {number}"
        if rows > LARGEST or columns > LARGEST:
            out.append(f'<text x="{GAP}" y="{y + 12}" font-size="13" fill="#1f2937">{title} is too large to be drawn</text>')
            y += 20 + GAP
            continue
        parts, said = draw(board, pairs[:PAIRS])
        out.append(f'<text x="{GAP}" y="{y + 12}" font-size="13" font-weight="700" fill="#1f2937">{title}</text>')
        out.append(f'<g transform="translate({GAP} {y + 20})">' + "".join(parts) + "</g>")
        y += 20 + rows * CELL + 6
        for at in range(0, len(said), 4):
            out.append(f'<text x="{GAP}" y="{y + 12}" font-size="12" fill="#374151">' + ", ".join(said[at : at + 4]) + "</text>")
            y += 16
        y += GAP
        widest = max(widest, columns * CELL)
    width = widest + 2 * GAP
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" font-family="sans-serif">')
    print(f'<rect width="{width}" height="{y}" fill="#ffffff"/>' + "\n".join(out) + "</svg>")


main()
