"""The training loop: play, commit, learn, examine, commit."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import count
from typing import Any

from ludens.arena.exams import make_truth
from ludens.cluster.hands import Cluster
from ludens.cluster.matches import Spreading
from ludens.errors import UserError
from ludens.files import Tensors, check_plain
from ludens.infer.ranges import with_ranges
from ludens.learn.learner import Learner
from ludens.learn.losses import TrainingFailed, why_absurd
from ludens.learn.window import Window, capacity
from ludens.loading.game import Game
from ludens.nets.weights import Net, load_net, new_net
from ludens.rng import numpy_rng
from ludens.solver.graded import Truth, load_truth, save_truth
from ludens.store.checkpoints import Keeps
from ludens.store.moment import Moment, Pulse, forget_now, write_now
from ludens.store.origin import read_origin
from ludens.store.reading import Pending
from ludens.store.run import Run
from ludens.store.stage import forget_stage, write_stage
from ludens.store.verifying import TRUTH_FILE
from ludens.training.config import Config
from ludens.training.evaluate import Examiner, Place, play_config, play_settings
from ludens.training.origin import say_graft, take_weights
from ludens.training.playing import Plan, SelfPlay
from ludens.training.progress import History, Spent, Watcher, share_spent
from ludens.training.reanalyse import choose_games, search_again
from ludens.training.records import Records, pretrain, split_records
from ludens.training.resuming import (
    catch_up,
    check_learner,
    pack,
    take_up,
    unfinished_games,
)
from ludens.training.trial import clipped_share, warm_up, why_clipped
from ludens.training.waiting import keep

Metrics = dict[str, Any]
NUM_CHECKED = 256
"""Positions on which a new net must make sense."""
NUM_IMAGINED = 4
"""Batches by which a learned model is compared with what was played."""
MOST_POINTS = 50
"""Steps of learning that are told at a time."""
MAX_ABSURD = 3
"""Nets in a row; after each, learning goes back, and one more ends the training."""
ABSURD = "absurd_in_a_row"


class Stopped(Exception):
    """Somebody wants the training to stop; what is committed stays."""


class Training:
    """One session of a run; what it does next follows from what the run has kept."""

    def __init__(
        self,
        game: Game,
        config: Config,
        run: Run,
        watcher: Watcher,
        place: Place,
        should_stop: Callable[[], bool] = lambda: False,
        cluster: Cluster | None = None,
    ) -> None:
        self.game = game
        self.config = config
        self.run = run
        self.watcher = watcher
        self.should_stop = should_stop
        self.cluster = cluster
        place = replace(place, threads=config.selfplay.num_threads)
        self.place = place.on(config.selfplay.device)
        self._learns_at = place.on(config.learn.device, config.learn.threads)
        run.on_damage = watcher.warn
        run.keeps = Keeps(**asdict(config.keep))
        if cluster is not None:
            cluster.tell(watcher.say)
        self.truth = self._truth()
        self._history = History(run.metrics())
        self._pulse = Pulse(self._tell_moment)
        self._selfplay = SelfPlay(
            game,
            self.place,
            watcher,
            self._pulse,
            should_stop,
            cluster,
            partial(write_stage, run.folder),
        )
        self._examiner = Examiner(
            game,
            config.evaluate,
            play_config(game, config.search, config.evaluate.sims),
            self.truth,
            config.seed,
            self.place,
            should_stop,
            None if cluster is None else Spreading(cluster),
        )
        self._resume()
        warm_up(game, config)

    def _truth(self) -> Truth:
        """Return the solved positions of the run, made at its start."""
        path = self.run.folder / TRUTH_FILE
        if path.exists():
            try:
                check_plain(path)
                return load_truth(self.game, path)
            except UserError as error:
                self.watcher.warn(f"{error}; it is made anew")
        wish = self.config.evaluate
        count = 0 if self.game.environment else wish.solved_positions
        if count:
            self.watcher.say(f"solving {count} positions to measure by")
        truth = make_truth(
            self.game,
            count,
            self.config.seed,
            wish.solving_seconds,
            threads=self.place.threads,
        )
        if truth.note:
            self.watcher.say(truth.note)
        self._keep(lambda: save_truth(truth, self.game, path))
        return truth

    def _resume(self) -> None:
        """Take up what the run has kept, or begin."""
        checkpoint = self.run.last()
        config = self.config
        search = play_settings(self.game, config.search)
        net = new_net(
            self.game, config.net, config.seed, run=self.run.name, search=search
        )
        if checkpoint is None or checkpoint.net is None:
            net = self._with_origin(net)
        self._learner = self._learner_of(net)
        self._window = Window(self.game, config.replay, self.truth.states)
        self._player = net
        self.iteration = self.run.newest_iteration or 0
        if checkpoint is None:
            tensors = pack(self._learner, self._window)
            self._keep(lambda: self._commit_net(0, net, tensors, {}))
        else:
            for note in checkpoint.notes:
                self.watcher.warn(note)
            if checkpoint.notes and checkpoint.tensors is not None:
                self.watcher.warn(f"checkpoint {checkpoint.iteration} is used instead")
            self._player = checkpoint.net or net
            self._restore(checkpoint.tensors)
        self._before = self._net_before() if config.cluster.lag else self._player

    def _with_origin(self, net: Net) -> Net:
        """Return a new net with the weights that the run is to begin with."""
        origin = read_origin(self.run.folder, self.run.facts())
        if origin is None:
            return net
        found = take_weights(net, origin, self.game)
        say_graft(found, origin, self.watcher.say)
        return found.net

    def _net_before(self) -> Net:
        """Return the net that played before the newest iteration was learned."""
        nets = self.run.nets(range(self.iteration))
        try:
            return load_net(nets[max(nets)]) if nets else self._player
        except UserError as error:
            self.watcher.warn(
                f"the newest net plays in place of the one before: {error}"
            )
            return self._player

    def _learner_of(self, net: Net) -> Learner:
        place = self._learns_at
        return Learner(net, self.config.learn, place.device, place.threads)

    def _restore(self, tensors: Any) -> None:
        """Set the learner and the window to what a checkpoint says."""
        if tensors is None:
            room = capacity(self.config.replay, self.run.totals().positions)
            self.watcher.warn("the learner begins anew with the newest net")
            self._learner = self._learner_of(self._player)
            self._window.add(list(self.run.last_games(room)))
            return
        take_up(self._learner, self._window, self.run, tensors)

    def spent(self, until: int | None = None) -> Spent:
        """Return what the complete iterations of the run have had, until one."""
        newest = self.iteration if until is None else min(max(until, 0), self.iteration)
        totals = self.run.totals(newest)
        played = totals.games, totals.positions
        steps = self._history.steps_until(newest)
        return Spent(totals.seconds / 60, *played, newest, steps)

    def share_spent(self) -> float | None:
        """Return the share of the budget that is spent; None if there is no limit."""
        return share_spent(self.config.budget, self.spent())

    def train(self) -> None:
        """Go on until the budget is spent or somebody wants it to stop."""
        try:
            while (self.share_spent() or 0.0) < 1.0:
                self._iterate()
        except Stopped:
            return
        finally:
            self._selfplay.stop()
            forget_now(self.run.folder)
            forget_stage(self.run.folder)

    def _tell_moment(self, moment: Moment) -> None:
        """Tell how an iteration stands to those who watch, here and on the page."""
        write_now(self.run.folder, moment)
        self.watcher.moment(moment)

    def _iterate(self) -> None:
        """Do the next iteration, or what is left of it if its games are there."""
        self._heed_stop()
        pending = self.run.pending() or self._play()
        self._play_ahead(pending)
        began = time.perf_counter()
        learned = self._learn_soundly(lambda: self._learn(pending))
        net, verdict = self._publish(pending.number, self._window)
        played = pending.metrics
        seconds = played.get("seconds_waited", played.get("seconds_selfplay", 0.0))
        seconds += time.perf_counter() - began
        is_last = self._ends_with(pending, seconds)
        examined = self._examine(pending.number, net or self._player, is_last)
        metrics = pending.metrics | learned | verdict | examined
        metrics["window"] = self._window.num_positions
        metrics["seconds"] = seconds + examined.get("seconds_evaluate", 0.0)
        self._commit(pending.number, net, metrics)

    def _keep(self, write: Callable[[], None]) -> None:
        """Write something, if need be when there is room again."""
        keep(write, self.run, self.watcher.warn, self._heed_stop)

    def _heed_stop(self) -> None:
        """End the training if somebody wants it to."""
        if self.should_stop():
            raise Stopped

    def _learn_soundly(self, learn: Callable[[], Metrics]) -> Metrics:
        """Learn; a spoiled learner goes back to the last good state and tries again.

        A fault of the machine is undone by that, to the last bit; what the settings or
        the games bring about comes again and ends the training.
        """
        try:
            metrics = learn()
            check_learner(self._learner)
        except TrainingFailed as failure:
            self._go_back(failure.why)
            metrics = learn()
            check_learner(self._learner)
        return metrics

    def _go_back(self, why: str) -> None:
        """Take up the last good state, as a new session would."""
        self.watcher.warn(f"{why}: learning goes back to the last good state")
        self._resume()

    def _commit(self, iteration: int, net: Net | None, metrics: Metrics) -> None:
        """Keep what an iteration has learned, then go on from it.

        Of a learner whose net is absurd nothing is kept.
        """
        is_absurd = ABSURD in metrics
        tensors = None if is_absurd else pack(self._learner, self._window)
        self._keep(lambda: self._commit_net(iteration, net, tensors, metrics))
        self.iteration = iteration
        self._before, self._player = self._player, net or self._player
        self._history.add({"iteration": iteration, **metrics})
        self.watcher.iteration(self._history.newest)
        if is_absurd:
            why = f"{metrics[ABSURD]} nets in a row were absurd"
            if metrics[ABSURD] > MAX_ABSURD:
                raise TrainingFailed(why)
            self._go_back(why)

    def _commit_net(
        self, iteration: int, net: Net | None, tensors: Tensors | None, metrics: Metrics
    ) -> None:
        """Commit a net once: a try that was refused in the end may have done it."""
        if self.run.newest_iteration in (None, self.iteration):
            self.run.commit_net(iteration, net, tensors, metrics)

    def learn_from_records(self, records: Records) -> None:
        """Learn from other people's games, if the run has not begun to play yet."""
        if self.iteration > 0 or self.run.pending():
            self.watcher.say(
                "the run has begun already; it does not go through the records again"
            )
            return
        with suppress(Stopped):
            self._pretrain(records)

    def _pretrain(self, records: Records) -> None:
        """Make an iteration of other people's games."""
        config, say, seed = self.config, self.watcher.say, self.config.seed
        share, held_out = config.learn.records_validation, self.truth.states
        data = split_records(records, config.replay, held_out, share, seed, say)
        epochs = config.learn.records_epochs
        began = time.perf_counter()
        metrics = self._learn_soundly(
            lambda: pretrain(self._learner, data, epochs, seed, say, self.should_stop)
        )
        self._heed_stop()
        net, verdict = self._publish(1, data.validation)
        metrics |= verdict | self._examine(1, net or self._player)
        metrics["seconds"] = time.perf_counter() - began
        self._commit(1, net, metrics)

    def _play(self) -> Pending:
        """Play the games of the next iteration, or wait for them, and keep them."""
        before, net = self._history.newest, self._player
        is_known = before.get("iteration") == self.iteration
        first = before.get("next_number") if is_known else None
        if first is None:  # nothing was played yet, or the metrics are damaged
            first = self.run.next_number
        elif self.config.cluster.lag:
            net = self._before
        number = self.iteration + 1
        brought = self._selfplay.play(self._plan(number, net, int(first)))
        self._heed_stop()
        if brought is None:
            raise Stopped
        played, metrics, workers = brought.played, brought.metrics, brought.workers
        if played.tally.dropped:
            self.watcher.warn(
                f"{self.game.spec} did not do the same again, so games were begun anew:"
                " the run goes on, but not to the same bytes"
            )
        kept = (number, played.games, played.unfinished, metrics, workers)
        self._keep(lambda: self.run.commit_games(*kept))
        pending = self.run.pending()
        assert pending is not None
        return pending

    def _play_ahead(self, pending: Pending) -> None:
        """Let a cluster play the iteration after one that is now learned."""
        first = pending.metrics.get("next_number")
        is_wanted = self.config.cluster.lag > 0 and not self._ends_with(pending, 0.0)
        if self.cluster is not None and first is not None and is_wanted:
            plan = self._plan(pending.number + 1, self._player, int(first))
            self._selfplay.begin(plan)

    def _plan(self, number: int, net: Net, first_game: int) -> Plan:
        """Return all that decides the games of an iteration.

        With a lag of 1 it must not depend on the iteration before, which is learned
        meanwhile.
        """
        config = self.config
        spent = self.spent(number - 1 - config.cluster.lag)
        progress = share_spent(config.budget, spent) or 0.0
        unfinished = unfinished_games(self.game, config.replay, self.run)
        begun = sum(game.num_positions for game in unfinished)
        return Plan(
            number,
            net,
            config.search,
            config.selfplay.at(progress),
            config.seed,
            first_game,
            unfinished,
            self.run.totals().positions + begun,
        )

    def _learn(self, pending: Pending) -> Metrics:
        """Learn from the window, once the games of the run are in it."""
        config, progress = self.config, self.share_spent()
        catch_up(self._window, self.run)
        if self._window.num_samples == 0:
            return {}
        if config.replay.reanalyse:
            self._reanalyse(pending)
        if clipped := why_clipped(self._window.build(), config.net):
            self.watcher.warn(clipped)
        steps = self._num_steps(pending)
        rng = numpy_rng(config.seed, "learn", pending.number)
        start = config.replay.importance_start
        importance = start + (1 - start) * (progress or 0.0)
        metrics = self._learner.learn(
            self._window,
            steps,
            rng,
            progress,
            importance,
            self._step_watcher(pending.number, steps),
        )
        self._heed_stop()
        metrics["seconds_learn"] = metrics.pop("seconds")
        if config.replay.prioritised:
            metrics["importance"] = importance
        return metrics | {
            "merged_share": self._window.merged_share,
            "clipped_share": clipped_share(self._window.build(), config.net),
        }

    def _num_steps(self, pending: Pending) -> int:
        """Return the steps that an iteration is learned in, within the budget."""
        learn, most = self.config.learn, self.config.budget.steps
        steps = max(1, round(pending.positions * learn.uses / learn.batch_size))
        return min(steps, max(1, most - self.spent().steps)) if most else steps

    def _reanalyse(self, pending: Pending) -> None:
        """Search games of the window again with the newest net."""
        config, window = self.config, self._window
        wanted = round(config.replay.reanalyse * pending.positions)
        numbers = choose_games(window, wanted, config.seed, pending.number)
        if not numbers:  # no episode ended
            return
        known = {one.number: one for one in self.run.games(min(numbers))}
        games = [known[number] for number in numbers if number in known]
        self.watcher.progress("reanalyse", 0, 1, "")
        think = self._selfplay.thinker(self._player, config.search, config.selfplay)
        states = window.positions_of({one.number for one in games})
        renewed = search_again(games, states, pending.number, think)
        self._heed_stop()
        window.renew(renewed)

    def _step_watcher(self, iteration: int, steps: int) -> Callable[[], bool]:
        """Return what a learner asks after each step; it tells the progress, too."""
        done, learner = count(1), self._learner
        self.watcher.progress("learn", 0, steps, "")

        def should_stop() -> bool:
            number, taken = next(done), learner.taken
            self.watcher.progress("learn", number, steps, "")
            self._pulse.beat(
                iteration,
                "learn",
                learner.num_steps,
                lambda: taken.newest() | {"queue": steps - number},
                lambda: taken.points(learner.num_steps, MOST_POINTS),
                is_last=number == steps,
            )
            return self.should_stop()

        return should_stop

    def _publish(self, iteration: int, window: Window) -> tuple[Net | None, Metrics]:
        """Return the new net if it may play, and what was found out about it."""
        net = self._learner.ema_net(iteration)
        rng = numpy_rng(self.config.seed, "sanity", iteration)
        if window.num_samples == 0:
            return None, {}
        planes = window.sample(NUM_CHECKED, rng).planes
        reason = why_absurd(net, planes)
        if reason:
            self.watcher.warn(f"net {iteration} is not published: {reason}")
            before = self._history.newest.get(ABSURD, 0)
            return None, {"published": False, ABSURD: before + 1}
        net = with_ranges(net, planes)
        if not self.config.evaluate.gate or self.game.num_players == 1:
            return net, {"published": True}
        self.watcher.progress("gate", 0, 1, "")
        passes, share = self._examiner.passes(net, self._player, iteration)
        self._heed_stop()
        return net if passes else None, {"published": passes, "gate_score": share}

    def _ends_with(self, pending: Pending, seconds: float) -> bool:
        """Tell whether an iteration that took so long is the last of the budget."""
        before = self.spent()
        spent = Spent(
            before.minutes + seconds / 60,
            before.games + pending.games,
            before.positions + pending.positions,
            before.iterations + 1,
            before.steps + self._num_steps(pending),
        )
        return (share_spent(self.config.budget, spent) or 0.0) >= 1.0

    def _examine(self, iteration: int, net: Net, is_last: bool = False) -> Metrics:
        """Return what an evaluation tells, when it is time for one."""
        wish = self.config.evaluate
        if wish.every == 0 or (iteration % wish.every and not is_last):
            return {}
        if net.card.iteration in self._examined():  # it would play the same games
            return {}
        began = time.perf_counter()
        self.watcher.progress("examine", 0, 1, "")
        before = self._history.exams
        metrics = self._examiner.examine(net, self._earlier(), before)
        self._heed_stop()
        metrics |= self._imagined(iteration)
        seconds = time.perf_counter() - began
        return metrics | {"examined": net.card.iteration, "seconds_evaluate": seconds}

    def _imagined(self, iteration: int) -> Metrics:
        """Return how far a learned model is from the truth, by steps imagined."""
        if not self.config.net.is_learned or self._window.num_samples == 0:
            return {}
        rng = numpy_rng(self.config.seed, "imagined", iteration)
        found = self._learner.measure(self._window, NUM_IMAGINED, rng)
        return {name: x for name, x in found.items() if not name.startswith("loss")}

    def _examined(self) -> set[int]:
        """Return the iterations of the nets that were examined."""
        return {m["examined"] for m in self._history.exams if "examined" in m}

    def _earlier(self) -> dict[int, Net]:
        """Return earlier nets to meet: the newest kept ones that were examined."""
        kept = self.run.nets(self._examined())
        newest = sorted(kept)[-self.config.evaluate.earlier :]
        wanted = newest if self.config.evaluate.earlier else []
        found = {}
        for number in wanted:
            try:
                found[number] = load_net(kept[number])
            except UserError as error:
                self.watcher.warn(f"net {number} is not met: {error}")
        return found
