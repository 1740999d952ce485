package dev.rowlock.queue.internal.joblog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of lines that cannot be written, or not in time. */
@PostgresTest(migrated = true)
class JobLogFeatureTest {

    private final Rooms rooms;
    private final JobLogFeature feature;
    private final Chore chore;
    private final ClaimedJob job;

    JobLogFeatureTest(TestDatabase test) {
        this.rooms = Rooms.emptyIn(test);
        this.feature = new JobLogFeature(rooms.database());
        this.chore = feature.chores(null).get(0);
        this.job = rooms.running();
        rooms.execute("DELETE FROM rowlock.job_log");
    }

    @AfterEach
    void refuseNothing() {
        rooms.execute("DROP FUNCTION IF EXISTS refuse_line() CASCADE");
    }

    private void refuse(String when, String state) {
        rooms.execute("""
                CREATE FUNCTION refuse_line() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN IF %s THEN RAISE 'refused' USING ERRCODE = '%s'; END IF; RETURN NEW; END $$
                """.formatted(when, state));
        rooms.execute(
                "CREATE TRIGGER refuse_line BEFORE INSERT ON rowlock.job_log FOR EACH ROW EXECUTE FUNCTION refuse_line()");
    }

    private void add(int count, String text) {
        for (int i = 0; i < count; i++) {
            feature.add(job, text);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"25006", "53100", "53300", "55P03", "40P01", "42501"})
    void noLineIsLostForWhatIsNotInIt(String state) {
        refuse("true", state);
        add(20, "good");

        assertThatThrownBy(chore::runOnce).rootCause().hasMessageContaining("refused");
        refuseNothing();
        chore.runOnce();

        assertThat(rooms.count("job_log")).isEqualTo(20);
    }

    @Test
    void aLineThatTheServerRefusesTakesNoOtherAlong() {
        refuse("NEW.text = 'bad'", "23514");

        try (LogLines told = new LogLines(JobLogFeature.class.getName())) {
            for (int i = 0; i < 3; i++) {
                add(200, "good");
                add(1, "bad");
                add(100, "good");
                chore.runOnce();
            }
            assertThat(rooms.count("job_log")).isEqualTo(900);
            assertThat(told.lines()).singleElement().asString().startsWith("WARN the server refuses 1 line of");
        }
    }

    @Test
    void linesThatWereNotTriedAmongManyRefusedOnesAreTriedLater() {
        refuse("NEW.text = 'bad'", "23514");
        add(500, "bad");
        add(3, "good");
        add(496, "bad");
        add(1, "good");

        for (int round = 0; round < 20; round++) { // each gives up after a hundred, if none works
            chore.runOnce();
        }

        assertThat(rooms.count("job_log")).isEqualTo(4);
    }

    @Test
    void aStopWaitsForLinesNoLongerThanItHasTime() throws Exception {
        add(2, "last");

        try (OpenTransaction other = new OpenTransaction(rooms.database());
                LogLines told = new LogLines(JobLogFeature.class.getName())) {
            other.database()
                    .alone(connection -> connection
                            .createStatement()
                            .execute("LOCK TABLE rowlock.job_log IN ACCESS EXCLUSIVE MODE"));
            long begun = System.nanoTime();
            feature.last(new TimeBudget(Duration.ofMillis(300)));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
            feature.last(new TimeBudget(Duration.ZERO));
            assertThat(told.lines()).hasSize(2).allMatch(line -> line.startsWith("WARN 2 lines of the logs of jobs"));
        }

        chore.runOnce(); // of the next start: waits for the one that was left behind
        assertThat(rooms.count("job_log")).isEqualTo(2);
        feature.last(new TimeBudget(Duration.ZERO));
    }

    @Test
    void aStopWritesTheLastLines() {
        add(1_500, "last");

        try (LogLines told = new LogLines(JobLogFeature.class.getName())) {
            feature.last(new TimeBudget(Duration.ofSeconds(20)));
            assertThat(told.lines()).isEmpty();
        }

        assertThat(rooms.count("job_log")).isEqualTo(LogStatements.MOST_LINES);
    }
}
