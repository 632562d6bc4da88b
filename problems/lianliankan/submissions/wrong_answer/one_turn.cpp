// Allows one turn only.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

static const int DR[4] = {-1, 0, 1, 0};
static const int DC[4] = {0, 1, 0, -1};

struct Search {
    int rows, columns;
    std::vector<int> tiles;
    // The number of the last query in which the state was popped.
    std::vector<int> popped;
    int query = 0;
    std::vector<int> waiting[2];

    bool linked(int a, int b) {
        if (tiles[a] == 0 || tiles[a] != tiles[b]) return false;
        query++;
        for (auto &states : waiting) states.clear();
        for (int direction = 0; direction < 4; direction++) waiting[0].push_back(a * 4 + direction);
        for (int turns = 0; turns <= 1; turns++) {
            auto &states = waiting[turns];
            while (!states.empty()) {
                int state = states.back();
                states.pop_back();
                if (popped[state] == query) continue;
                popped[state] = query;
                int cell = state / 4, direction = state % 4;
                if (turns < 1 && cell != a) {
                    waiting[turns + 1].push_back(cell * 4 + (direction + 1) % 4);
                    waiting[turns + 1].push_back(cell * 4 + (direction + 3) % 4);
                }
                int row = cell / columns + DR[direction], column = cell % columns + DC[direction];
                if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
                int next = row * columns + column;
                if (next == b) return true;
                if (tiles[next] == 0) states.push_back(next * 4 + direction);
            }
        }
        return false;
    }
};

int main() {
    Search search;
    while (scanf("%d %d", &search.rows, &search.columns) == 2 && search.rows > 0) {
        int cells = search.rows * search.columns;
        search.tiles.resize(cells);
        for (int &tile : search.tiles) scanf("%d", &tile);
        search.popped.assign(cells * 4, 0);
        search.query = 0;
        int queries;
        scanf("%d", &queries);
        while (queries-- > 0) {
            int r1, c1, r2, c2;
            scanf("%d %d %d %d", &r1, &c1, &r2, &c2);
            bool yes = search.linked((r1 - 1) * search.columns + c1 - 1, (r2 - 1) * search.columns + c2 - 1);
            puts(yes ? "YES" : "NO");
        }
    }
}
