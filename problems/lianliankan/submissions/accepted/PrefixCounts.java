// Tries every row and every column as the middle segment; prefix counts of the tiles tell at once whether a segment is free.
import java.io.DataInputStream;
import java.io.IOException;

public class PrefixCounts {
    static final byte[] BUFFER = new byte[1 << 16];
    static int filled, at;
    static DataInputStream in = new DataInputStream(System.in);

    static int nextByte() throws IOException {
        if (at == filled) {
            filled = in.read(BUFFER, 0, BUFFER.length);
            at = 0;
            if (filled <= 0) return -1;
        }
        return BUFFER[at++];
    }

    static int nextInt() throws IOException {
        int c = nextByte();
        while (c <= ' ') c = nextByte();
        int value = 0;
        while (c > ' ') {
            value = value * 10 + c - '0';
            c = nextByte();
        }
        return value;
    }

    static int rows, columns;
    static int[][] tile;
    // inRow[r][c]: tiles in row r left of column c. inColumn[c][r]: tiles in column c above row r.
    static short[][] inRow, inColumn;

    /** Tiles strictly inside the segment, its two ends left out. */
    static boolean rowFree(int row, int from, int to) {
        int left = Math.min(from, to), right = Math.max(from, to);
        return right - left < 2 || inRow[row][right] == inRow[row][left + 1];
    }

    static boolean columnFree(int column, int from, int to) {
        int top = Math.min(from, to), bottom = Math.max(from, to);
        return bottom - top < 2 || inColumn[column][bottom] == inColumn[column][top + 1];
    }

    /** A corner must be a free cell, unless the path has no length there because a tile itself stands on it. */
    static boolean corner(int row, int column, int ownRow, int ownColumn) {
        return row == ownRow && column == ownColumn || tile[row][column] == 0;
    }

    static boolean linked(int r1, int c1, int r2, int c2) {
        if (tile[r1][c1] == 0 || tile[r1][c1] != tile[r2][c2]) return false;
        if (r1 == r2 && rowFree(r1, c1, c2) || c1 == c2 && columnFree(c1, r1, r2)) return true;
        if (r1 != r2) {
            for (int c = 0; c < columns; c++) {
                if (corner(r1, c, r1, c1) && corner(r2, c, r2, c2)
                        && rowFree(r1, c1, c) && columnFree(c, r1, r2) && rowFree(r2, c, c2)) return true;
            }
        }
        if (c1 != c2) {
            for (int r = 0; r < rows; r++) {
                if (corner(r, c1, r1, c1) && corner(r, c2, r2, c2)
                        && columnFree(c1, r1, r) && rowFree(r, c1, c2) && columnFree(c2, r, r2)) return true;
            }
        }
        return false;
    }

    public static void main(String[] args) throws IOException {
        StringBuilder out = new StringBuilder();
        while (true) {
            rows = nextInt();
            columns = nextInt();
            if (rows == 0) break;
            tile = new int[rows][columns];
            inRow = new short[rows][columns + 1];
            inColumn = new short[columns][rows + 1];
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < columns; c++) {
                    tile[r][c] = nextInt();
                    int one = tile[r][c] == 0 ? 0 : 1;
                    inRow[r][c + 1] = (short) (inRow[r][c] + one);
                    inColumn[c][r + 1] = (short) (inColumn[c][r] + one);
                }
            }
            for (int queries = nextInt(); queries > 0; queries--) {
                int r1 = nextInt() - 1, c1 = nextInt() - 1, r2 = nextInt() - 1, c2 = nextInt() - 1;
                out.append(linked(r1, c1, r2, c2) ? "YES\n" : "NO\n");
            }
        }
        System.out.print(out);
    }
}
