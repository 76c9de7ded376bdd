#!/usr/bin/env python3
"""A CCP engine that plays what it is told to. It knows no rules.

Arguments: its answers in order, the last one again and again; `die` ends it, `wait` is no answer at all. `--declare=WORDS`
goes on its `protocol` line, `--silent` answers nothing to `ccp`, `--log=PATH` notes each line that it gets, `--string=WORDS`
is its string of conditional moves, given with its first answer. An answer `raw:…` is written as it stands, its escapes
made bytes.
"""
import sys

options = [a for a in sys.argv[1:] if a.startswith("--")]
answers = [a for a in sys.argv[1:] if not a.startswith("--")]
log = next((open(o[6:], "a") for o in options if o.startswith("--log=")), None)


string = next((o[9:] for o in options if o.startswith("--string=")), None)


def out(text):
    print(text, flush=True)


for line in sys.stdin:
    words = line.split()
    if log:
        log.write(line)
        log.flush()
    if not words:
        continue
    if words[0] == "ccp" and "--silent" not in options:
        out("id name Told")
        for option in options:
            if option.startswith("--declare="):
                out("protocol ccp 1 " + option[10:])
        out("ccpok")
    elif words[0] == "isready":
        out("readyok")
    elif words[0] == "go":
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer == "die":
            sys.exit(3)
        if answer.startswith("raw:"):
            sys.stdout.buffer.write(answer[4:].encode("latin1").decode("unicode_escape").encode("latin1") + b"\n")
            sys.stdout.buffer.flush()
        elif answer != "wait":
            if string is not None:
                out("conditional " + string)
                string = None
            out("info depth 1 score cp 5 nodes 1 pv " + answer)
            out("bestmove " + answer)
    elif words[0] == "quit":
        break
