#!/usr/bin/env python3
"""Measures Rookery beside the managers of the field, in one run, in turn, and prints a table.

    bench.py --rookery target/release/rookery --engine target/release/null_engine [--reps 3] [--only CASE,…] [--json FILE]

Peers that are on the PATH take part: fastchess, c-chess-cli, cutechess-cli. `tests/bench/README.md` says what each case
is and what was found. Standard library only.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

TICKS = os.sysconf("SC_CLK_TCK")
LONG = 309  # plies of the null engine's long game
SHORT = 8  # and of its short one: the position comes a third time
TC = {"clock": "100+1", "fast": "1+0.01", "short": "0.2+0.002", "bullet": "0.1+0.001"}


class Case:
    """One row: what is played, and what is read off it."""

    def __init__(self, name, what, games, conc, engine, args=(), tc="100+1", nodes=None, pin=False, plies=None,
                 figures=(), hash_mb=None):
        self.__dict__.update(locals())


def cases(null, stockfish):
    found = [
        Case("moves-pinned", "null engine, 309-ply games, all on one core", 40, 1, null, pin=True, plies=LONG,
             figures=["moves/s"]),
        Case("moves-1", "null engine, 309-ply games", 40, 1, null, plies=LONG, figures=["moves/s", "cpu"]),
        Case("moves-2", "null engine, 309-ply games", 120, 2, null, plies=LONG, figures=["moves/s", "cpu", "rss"]),
        Case("infos-2", "null engine, 20 info lines a move", 80, 2, null, ["--info", "20"], plies=LONG,
             figures=["moves/s", "cpu"]),
        Case("games-2", "null engine, 8-ply games (the cost of a game)", 2000, 2, null, ["--shuffle"], plies=SHORT,
             figures=["games/s", "rss"]),
        Case("start", "two games of 8 plies (the cost of a run)", 2, 1, null, ["--shuffle"], plies=SHORT,
             figures=["wall"]),
        Case("clock-1", "engine that takes 10 to 11 ms by its own clock", 4, 1, null, ["--delay-us", "10000"], plies=LONG,
             figures=["charged", "gap"]),
        Case("clock-2", "engine that takes 10 to 11 ms by its own clock", 8, 2, null, ["--delay-us", "10000"], plies=LONG,
             figures=["charged"]),
    ]
    if stockfish:
        found += [
            Case("sf-nodes-1", "stockfish, nodes=1", 60, 1, stockfish, nodes=1, hash_mb=16, figures=["moves/s", "cpu"]),
            Case("sf-nodes-2", "stockfish, nodes=1", 120, 2, stockfish, nodes=1, hash_mb=16, figures=["moves/s", "cpu"]),
            Case("sf-1", "stockfish, 1+0.01", 6, 1, stockfish, tc=TC["fast"], hash_mb=16,
                 figures=["share", "cpu", "losses"]),
            Case("sf-2", "stockfish, 1+0.01", 12, 2, stockfish, tc=TC["fast"], hash_mb=16,
                 figures=["share", "cpu", "losses"]),
            Case("sf-short-2", "stockfish, 0.2+0.002", 60, 2, stockfish, tc=TC["short"], hash_mb=16,
                 figures=["games/s", "losses"]),
            Case("sf-bullet-2", "stockfish, 0.1+0.001", 100, 2, stockfish, tc=TC["bullet"], hash_mb=16,
                 figures=["games/s", "losses"]),
            Case("sf-bullet-4", "stockfish, 0.1+0.001, four games at once on two cores", 300, 4, stockfish,
                 tc=TC["bullet"], hash_mb=16, figures=["losses"]),
        ]
    return found


def spec(case, logs):
    lines = ['name = "bench"']
    for name in "AB":
        args = json.dumps(list(case.args) + (["--log", logs[name]] if logs else []))
        options = f"options = {{ Hash = {case.hash_mb} }}\n" if case.hash_mb else ""
        lines.append(f'[[engine]]\nname = "{name}"\nprogram = "{case.engine}"\nargs = {args}\n{options}')
    control = f"nodes={case.nodes}" if case.nodes else case.tc
    lines.append(f'[event]\nformat = {{ match = {{ pairs = {case.games // 2} }} }}\ntime-control = "{control}"\n'
                 f'openings = "start-position"\nconcurrency = {case.conc}')
    return "\n".join(lines) + "\n"


def command(manager, case, folder, logs):
    """The command, and the PGN that it leaves."""
    pgn = os.path.join(folder, "games.pgn")

    def engine_args(name):
        words = list(case.args) + (["--log", logs[name]] if logs else [])
        return " ".join(words)

    if manager == "rookery":
        path = os.path.join(folder, "spec.toml")
        with open(path, "w") as file:
            file.write(spec(case, logs))
        over = ["--oversubscribe"] if case.conc > 1 else []
        if logs:
            over.append("--no-sandbox")  # else the engine could not write its log
        return [OPTIONS.rookery, "run", path, "--output", os.path.join(folder, "out"), *over], os.path.join(
            folder, "out", "games.pgn")
    if manager == "fastchess":
        words = ["fastchess"]
        for name in "AB":
            words += ["-engine", f"cmd={case.engine}", f"name={name}"]
            if engine_args(name):
                words.append(f"args={engine_args(name)}")
        words += ["-each", f"nodes={case.nodes}" if case.nodes else f"tc={case.tc}"]
        if case.nodes:
            words.append("tc=inf")
        if case.hash_mb:
            words += [f"option.Hash={case.hash_mb}", "option.Threads=1"]
        return words + ["-rounds", str(case.games // 2), "-games", "2", "-repeat", "-concurrency", str(case.conc),
                        "-pgnout", f"file={pgn}"], pgn
    if manager == "cutechess-cli":
        words = ["cutechess-cli"]
        for name in "AB":
            words += ["-engine", f"cmd={case.engine}", f"name={name}"]
            words += [f"arg={word}" for word in engine_args(name).split()]
        words += ["-each", "proto=uci"] + ([f"nodes={case.nodes}", "tc=inf"] if case.nodes else [f"tc={case.tc}"])
        if case.hash_mb:
            words += [f"option.Hash={case.hash_mb}", "option.Threads=1"]
        return words + ["-rounds", str(case.games // 2), "-games", "2", "-repeat", "-concurrency", str(case.conc),
                        "-pgnout", pgn], pgn
    words = ["c-chess-cli", "-each", f"nodes={case.nodes}" if case.nodes else f"tc={case.tc}"]
    if case.hash_mb:
        words += [f"option.Hash={case.hash_mb}", "option.Threads=1"]
    for name in "AB":
        words += ["-engine", " ".join([f"cmd={case.engine}", engine_args(name)]).strip(), f"name={name}"]
    return words + ["-games", str(case.games), "-repeat", "-concurrency", str(case.conc), "-pgn", pgn, "3"], pgn


def stat(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def measure(words, folder, pin):
    """Runs a manager; its wall time, its own CPU and its engines', its peak memory."""
    if pin:
        words = ["taskset", "-c", "0", *words]
    before = os.times()
    began = time.monotonic()
    with open(os.path.join(folder, "output"), "w") as output:
        process = subprocess.Popen(words, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=folder)
    peak = 0
    while True:
        try:
            with open(f"/proc/{process.pid}/status") as file:
                match = re.search(r"VmHWM:\s+(\d+)", file.read())
            peak = max(peak, int(match[1]) if match else 0)
        except OSError:
            pass
        done = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if done is not None:
            break
        if time.monotonic() - began > OPTIONS.limit:
            process.kill()
        time.sleep(0.005)
    wall = time.monotonic() - began
    own = stat(process.pid)
    code = process.wait()
    after = os.times()
    children = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall": wall, "own": own, "engines": children - own, "rss": peak, "code": code}


def games_of(pgn):
    """Games, plies and time losses of a PGN."""
    try:
        with open(pgn, errors="replace") as file:
            text = file.read()
    except OSError:
        return 0, 0, 0
    plies = sum(int(n) for n in re.findall(r'^\[PlyCount "(\d+)"\]', text, re.M))
    losses = len(re.findall(r'^\[Termination "[^"]*time[^"]*"\]', text, re.M | re.I))
    losses = losses or len(re.findall(r"(?:loses|lost|forfeits?) on time|time forfeit|flag fell", text, re.I))
    return len(re.findall(r"^\[Result ", text, re.M)), plies, losses


RECORD = struct.Struct("<QQiiiiii")


def clock(logs, conc):
    """Charged − taken of each move, from the clocks that engines were told, and the gap between two moves; ms, µs."""
    moves = []
    for name, path in logs.items():
        with open(path, "rb") as file:
            raw = file.read()
        moves += [(name, *RECORD.unpack_from(raw, at)) for at in range(0, len(raw) - RECORD.size + 1, RECORD.size)]
    by_engine = {}
    for move in moves:
        by_engine.setdefault((move[0], move[8]), []).append(move)
    off, gaps = [], []
    for each in by_engine.values():
        each.sort(key=lambda move: move[1])
        for (_, go, best, wtime, btime, winc, binc, ply, _), (_, _, _, wnext, bnext, _, _, plynext, _) in zip(each, each[1:]):
            if plynext == ply + 2:
                charged = wtime + winc - wnext if ply % 2 == 0 else btime + binc - bnext
                off.append(charged - (best - go) / 1e6)
    if conc == 1:
        moves.sort(key=lambda move: move[1])
        gaps = [(b[1] - a[2]) / 1e3 for a, b in zip(moves, moves[1:]) if b[7] == a[7] + 1]
    return off, gaps


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def one(manager, case):
    """One run; its figures by name."""
    folder = tempfile.mkdtemp(prefix="bench-", dir=OPTIONS.scratch)
    logs = None
    if "charged" in case.figures:
        logs = {name: os.path.join(folder, f"{name}.bin") for name in "AB"}
    words, pgn = command(manager, case, folder, logs)
    run = measure(words, folder, case.pin)
    games, plies, losses = games_of(pgn)
    if run["code"] != 0 or games != case.games:
        with open(os.path.join(folder, "output"), errors="replace") as file:
            print(f"{manager} {case.name}: code {run['code']}, {games} of {case.games} games in {folder}\n"
                  + file.read()[-800:], file=sys.stderr)
        return None
    if case.plies:
        plies = case.plies * games
    figures = {
        "moves/s": plies / run["wall"],
        "games/s": games / run["wall"],
        "cpu": run["own"] / plies * 1e6,
        "share": run["engines"] / (run["wall"] * case.conc),
        "losses": losses,
        "wall": run["wall"],
        "rss": run["rss"] / 1024,
    }
    if logs:
        off, gaps = clock(logs, case.conc)
        figures["charged"] = statistics.mean(off)
        figures["charged-median"] = quantile([abs(x) for x in off], 0.5)
        figures["charged-999"] = quantile([abs(x) for x in off], 0.999)
        if gaps:
            figures["gap"] = quantile(gaps, 0.5)
            figures["gap-99"] = quantile(gaps, 0.99)
    shutil.rmtree(folder, ignore_errors=True)
    return figures


# Figure: its unit, whether more is better (None: no ratio), and what is shown beside it.
FIGURES = {
    "moves/s": ("moves/s", True),
    "games/s": ("games/s", True),
    "cpu": ("manager's CPU, ms per 1,000 moves", False),
    "share": ("share of the wall time that engines compute", True),
    "losses": ("time losses", None),
    "wall": ("s", False),
    "rss": ("peak memory, MB", None),
    "charged": ("charged − taken, mean, ms", None),
    "charged-median": ("|charged − taken|, median, ms", None),
    "charged-999": ("|charged − taken|, 99.9 %, ms", None),
    "gap": ("`bestmove` → next `go`, median, µs", False),
    "gap-99": ("`bestmove` → next `go`, 99 %, µs", False),
}
MORE = {"charged": ["charged", "charged-median", "charged-999"], "gap": ["gap", "gap-99"]}


def show(number):
    if number is None:
        return "–"
    if number == 0 or abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.3f}"


def table(all_cases, managers, runs):
    peers = managers[1:]
    head = ["case", "c", "figure", *managers, *[f"÷ {peer}" for peer in peers]]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for case in all_cases:
        for figure in [f for group in case.figures for f in MORE.get(group, [group])]:
            unit, more = FIGURES[figure]
            columns = {}
            for manager in managers:
                columns[manager] = [r[figure] if r and figure in r else None for r in runs.get((case.name, manager), [])]
            cells, ratios = [], []
            for manager in managers:
                values = [value for value in columns[manager] if value is not None]
                if figure == "losses":
                    cells.append(show(sum(values)) if values else "–")
                else:
                    cells.append(show(statistics.median(values)) if values else "–")
            for peer in peers:
                pairs = [(a, b) for a, b in zip(columns["rookery"], columns[peer]) if a is not None and b]
                ratios.append(f"{statistics.median(a / b for a, b in pairs):.2f}" if pairs and more is not None else "–")
            row = [case.what, str(case.conc), unit, *cells, *ratios]
            print("| " + " | ".join(row) + " |")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description="Rookery beside its peers.")
    parser.add_argument("--rookery", required=True)
    parser.add_argument("--engine", required=True, help="the null engine")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--only", default="", help="names of cases, with commas between")
    parser.add_argument("--managers", default="", help="only these peers, with commas between")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a run is ended")
    parser.add_argument("--json", help="all figures of all runs")
    OPTIONS = parser.parse_args()
    OPTIONS.rookery = os.path.abspath(OPTIONS.rookery)
    OPTIONS.scratch = tempfile.mkdtemp(prefix="rookery-bench-")
    stockfish = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if not stockfish:
        print("SKIP: no stockfish here: its rows are left out", file=sys.stderr)
    managers = ["rookery"]
    for peer in ("fastchess", "c-chess-cli", "cutechess-cli"):
        if OPTIONS.managers and peer not in OPTIONS.managers.split(","):
            continue
        if shutil.which(peer):
            managers.append(peer)
        else:
            print(f"SKIP: no {peer} on the PATH", file=sys.stderr)
    wanted = OPTIONS.only.split(",") if OPTIONS.only else None
    chosen = [c for c in cases(os.path.abspath(OPTIONS.engine), stockfish) if not wanted or c.name in wanted]
    runs = {}
    loads = []
    for rep in range(OPTIONS.reps):
        for case in chosen:
            for manager in managers:
                loads.append(os.getloadavg()[0])
                figures = one(manager, case)
                runs.setdefault((case.name, manager), []).append(figures)
                print(f"{rep + 1}/{OPTIONS.reps} {case.name} {manager}: "
                      + ("failed" if figures is None else " ".join(f"{k}={show(v)}" for k, v in figures.items())),
                      file=sys.stderr)
    table(chosen, managers, runs)
    print(f"\n{OPTIONS.reps} runs each, medians; load of the machine before each run {min(loads):.1f} to {max(loads):.1f}.")
    if OPTIONS.json:
        with open(OPTIONS.json, "w") as file:
            json.dump([{"case": c, "manager": m, "runs": r} for (c, m), r in runs.items()], file, indent=1)
    shutil.rmtree(OPTIONS.scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
