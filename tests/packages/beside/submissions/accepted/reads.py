import sys
from shared import twice
print(twice(int(open('table.txt').read())), *sys.argv[1:])
