package dev.rowlock.queue.autoconfigure;

import static dev.rowlock.queue.autoconfigure.Pool.DBCP;
import static dev.rowlock.queue.autoconfigure.Pool.HIKARI;
import static dev.rowlock.queue.autoconfigure.Pool.HIKARI_WITHOUT_AUTO_COMMIT;
import static dev.rowlock.queue.autoconfigure.Pool.TOMCAT_WITHOUT_AUTO_COMMIT;
import static dev.rowlock.queue.autoconfigure.Surroundings.Driver.PLAIN;
import static dev.rowlock.queue.autoconfigure.Surroundings.Driver.PREPARED_AT_ONCE;
import static dev.rowlock.queue.autoconfigure.Surroundings.Driver.SERIALIZABLE;
import static dev.rowlock.queue.autoconfigure.Surroundings.Driver.SIMPLE_QUERIES;
import static dev.rowlock.queue.autoconfigure.Surroundings.Driver.STRINGS_UNSPECIFIED;
import static dev.rowlock.queue.autoconfigure.Surroundings.Managers.ANOTHERS_FIRST;
import static dev.rowlock.queue.autoconfigure.Surroundings.Managers.JDBC;
import static dev.rowlock.queue.autoconfigure.Surroundings.Managers.JPA;
import static dev.rowlock.queue.autoconfigure.Surroundings.Shape.ORDINARY;
import static dev.rowlock.queue.autoconfigure.Surroundings.Shape.WITHOUT_NOTIFICATIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The same short story in many applications: driver options, pools, transaction managers, contexts. Each build takes those
 * that once failed; the long one takes some at random, and logs the seed; {@code -Drowlock.test.seed=…} repeats them, {@code
 * -Drowlock.test.matrix=all} takes all there are, {@code =50} fifty at random.
 */
@Representative
@PostgresTest(freshPerTest = true)
class SurroundingsTest {

    private static final Logger log = LoggerFactory.getLogger(SurroundingsTest.class);

    private static final String AT_RANDOM = "4";

    private static final List<Surroundings> ONCE_FAILED = List.of(
            new Surroundings(STRINGS_UNSPECIFIED, HIKARI, JDBC, ORDINARY),
            new Surroundings(SIMPLE_QUERIES, HIKARI, JPA, ORDINARY),
            new Surroundings(PREPARED_AT_ONCE, DBCP, JDBC, ORDINARY),
            new Surroundings(SERIALIZABLE, TOMCAT_WITHOUT_AUTO_COMMIT, JPA, WITHOUT_NOTIFICATIONS),
            new Surroundings(SERIALIZABLE, HIKARI_WITHOUT_AUTO_COMMIT, JDBC, ORDINARY),
            new Surroundings(PLAIN, HIKARI_WITHOUT_AUTO_COMMIT, JPA, ORDINARY),
            new Surroundings(PLAIN, HIKARI, ANOTHERS_FIRST, ORDINARY));

    private final TestDatabase database;

    SurroundingsTest(TestDatabase database) {
        this.database = database;
    }

    static Stream<Surroundings> some() {
        String wanted = System.getProperty("rowlock.test.matrix", AT_RANDOM);
        if (wanted.equals("all")) {
            return Surroundings.all().stream();
        }
        long seed = Long.getLong("rowlock.test.seed", System.nanoTime() % 1_000_000);
        log.info("surroundings at random: -Drowlock.test.seed={}", seed);
        Random random = new Random(seed);
        return Stream.generate(() -> Surroundings.random(random)).limit(Integer.parseInt(wanted));
    }

    static Stream<Surroundings> onceFailed() {
        return ONCE_FAILED.stream();
    }

    @ParameterizedTest
    @MethodSource("onceFailed")
    void jobsRunAsPromised(Surroundings surroundings) {
        tellTheStoryIn(surroundings);
    }

    @LongRunning
    @ParameterizedTest
    @MethodSource("some")
    void jobsRunAsPromisedInSurroundingsAtRandom(Surroundings surroundings) {
        tellTheStoryIn(surroundings);
    }

    private void tellTheStoryIn(Surroundings surroundings) {
        surroundings
                .contexts(database)
                .withUserConfiguration(ShortStory.Beans.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();

                    new ShortStory(context, surroundings.managers().ours()).tell();
                });

        ShortStory.assertLeftNothingBehind(database.dataSource());
    }
}
