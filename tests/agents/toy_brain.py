"""A program that speaks just enough of the Gomocup protocol, or fails at it."""

import subprocess
import sys
import time

FAULT = sys.argv[1]


def answer(size, stones):
    if FAULT == "exit":
        sys.exit("out of ideas")
    if FAULT == "hang":
        time.sleep(1000)
    if FAULT == "nonsense":
        return "I resign"
    if FAULT == "occupied":
        return stones[0]
    free = [f"{x},{y}" for y in range(size) for x in range(size)]
    move = next(point for point in free if point not in stones)
    stones.append(move)
    return f"DEBUG deep\nMESSAGE {move}?\n\n{move}"


def main():
    if FAULT == "child":
        subprocess.Popen(["sleep", "1000"])
    stones, size = [], 0
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        if command == "START" and FAULT != "mute":
            size = int(rest)
            print("ERROR too small" if FAULT == "refuse" else "OK", flush=True)
        elif command == "RESTART":
            stones.clear()
            print("OK", flush=True)
        elif command in ("BEGIN", "TURN", "BOARD"):
            while (
                command == "BOARD" and (line := sys.stdin.readline().strip()) != "DONE"
            ):
                stones.append(line.rpartition(",")[0])
            stones += [rest] * (command == "TURN")
            said = answer(size, stones)
            if FAULT == "suggest" and "," in said:
                print("SUGGEST", said.split("\n")[-1], flush=True)
            else:
                print(said, flush=True)
        elif command == "PLAY":
            print(rest, flush=True)


main()
