#!/usr/bin/env python3
"""A UCI engine that plays legal moves, the same ones in the same position, and does one thing wrong in some games.
Unlike worker/tests/engines/fake.py it can play real engines, and needs python-chess for it.

Arguments are key=value:
  seed=N      which moves
  fault=WHAT  crash|hang|illegal|none|null|text|late|flood|stderr
  at=N        in the search from which this many moves of the game were played (default 8)
  in=N        only in every Nth opening, by its digest (default 1: in all)
  think=MS    thinks that long before each move
  mark=FILE   writes its process id to that file when a search begins
"""
import os
import sys
import threading
import time
import zlib

import chess

A = dict(a.split("=", 1) for a in sys.argv[1:])
SEED = A.get("seed", "1")
FAULT = A.get("fault")
AT = int(A.get("at", 8))
IN = int(A.get("in", 1))
SAYS = {"illegal": "a1a1", "none": "(none)", "null": "0000", "text": "resign"}
halt = threading.Event()


def out(text):
    os.write(1, text.encode() + b"\n")


def pick(board):
    """A move by the position alone, so that a game played again is the same game."""
    moves = sorted(move.uci() for move in board.legal_moves)
    return moves[zlib.crc32((SEED + board.fen()).encode()) % len(moves)]


def search(board, opening, words):
    if "mark" in A:
        with open(A["mark"] + ".new", "w") as mark:
            mark.write(str(os.getpid()))
        os.rename(A["mark"] + ".new", A["mark"])
    if "think" in A:
        halt.wait(int(A["think"]) / 1000)
    if FAULT and len(board.move_stack) >= AT and zlib.crc32(opening.encode()) % IN == 0:
        if FAULT == "crash":
            sys.stderr.write("assertion failed: mover.c:42\n")
            sys.stderr.flush()
            os._exit(3)
        if FAULT == "hang":
            time.sleep(3600)
        if FAULT == "late":
            mine = "wtime" if board.turn else "btime"
            time.sleep(int(words[words.index(mine) + 1]) / 1000 + 0.3)
        if FAULT == "flood":
            for n in range(20000):
                out("info depth 1 nodes %d score cp 1 string %s" % (n, "x" * 80))
        if FAULT == "stderr":
            os.write(2, b"noise\n" * 200000)
    move = pick(board)
    out("info depth 1 score cp 0 nodes 1 pv " + move)
    out("bestmove " + (SAYS.get(FAULT, move) if AT <= len(board.move_stack) and FAULT in SAYS else move))


def main():
    board, opening, thread, frc = chess.Board(), "", None, False
    for line in iter(sys.stdin.readline, ""):
        words = line.split()
        command = words[0] if words else ""
        if command == "uci":
            out("id name Mover\nid author the tests")
            out("option name Hash type spin default 16 min 1 max 64")
            out("option name UCI_Chess960 type check default false\nuciok")
        elif command == "isready":
            out("readyok")
        elif command == "setoption" and "UCI_Chess960" in words:
            frc = words[-1] == "true"
        elif command == "ucinewgame":
            opening = ""
        elif command == "position":
            end = words.index("moves") if "moves" in words else len(words)
            fen = chess.STARTING_FEN if words[1] == "startpos" else " ".join(words[2:end])
            board = chess.Board(fen, chess960=frc)
            for move in words[end + 1:]:
                board.push_uci(move)
            # What came before the first move of an engine; its first search may be a ply later.
            opening = opening or fen + " ".join(words[end + 1:][:len(words[end + 1:]) // 2 * 2])
        elif command == "go":
            halt.clear()
            thread = threading.Thread(target=search, args=(board.copy(), opening, words), daemon=True)
            thread.start()
        elif command == "stop":
            halt.set()
        elif command == "quit":
            os._exit(0)


main()
