// The array has rows 0 to 999, the board has rows 1 to 1000.
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.StreamTokenizer;

public class SquareArray {
    static int[][] board = new int[1000][1000];
    static int n, m;

    static boolean free(int r1, int c1, int r2, int c2) {
        int dr = Integer.signum(r2 - r1), dc = Integer.signum(c2 - c1);
        for (int r = r1, c = c1; ; r += dr, c += dc) {
            if (board[r][c] != 0) return false;
            if (r == r2 && c == c2) return true;
        }
    }

    static boolean linked(int r1, int c1, int r2, int c2) {
        for (int step = -1; step <= 1; step += 2) {
            for (int c = c1; c >= 1 && c <= m && board[r1][c] == 0; c += step)
                if (free(r1, c, r2, c) && free(r2, c, r2, c2)) return true;
            for (int r = r1; r >= 1 && r <= n && board[r][c1] == 0; r += step)
                if (free(r, c1, r, c2) && free(r, c2, r2, c2)) return true;
        }
        return false;
    }

    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in, 1 << 16));
        while (true) {
            in.nextToken();
            n = (int) in.nval;
            in.nextToken();
            m = (int) in.nval;
            if (n == 0) return;
            for (int r = 1; r <= n; r++) {
                for (int c = 1; c <= m; c++) {
                    in.nextToken();
                    board[r][c] = (int) in.nval;
                }
            }
            in.nextToken();
            StringBuilder out = new StringBuilder();
            for (int q = (int) in.nval; q > 0; q--) {
                int[] at = new int[4];
                for (int i = 0; i < 4; i++) {
                    in.nextToken();
                    at[i] = (int) in.nval;
                }
                int tile = board[at[0]][at[1]];
                if (tile == 0 || tile != board[at[2]][at[3]]) {
                    out.append("NO\n");
                    continue;
                }
                board[at[0]][at[1]] = board[at[2]][at[3]] = 0;
                out.append(linked(at[0], at[1], at[2], at[3]) ? "YES\n" : "NO\n");
                board[at[0]][at[1]] = board[at[2]][at[3]] = tile;
            }
            System.out.print(out);
        }
    }
}
