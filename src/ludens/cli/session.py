"""A session of training at the terminal: what is said before, meanwhile and after."""

import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace

from ludens.cli.outcome import more_command, outcome, outcome_lines
from ludens.cli.pace import Pace, budget_words
from ludens.cli.screen import play_command, print_facts
from ludens.cli.stopping import Stopping
from ludens.cli.watching import (
    Counting,
    JsonLines,
    Lines,
    LiveLines,
    Log,
    Several,
    Tidying,
    Warnings,
    print_event,
)
from ludens.cluster.hands import Cluster
from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.formats.strict import to_json
from ludens.formats.words import plural
from ludens.infer.evaluator import choose_device
from ludens.loading.game import Game
from ludens.log import is_said
from ludens.nets.config import fit
from ludens.nets.shapes import describe
from ludens.store.origin import origin_words
from ludens.store.run import Run
from ludens.training.config import Config
from ludens.training.evaluate import Place
from ludens.training.loop import Training
from ludens.training.progress import Silent, Spent, Watcher, share_spent, steps_taken
from ludens.training.records import Records


@dataclass
class Session:
    """One session of a run that is open for writing."""

    game: Game
    run: Run
    config: Config
    place: Place
    name: str
    """What the user called the run; empty if it has the usual name."""
    cluster: Cluster | None = None
    is_quiet: bool = False
    is_json: bool = False

    def __post_init__(self) -> None:
        threads = self.config.selfplay.threads or num_cores()
        self.place = replace(self.place, threads=threads)
        self._pace = Pace(self.config.budget, _spent_by(self.run))

    def train(self, track: str, records: Records | None = None) -> int:
        """Train until the budget is spent or a signal comes; return the exit code."""
        with Stopping(self._stopped) as stopping:
            try:
                self._train(track, records, stopping)
                if not stopping.should_stop():
                    self._tell_outcome()
            except UserError as error:
                self.run.log(str(error), "error")
                raise
            except KeyboardInterrupt:
                assert stopping.should_stop()
            if not stopping.should_stop():
                return 0
            self.run.log("stopped")
            print(self._stopped(), flush=True)
            return stopping.code

    def _train(self, track: str, records: Records | None, stopping: Stopping) -> None:
        self._tell_beginning(track)
        if (share_spent(self.config.budget, self._pace.spent) or 0.0) >= 1:
            self._tell_spent()
            return
        with ExitStack() as stack:
            watcher = self._watch(track, stack)
            training = Training(
                self.game,
                self.config,
                self.run,
                watcher,
                self.place,
                stopping.should_stop,
                self.cluster,
            )
            with stopping.patience():
                if records is not None:
                    training.learn_from_records(records)
                training.train()

    def _watch(self, track: str, stack: ExitStack) -> Watcher:
        """Return all who watch; what they hold open is closed with the stack."""
        told = Several([Log(self.run, self._pace), self._display(stack)])
        tidying = stack.enter_context(Tidying())
        watchers: list[Watcher] = [Counting(self._pace), tidying, told]
        if track:
            from ludens.track.sinks import make_sinks

            for sink in make_sinks(track, self.run, self.config, told.warn, self.game):
                stack.callback(sink.close)
                watchers.append(sink)
        return Several(watchers)

    def _display(self, stack: ExitStack) -> Watcher:
        if self.is_quiet:
            return Silent()
        if self.is_json:
            return JsonLines()
        if not is_said("info"):
            return Warnings()
        if sys.stdout.isatty():
            return stack.enter_context(LiveLines(self._pace))
        return Lines(self._pace)

    def _tell_beginning(self, track: str) -> None:
        """Say what is trained, where and how, and what opens each sink."""
        facts, opening = self._beginning(), _opening_lines(track, self.run)
        lines = [*facts.items(), *(("track", line) for line in opening)]
        words = "; ".join(f"{title} {text}" for title, text in lines)
        self.run.log(f"session: {words}")
        if self.is_quiet or not (self.is_json or is_said("info")):
            return
        if self.is_json:
            print_event("start", facts | ({"track": opening} if opening else {}))
        else:
            print_facts(lines)

    def _beginning(self) -> dict[str, str]:
        config, newest = self.config, self.run.newest_iteration
        age = f"it goes on after iteration {newest}" if newest else "new"
        origin = origin_words(self.run.facts())
        return {
            "game": self.game.spec,
            "run": f"{self.run.folder} ({age})",
            **({"from": origin} if origin else {}),
            "net": describe(*fit(config.net, self.game)),
            "preset": config.preset,
            "budget": budget_words(config.budget),
            "device": self._places(),
        }

    def _places(self) -> str:
        """Say where networks run, and where they learn if that is elsewhere."""
        learn = self.config.learn
        places = (
            self.place.on(self.config.selfplay.device),
            self.place.on(learn.device, learn.threads),
        )
        plays, learns = (
            f"{choose_device(place.device)}, {plural(place.threads, 'thread')}"
            for place in places
        )
        return plays if plays == learns else f"{plays}; learning on {learns}"

    def _tell_spent(self) -> None:
        """Say that there is nothing left to do, and how there can be."""
        budget = budget_words(self.config.budget)
        more = more_command(self.game, self.name, self._pace)
        line = f"the budget of {budget} is spent; to go on, raise it: {more}"
        if self.is_json:
            print_event("note", {"text": line})
        elif not self.is_quiet:
            print(line, flush=True)

    def _tell_outcome(self) -> None:
        """Print the result of the run, and what can be done with it now."""
        place = self.place.on(self.config.selfplay.device)
        facts = outcome(self.game, self.run, self.config, place)
        play = play_command(
            self.game.spec, self.game.num_players, self.name or self.run.name
        )
        more = more_command(self.game, self.name, self._pace)
        if self.is_json:
            print_event("result", facts | {"play": play, "more": more})
            return
        lines = list(outcome_lines(facts))
        for line in lines:
            self.run.log(line)
        results = [("result", line) for line in lines]
        print_facts([*results, ("play", play), ("go on", more)])

    def _stopped(self) -> str:
        """Return the last words of a session that was stopped."""
        kept = self._pace.spent.iterations
        if self.is_json:
            return to_json({"event": "stopped", "iterations": kept})
        verb = "is" if kept == 1 else "are"
        words = f"{plural(kept, 'iteration')} {verb} kept"
        return f"stopped; {words}; the same command goes on"


def _opening_lines(track: str, run: Run) -> list[str]:
    """Return what opens each sink, none without a sink."""
    if not track:
        return []
    from ludens.track.sinks import opening_lines

    return opening_lines(track, run)


def _spent_by(run: Run) -> Spent:
    """Return what a run has had so far."""
    totals = run.totals()
    played, iterations = (totals.games, totals.positions), run.newest_iteration or 0
    return Spent(totals.seconds / 60, *played, iterations, steps_taken(run.metrics()))
