package dev.rowlock.queue.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.law.Violation;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A checker that cannot fail is a defect: it must find and name every way of breaking a promise. */
abstract class Lies {

    static final String NOBODY_WAITS = "nobody waits beside the idle";

    @ParameterizedTest(name = "{0}")
    @MethodSource("lies")
    void everyBrokenPromiseIsFound(String lie, String promise, Consumer<Story> tell) {
        Story story = new Story();

        tell.accept(story);

        assertThat(Checker.check(story.history()))
                .as(lie)
                .extracting(Violation::promise)
                .contains(promise);
    }

    static Arguments lie(String lie, String promise, Consumer<Story> tell) {
        return Arguments.of(lie, promise, tell);
    }
}
