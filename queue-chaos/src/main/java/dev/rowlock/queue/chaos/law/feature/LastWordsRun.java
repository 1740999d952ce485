package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Drafts.Word;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Requests under one key may be folded into one job, but the last one that was answered runs, or one that came after it. */
final class LastWordsRun implements Law {

    @Override
    public Stream<Violation> broken(History history) {
        Map<Integer, Integer> last = history.starts().stream()
                .map(Start::uid)
                .filter(uid -> uid < 0)
                .map(Word::of)
                .collect(Collectors.toMap(Word::key, Word::number, Math::max));
        return history.words().stream()
                .filter(word -> last.getOrDefault(word.key(), 0) < word.number())
                .map(word -> Violation.of(
                        "the last payload of a key runs",
                        "%s was answered, and the last that ran is %d",
                        word,
                        last.getOrDefault(word.key(), 0)));
    }
}
