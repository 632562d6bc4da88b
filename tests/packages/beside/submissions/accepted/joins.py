import sys
import shared
print(' '.join([str(shared.twice(int(open('table.txt').readline())))] + sys.argv[1:]))
