// Breadth first by steps; a cell is marked once, although the direction and the turns of the first visit may be the wrong ones.
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.StreamTokenizer;
import java.util.ArrayDeque;
import java.util.Arrays;

public class MarksCellOnly {
    static StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in, 1 << 16));

    static int next() throws IOException {
        in.nextToken();
        return (int) in.nval;
    }

    public static void main(String[] args) throws IOException {
        int[] dr = {0, 0, 1, -1}, dc = {1, -1, 0, 0};
        StringBuilder out = new StringBuilder();
        for (int n = next(), m = next(); n > 0; n = next(), m = next()) {
            int[][] board = new int[n][m];
            for (int[] row : board) for (int c = 0; c < m; c++) row[c] = next();
            boolean[][] seen = new boolean[n][m];
            for (int q = next(); q > 0; q--) {
                int r1 = next() - 1, c1 = next() - 1, r2 = next() - 1, c2 = next() - 1;
                boolean found = false;
                if (board[r1][c1] != 0 && board[r1][c1] == board[r2][c2]) {
                    for (boolean[] row : seen) Arrays.fill(row, false);
                    ArrayDeque<int[]> queue = new ArrayDeque<>();
                    queue.add(new int[] {r1, c1, -1, 0});
                    seen[r1][c1] = true;
                    while (!queue.isEmpty() && !found) {
                        int[] at = queue.poll();
                        for (int d = 0; d < 4; d++) {
                            int r = at[0] + dr[d], c = at[1] + dc[d];
                            int turns = at[2] >= 0 && at[2] != d ? at[3] + 1 : at[3];
                            if (turns > 2 || r < 0 || r >= n || c < 0 || c >= m) continue;
                            if (r == r2 && c == c2) found = true;
                            if (board[r][c] != 0 || seen[r][c]) continue;
                            seen[r][c] = true;
                            queue.add(new int[] {r, c, d, turns});
                        }
                    }
                }
                out.append(found ? "YES\n" : "NO\n");
            }
        }
        System.out.print(out);
    }
}
