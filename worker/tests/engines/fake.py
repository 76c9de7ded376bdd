#!/usr/bin/env python3
"""A UCI engine that does one thing wrong. It answers by the ply with four knight moves that go to and fro, so that a
game of two of them is a draw by repetition after eight plies.

Arguments are key=value:
  die=STAGE, hang=STAGE   STAGE: start, uci, ready, newgame (the second one of this process), go, draw, aftermove
  how=exit|segv|kill|term|abort|eof  how it dies (exit: code 3)
  at=N                    the ply from which a fault at `go` happens (default 2)
  once=PATH               the fault happens only while PATH does not exist; it is made then
  say=TEXT                answers `bestmove TEXT` ("bestmove" alone: say=)
  twice=1                 answers twice
  after=SECONDS           answers that much after its clock has run out, deaf to `stop`
  think=SECONDS           thinks that long
  stop=PID                stops that process, answers, and lets it go on when its own clock has run out by half a second
  for=SECONDS             so long instead
  info=N, pv=TEXT         N info lines a move, with that pv
  flood=BYTES             that much of info lines before the answer
  line=BYTES              one line of that length before the answer
  stderr=BYTES            that much on stderr before uciok and each answer
  partial=SECONDS         writes each line in four pieces with pauses
  odd=1                   blanks, tabs, CRLF, banners, empty lines, bytes that are not UTF-8
  bounds=1                ends with bounds after an exact score of 12
  deaf=1                  does not heed quit, SIGTERM or the end of its input
  early=1                 answers `go ponder` at once
  nopingpong=1            never answers `stop`
  child=PATH              starts a child that sleeps and notes its process id in PATH
  stray=1                 that child is in a session of its own
  endless=1               counts nodes for ever, until `stop`
  memory=BYTES            writes to that much memory before the answer, then thinks for ever
  cond=N                  gives N pairs of conditional moves with each move, as it and its like will play them
  word=TEXT               says them so; default `info string conditional`
  offer=N                 offers a draw with its move at ply N
  accept=N                takes a draw that is offered to it at ply N
  declare=NAME            declares a check option of that name
  log=PATH                notes each line that it gets
"""
import os
import select
import signal
import subprocess
import sys
import time

A = dict(a.split("=", 1) for a in sys.argv[1:])
MOVES = ["g1f3", "g8f6", "f3g1", "f6g8"]
AT = int(A.get("at", 2))


def raw(data):
    while data:
        data = data[os.write(1, data):]


def out(text):
    data = text.encode() + b"\n"
    if "odd" in A:
        data = b" \t" + data.replace(b" ", b" \t ")[:-1] + b" \t\r\n"
    if "partial" in A:
        k = len(data) // 4 + 1
        for i in range(0, len(data), k):
            raw(data[i:i + k])
            time.sleep(float(A["partial"]))
    else:
        raw(data)


def armed():
    path = A.get("once")
    if path is None:
        return True
    if os.path.exists(path):
        return False
    open(path, "w").close()
    return True


def stage(name):
    if A.get("die") == name and armed():
        sys.stderr.write("assertion failed at %s\n" % name)
        sys.stderr.flush()
        how = A.get("how", "exit")
        if how == "segv":
            os.kill(os.getpid(), signal.SIGSEGV)
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "term":
            os.kill(os.getpid(), signal.SIGTERM)
        if how == "abort":
            os.abort()
        if how == "eof":
            os.close(1)
            time.sleep(600)
        os._exit(3)
    if A.get("hang") == name and armed():
        while True:
            time.sleep(600)


def spam():
    n = int(A.get("stderr", 0))
    if n:
        data = (b"x" * 63 + b"\n") * (n // 64)
        while data:
            data = data[os.write(2, data):]


def left(words, ply):
    key = "wtime" if ply % 2 == 0 else "btime"
    if key in words:
        return int(words[words.index(key) + 1]) / 1000
    if "movetime" in words:
        return int(words[words.index("movetime") + 1]) / 1000
    return 0.0


def answer(words, ply):
    spam()
    if ply >= AT:
        if A.get("die") == "go":
            raw(b"info depth 1 score cp 13 pv")
        stage("go")
    move = MOVES[ply % 4]
    if "think" in A:
        time.sleep(float(A["think"]))
    if ply >= AT and "after" in A and armed():
        time.sleep(left(words, ply) + float(A["after"]))
    for i in range(int(A.get("info", 1))):
        out("info depth %d seldepth 9 score cp %d nodes 100 tbhits 3 time 1 pv %s" % (i + 1, 12, A.get("pv", move)))
    if "bounds" in A:
        out("info depth 20 score cp -2500 upperbound nodes 200 pv " + move)
        out("info depth 20 score mate 9 lowerbound nodes 300 pv " + move)
        out("info depth 21 multipv 2 score cp 900 pv " + move)
        out("info string score cp 800")
    if ply >= AT:
        if "endless" in A:
            nodes = 0
            while not select.select([0], [], [], 0.01)[0]:
                nodes += 100000
                out("info time 1 nodes %d nps 100" % nodes)
            sys.stdin.readline()
        if "memory" in A:
            taken = bytearray(int(A["memory"]))
            for i in range(0, len(taken), 4096):
                taken[i] = 1
            time.sleep(600)
        if "flood" in A:
            chunk = b"info depth 5 score cp 7 nodes 5 pv e2e4 e7e5 g1f3 b8c6 f1b5\n" * 1000
            for _ in range(int(A["flood"]) // len(chunk)):
                raw(chunk)
        if "line" in A:
            raw(b"info string ")
            for _ in range(int(A["line"]) // 65536):
                raw(b"z" * 65536)
            raw(b"\n")
        if "say" in A and armed():
            move = A["say"]
    stops = ply >= AT and "stop" in A and armed()
    if stops:
        os.kill(int(A["stop"]), signal.SIGSTOP)
    if "twice" in A:
        # In one write: between two, a busy machine might let the next `go` in.
        raw(("bestmove %s\nbestmove a1a1\n" % move).encode())
    else:
        if "cond" in A:
            line = [MOVES[(ply + 1 + i) % 4] for i in range(2 * int(A["cond"]))]
            out(A.get("word", "info string conditional") + " " + " ".join(line))
        if A.get("offer") == str(ply):
            out("info string offer draw" if ply % 2 else "offer draw")
        out(("bestmove " + move).rstrip())
    if stops:
        time.sleep(float(A["for"]) if "for" in A else left(words, ply) + 0.5)
        os.kill(int(A["stop"]), signal.SIGCONT)
    if "odd" in A:
        raw(b"\ndone \xff\xfe in 3 ms\n\n")
    if ply >= AT:
        stage("aftermove")


def main():
    if "deaf" in A:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "child" in A:
        child = subprocess.Popen(["sleep", "600"], start_new_session="stray" in A)
        with open(A["child"], "w") as f:
            f.write("%d %d" % (os.getpid(), child.pid))
    stage("start")
    if "odd" in A:
        raw(b"Fake 1.0 (c) nobody\n\n\xff\xfe\xfd\n")
    games, ply, moves, pondering, offered = 0, 0, [], None, False
    for line in iter(sys.stdin.readline, ""):
        if "log" in A:
            with open(A["log"], "a") as f:
                f.write(line)
        words = line.split()
        if not words:
            continue
        if words[0] == "uci":
            spam()
            stage("uci")
            out("id name Fake  One")
            out("id author nobody")
            out("option name Hash type spin default 16 min 1 max 1024")
            out("option name Threads type spin default 1 min 1 max 8")
            out("option name Book File type string default <empty>")
            out("option name Style type combo default Very Solid var Very Solid var Risky Play")
            out("option name Ponder type check default false")
            if "declare" in A:
                out("option name %s type check default false" % A["declare"])
            out("option name Odd type slider default 4")
            if "odd" in A:
                for i in range(200):
                    out("p%d,int,%d,0,100" % (i, i))
            out("uciok")
        elif words[0] == "isready":
            stage("ready")
            if offered and A.get("accept") == str(ply):
                out("offer draw")
            offered = False
            out("readyok")
        elif words[0] == "ucinewgame":
            games += 1
            if games > 1:
                stage("newgame")
        elif words[0] == "position":
            moves = words[words.index("moves") + 1:] if "moves" in words else []
            ply = len(moves)
        elif words[0] == "draw":
            stage("draw")
            offered = True
        elif words[0] == "go":
            if offered and A.get("accept") == str(ply):
                out("info string offer draw" if ply % 2 else "offer draw")
                offered = False
                continue
            if "ponder" in words and "early" not in A:
                pondering = words
            else:
                answer(words, ply)
        elif words[0] in ("ponderhit", "stop") and pondering and not (words[0] == "stop" and "nopingpong" in A):
            answer(pondering, ply)
            pondering = None
        elif words[0] == "quit" and "deaf" not in A:
            return
    while "deaf" in A:
        time.sleep(600)


main()
