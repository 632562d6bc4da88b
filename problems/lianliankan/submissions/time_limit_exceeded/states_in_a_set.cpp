// An honest least-turns search, but every state goes through a balanced tree and the whole board is always searched.
#include <iostream>
#include <queue>
#include <set>
#include <tuple>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n, m;
    while (cin >> n >> m && n > 0) {
        vector<vector<int>> board(n, vector<int>(m));
        for (auto &row : board)
            for (int &tile : row) cin >> tile;
        int q;
        cin >> q;
        while (q-- > 0) {
            int r1, c1, r2, c2;
            cin >> r1 >> c1 >> r2 >> c2;
            r1--, c1--, r2--, c2--;
            if (board[r1][c1] == 0 || board[r1][c1] != board[r2][c2]) {
                cout << "NO\n";
                continue;
            }
            using State = tuple<int, int, int, int>;
            priority_queue<State, vector<State>, greater<State>> queue;
            set<tuple<int, int, int>> done;
            bool found = false;
            for (int d = 0; d < 4; d++) queue.push({0, r1, c1, d});
            while (!queue.empty()) {
                auto [turns, row, column, direction] = queue.top();
                queue.pop();
                if (!done.insert({row, column, direction}).second) continue;
                if (row == r2 && column == c2) {
                    found = true;
                    continue;
                }
                for (int d = 0; d < 4; d++) {
                    if (row == r1 && column == c1 && d != direction) continue;
                    int r = row + (d == 0) - (d == 1), c = column + (d == 2) - (d == 3);
                    int t = turns + (d != direction);
                    if (t > 2 || r < 0 || r >= n || c < 0 || c >= m) continue;
                    if (board[r][c] == 0 || (r == r2 && c == c2)) queue.push({t, r, c, d});
                }
            }
            cout << (found ? "YES\n" : "NO\n");
        }
    }
}
