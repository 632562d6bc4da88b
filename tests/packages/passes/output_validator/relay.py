import sys

feedback = sys.argv[3]
open(feedback + "judgemessage.txt", "a").write("pass\n")
number = int(sys.stdin.read())
if number != open(feedback + "judgemessage.txt").read().count("pass"):
    sys.exit(43)
if number < 3:
    open(feedback + "nextpass.in", "w").write(f"{number}\n")
sys.exit(42)
