package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Fate;
import dev.rowlock.queue.chaos.history.History.Kill;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.History.Told;
import dev.rowlock.queue.chaos.load.Act;
import java.util.ArrayList;
import java.util.List;

/**
 * A history that can be told wrong. As it begins, every promise holds: job 1 completes at once; job 2 moves money, is
 * killed on node 1 under token 11 and completes on node 2 under token 12; job 3 fails once and is retried; job 4 was
 * rolled back.
 */
final class Story {

    final List<Told> told = new ArrayList<>(List.of(
            new Told(1, 1, Fate.COMMITTED, "plain", Act.SLEEP, 0),
            new Told(2, 2, Fate.COMMITTED, "money", Act.SLEEP, 0),
            new Told(3, 3, Fate.COMMITTED, "plain", Act.RETRY, 1),
            new Told(4, 4, Fate.ROLLED_BACK, "plain", Act.SLEEP, 0)));
    final List<Start> starts = new ArrayList<>(List.of(
            new Start("w1", 10, 1, 10, 1, 1, 0),
            new Start("w1", 20, 2, 11, 2, 1, 0),
            new Start("w2", 60, 2, 12, 2, 1, 1),
            new Start("w2", 70, 3, 13, 3, 1, 0),
            new Start("w2", 80, 3, 14, 3, 2, 0)));
    final List<End> ends = new ArrayList<>(List.of(
            new End("w1", 12, 1, 10, "returned"),
            new End("w2", 65, 2, 12, "returned"),
            new End("w2", 72, 3, 13, "IllegalStateException"),
            new End("w2", 82, 3, 14, "returned")));
    final List<Said> said = new ArrayList<>(List.of(
            new Said("w1", 13, 1, 10, "completed"),
            new Said("w2", 66, 2, 12, "completed"),
            new Said("w2", 73, 3, 13, "retried"),
            new Said("w2", 83, 3, 14, "completed")));
    final List<Move> moves = new ArrayList<>(List.of(
            new Move(1, 1, "ready", "", 0, 0, 0, 0),
            new Move(2, 2, "ready", "", 0, 0, 0, 0),
            new Move(3, 3, "ready", "", 0, 0, 0, 0),
            new Move(4, 1, "running", "", 10, 1, 1, 0),
            new Move(5, 1, "done", "completed", 10, 1, 1, 0),
            new Move(6, 2, "running", "", 11, 1, 1, 0),
            new Move(8, 2, "ready", "", 0, 0, 0, 1),
            new Move(9, 2, "running", "", 12, 2, 1, 1),
            new Move(10, 2, "done", "completed", 12, 2, 1, 1),
            new Move(11, 3, "running", "", 13, 2, 1, 0),
            new Move(12, 3, "waiting", "retry", 0, 0, 1, 0),
            new Move(13, 3, "ready", "", 0, 0, 1, 0),
            new Move(14, 3, "running", "", 14, 2, 2, 0),
            new Move(15, 3, "done", "completed", 14, 2, 2, 0)));
    final List<Removal> removals = new ArrayList<>(List.of(new Removal(7, 1, "w1")));
    final List<Effect> effects = new ArrayList<>(List.of(new Effect(2, 2, 12)));
    final List<Row> rows = new ArrayList<>(List.of(
            new Row(1, 1, "completed", 1, 0, 0, 10L),
            new Row(2, 2, "completed", 1, 1, 0, 12L),
            new Row(3, 3, "completed", 2, 0, 1, 14L)));
    final List<Kill> kills = new ArrayList<>(List.of(new Kill("w1", 30)));

    History history() {
        return new History(told, starts, ends, said, moves, removals, effects, rows, kills);
    }
}
