package dev.rowlock.queue.chaos;

import static dev.rowlock.queue.chaos.Story.row;
import static dev.rowlock.queue.chaos.Story.run;
import static dev.rowlock.queue.chaos.Story.second;
import static dev.rowlock.queue.chaos.Story.told;

import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.History.Steering;
import dev.rowlock.queue.chaos.history.History.Step;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Awaits.Answer;
import dev.rowlock.queue.chaos.load.Awaits.Wait;
import dev.rowlock.queue.chaos.load.Drafts.Word;
import dev.rowlock.queue.chaos.load.Fate;
import dev.rowlock.queue.chaos.load.Operators.Paused;
import dev.rowlock.queue.chaos.load.Recurrences.Life;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.job.JobOptions;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Workflows, recurring jobs, limits and operators do not keep their promises. */
class LiesAboutFeaturesTest extends Lies {

    static Stream<Arguments> lies() {
        return Stream.of(
                lie("a run has two jobs", "one job for each run", s -> {
                    s.runs.add(run(5, 1));
                    s.runs.add(run(5, 2));
                }),
                lie("a run is left out", "one job for each run", s -> {
                    s.lives.add(new Life("each-second", 0, second(13)));
                    s.strikes.add(new Strike("KILL_WORKER", "w1", second(3), second(6), true));
                    LongStream.of(1, 2, 3, 5, 6, 7, 8).forEach(at -> s.runs.add(run(at, at)));
                }),
                lie("the last payload of a key does not run", "the last payload of a key runs", s -> {
                    s.starts.add(new Start("w1", 5, 4, 15, new Word(2, 6).uid(), 1, 0));
                    s.words.add(new Word(2, 7));
                }),
                lie(
                        "a wait never ends",
                        "waits end as their jobs",
                        s -> s.waits.add(new Wait(s.rows.get(0).id(), Answer.NONE))),
                lie("a recurring job stands still", "one job for each run", s -> {
                    s.lives.add(new Life("each-second", second(2), second(15)));
                    LongStream.of(1, 2).forEach(at -> s.runs.add(run(at, at)));
                }),
                lie("a job of a paused type begins", "operators are obeyed", s -> {
                    s.peace().fifth(20);
                    s.told.removeIf(told -> told.uid() == 5);
                    s.told.add(told(5, 5, Fate.COMMITTED, "steered", Act.SLEEP, 0));
                    s.steering = new Steering(List.of(new Paused(second(12), second(30))), 0, 0, 0);
                }),
                lie(
                        "a bulk action counts a batch twice",
                        "operators are obeyed",
                        s -> s.steering = new Steering(List.of(), 1, 1, 0)),
                lie(
                        "a bulk action goes on for ever",
                        "operators are obeyed",
                        s -> s.steering = new Steering(List.of(), 0, 0, 1)),
                lie(
                        "a third job of a key with a limit of two is claimed",
                        "limits hold",
                        s -> LongStream.of(6, 9, 12).forEach(uid -> {
                            s.rows.add(row(uid, uid, "running", 1, 0, 0, 20 + uid));
                            s.moves.add(new Move(30 + uid, second(1), uid, "gated", "running", "", 20 + uid, 1, 1, 0));
                        })),
                lie("a job overtakes one of its key that is tried again", "order holds", s -> {
                    s.rows.add(row(8, 8, "waiting", 1, 0, 1, null));
                    s.rows.add(row(12, 12, "running", 1, 0, 0, 32L));
                    s.moves.add(new Move(30, second(1), 8, "ordered", "running", "", 28, 1, 1, 0));
                    s.moves.add(new Move(31, second(1), 8, "ordered", "waiting", "retry", 0, 0, 1, 0));
                    s.moves.add(new Move(32, second(1), 12, "ordered", "running", "", 32, 1, 1, 0));
                }),
                lie("a job of a workflow begins while one before it is tried again", "steps run in turn", s -> {
                    s.told.add(new Told(
                            8, 8, Fate.COMMITTED, "linked", Act.RETRY, 1, JobOptions.NONE, "workflow 8 0 ENDS"));
                    s.told.add(new Told(
                            9, 9, Fate.COMMITTED, "linked", Act.SLEEP, 1, JobOptions.NONE, "workflow 8 1 ENDS"));
                    s.rows.add(row(8, 8, "waiting", 1, 0, 1, null));
                    s.rows.add(row(9, 9, "running", 1, 0, 0, 32L));
                    s.moves.add(new Move(30, second(1), 8, "linked", "running", "", 28, 1, 1, 0));
                    s.moves.add(new Move(31, second(1), 8, "linked", "waiting", "retry", 0, 0, 1, 0));
                    s.moves.add(new Move(32, second(1), 9, "linked", "running", "", 32, 1, 1, 0));
                }),
                lie(
                        "a key borrows more than it may",
                        "limits hold",
                        s -> LongStream.of(8, 12, 16, 20).forEach(uid -> {
                            s.rows.add(row(uid, uid, "running", 1, 0, 0, 20 + uid));
                            s.moves.add(new Move(30 + uid, second(1), uid, "lent", "running", "", 20 + uid, 1, 1, 0));
                        })),
                lie("a step that needs success begins after a failure", "steps run in turn", s -> {
                    linked(s, "SUCCESS", "dead", "running");
                    s.moves.add(new Move(31, second(1), 8, "linked", "dead", "dead", 0, 0, 1, 0));
                    s.moves.add(new Move(32, second(1), 9, "linked", "running", "", 32, 1, 1, 0));
                }),
                lie("a step that waits for a redrive begins before it", "steps run in turn", s -> {
                    linked(s, "HELD", "dead", "running");
                    s.moves.add(new Move(31, second(1), 8, "linked", "dead", "dead", 0, 0, 1, 0));
                    s.moves.add(new Move(32, second(1), 9, "linked", "running", "", 32, 1, 1, 0));
                }),
                lie("a step that needs a failure begins without one", "steps run in turn", s -> {
                    linked(s, "ALARM", "completed", "completed", "completed", "completed", "running");
                    LongStream.rangeClosed(8, 11)
                            .forEach(uid -> s.moves.add(
                                    new Move(20 + uid, second(1), uid, "linked", "done", "completed", uid, 1, 1, 0)));
                    s.moves.add(new Move(32, second(1), 12, "linked", "running", "", 32, 1, 1, 0));
                }),
                lie(
                        "a step stays skipped although all before it completed",
                        "only those are skipped whose turn cannot come",
                        s -> linked(s, "SUCCESS", "completed", "cancelled", "completed", "completed", "dead", "dead")),
                lie(
                        "a step runs although one before it is dead",
                        "only those are skipped whose turn cannot come",
                        s -> linked(s, "SUCCESS", "dead", "completed", "cancelled", "cancelled", "cancelled", "dead")),
                lie(
                        "a step that waits for a redrive is forgotten",
                        "nobody waits for ever",
                        s -> linked(
                                s, "HELD", "completed", "completed", "completed", "completed", "waiting", "waiting")),
                lie(
                        "an alarm is skipped although something failed",
                        "only those are skipped whose turn cannot come",
                        s -> linked(
                                s, "ALARM", "completed", "dead", "completed", "completed", "cancelled", "completed")),
                lie("a step twice", "steps exactly once", s -> s.steps.add(new Step(1, 2, 12))),
                lie("a step left out", "steps exactly once", s -> s.steps.remove(0)),
                lie("a step of a zombie", "steps exactly once", s -> s.steps.set(0, new Step(1, 1, 13))));
    }

    /** The jobs of a workflow, from its first on, which end like that. */
    static void linked(Story story, String shape, String... states) {
        for (int place = 0; place < states.length; place++) {
            long uid = 8 + place;
            story.told.add(new Told(
                    uid,
                    uid,
                    Fate.COMMITTED,
                    "linked",
                    Act.SLEEP,
                    1,
                    JobOptions.NONE,
                    "workflow 8 %d %s".formatted(place, shape)));
            story.rows.add(row(uid, uid, states[place], 1, 0, 0, null));
        }
    }
}
