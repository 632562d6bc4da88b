from shared import twice
print(twice(int(open('table.txt').read())), 'one')
