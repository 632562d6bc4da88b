/* Lets the stone be thrown eleven times. */
#include <stdio.h>

static int w, h, board[20][20];
static const int dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};

static int fewest(int x, int y, int throws, int best) {
    if (throws + 1 >= best) return best;
    for (int d = 0; d < 4; d++) {
        int px = x, py = y, nx = x + dx[d], ny = y + dy[d];
        while (nx >= 0 && nx < w && ny >= 0 && ny < h && board[ny][nx] != 1 && board[ny][nx] != 3) {
            px = nx;
            py = ny;
            nx += dx[d];
            ny += dy[d];
        }
        if (nx < 0 || nx >= w || ny < 0 || ny >= h) continue;
        if (board[ny][nx] == 3) return throws + 1;
        if (px == x && py == y) continue;
        board[ny][nx] = 0;
        best = fewest(px, py, throws + 1, best);
        board[ny][nx] = 1;
    }
    return best;
}

int main(void) {
    while (scanf("%d %d", &w, &h) == 2 && w + h > 0) {
        int x = 0, y = 0;
        for (int row = 0; row < h; row++) {
            for (int column = 0; column < w; column++) {
                if (scanf("%d", &board[row][column]) != 1) return 0;
                if (board[row][column] == 2) {
                    x = column;
                    y = row;
                }
            }
        }
        int best = fewest(x, y, 0, 12);
        printf("%d\n", best > 11 ? -1 : best);
    }
    return 0;
}
