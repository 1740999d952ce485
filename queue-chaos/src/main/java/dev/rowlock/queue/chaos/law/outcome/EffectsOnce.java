package dev.rowlock.queue.chaos.law.outcome;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Told;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A transactional job that completed has exactly one effect, under the claim that completed it; any other has none. */
final class EffectsOnce implements Law {

    private static final String NAME = "effects exactly once";

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, List<Effect>> effects = history.effects().stream().collect(Collectors.groupingBy(Effect::uid));
        Set<Long> transactional = history.told().stream()
                .filter(Jobs::transactional)
                .map(Told::uid)
                .collect(Collectors.toSet());
        Set<Long> rows = history.rows().stream().map(Row::uid).collect(Collectors.toSet());
        return Stream.concat(
                history.rows().stream()
                        .filter(row -> transactional.contains(row.uid()))
                        .flatMap(row -> ofJob(row, effects.getOrDefault(row.uid(), List.of()))),
                history.effects().stream()
                        .filter(effect -> !rows.contains(effect.uid()))
                        .map(effect -> Violation.of(NAME, "%s belongs to no job", effect)));
    }

    private static Stream<Violation> ofJob(Row row, List<Effect> effects) {
        int expected = row.state().equals("completed") ? 1 : 0;
        if (effects.size() != expected) {
            return Stream.of(Violation.of(
                    NAME, "job %d is %s and has %d effects: %s", row.id(), row.state(), effects.size(), effects));
        }
        return effects.stream()
                .filter(effect -> row.token() == null || effect.token() != row.token())
                .map(effect -> Violation.of(
                        NAME,
                        "job %d completed under token %d, its effect is of token %d",
                        row.id(),
                        row.token(),
                        effect.token()));
    }
}
