package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * What stays bounded, however many there are of something: {@code docs/guarantees.md} promises the same table in words. Each line is measured with few and with many of them. The
 * last column is what it was with many on a busy machine with two cores and PostgreSQL 18.
 *
 * <p>Tests of their own hold the bounds of looks for a job among days that are kept ({@link FindJobAmongManyDaysTest}), of the locks of claims ({@code ManyClaimsTest}), of searches at
 * once ({@link JobSearchLimitsTest}), of what claims read ({@code KeyedPlansTest}), of failures in the log ({@code FailureLogTest}), of keys that a node remembers ({@code KeyCursorTest}),
 * of unwritten outcomes ({@code OutcomeBacklogTest}), and of viewers of the dashboard ({@code LiveTest}).
 */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class BoundsTest {

    private interface Measure {

        long of(Costs costs, int number) throws Exception;
    }

    /**
     * One line.
     *
     * @param measured what it was with many
     */
    private record Bound(
            String what, String growsWith, int few, int many, long atMost, String measured, Measure measure) {

        @Override
        public String toString() {
            return "%s with %,d %s: at most %,d".formatted(what, many, growsWith, atMost);
        }
    }

    private static final List<Bound> BOUNDS = List.of(
            new Bound("statements of a call that enqueues", "jobs", 10, 1_000, 10, "5", Costs::statementsOfAnEnqueue),
            new Bound(
                    "statements of a call that enqueues",
                    "keys",
                    10,
                    1_000,
                    10,
                    "5",
                    Costs::statementsOfAnEnqueueWithKeys),
            new Bound(
                    "statements of a call that enqueues",
                    "unique keys",
                    10,
                    1_000,
                    10,
                    "6",
                    Costs::statementsOfAnEnqueueWithUniqueKeys),
            new Bound(
                    "statements of a workflow's start",
                    "steps",
                    10,
                    1_000,
                    20,
                    "6",
                    Costs::statementsOfAWorkflowsStart),
            new Bound(
                    "statements of two searches and two explanations",
                    "jobs with keys",
                    10,
                    1_000,
                    30,
                    "16",
                    Costs::statementsOfSearches),
            new Bound(
                    "statements of the measurement for all nodes",
                    "queues",
                    10,
                    1_000,
                    10,
                    "5",
                    Costs::statementsOfAMeasurement),
            new Bound(
                    "statements of what refreshes all meters",
                    "queues",
                    10,
                    1_000,
                    20,
                    "10",
                    Costs::statementsOfMeters),
            new Bound(
                    "statements of a node that runs",
                    "jobs without keys",
                    100,
                    10_000,
                    2_000,
                    "470",
                    Costs::statementsOfANodeThatRuns),
            new Bound(
                    "statements of a node that runs",
                    "keys of one job each",
                    100,
                    10_000,
                    2_000,
                    "710",
                    Costs::statementsOfANodeThatRunsKeys),
            new Bound(
                    "statements a second of a node that polls and beats five times a second",
                    "idle queues",
                    2,
                    200,
                    50,
                    "31",
                    Costs::statementsASecondOfANodeWithQueues),
            new Bound(
                    "statements a second of such a node",
                    "running jobs",
                    2,
                    200,
                    50,
                    "22",
                    Costs::statementsASecondOfANodeWithRunningJobs),
            new Bound(
                    "statements a second of such a node",
                    "recurring jobs",
                    2,
                    200,
                    50,
                    "29",
                    Costs::statementsASecondOfANodeWithRecurringJobs),
            new Bound(
                    "statements a second of such a node",
                    "blocked keys",
                    10,
                    1_000,
                    60,
                    "31",
                    Costs::statementsASecondOfANodeWithHeldKeys),
            new Bound(
                    "statements a second of such a node",
                    "handles that wait",
                    10,
                    1_000,
                    60,
                    "37",
                    Costs::statementsASecondOfWhoeverWaits),
            new Bound(
                    "locks of a transaction that enqueues and cancels",
                    "keys, unique keys, steps and cancelled jobs",
                    10,
                    400,
                    100,
                    "67",
                    Costs::locksOfATransaction),
            new Bound(
                    "notifications of a transaction that enqueues",
                    "keys and unique keys",
                    10,
                    1_000,
                    10,
                    "2",
                    Costs::notificationsOfATransaction),
            new Bound("threads of an idle node", "queues", 2, 200, 30, "15", Costs::threads),
            new Bound("connections of an idle node", "queues", 2, 200, 12, "9", Costs::connections),
            new Bound(
                    "kilobytes that a node keeps",
                    "keys whose jobs it has run",
                    1_000,
                    24_000,
                    6_000,
                    "3,900",
                    Costs::memory),
            new Bound(
                    "rows beside the ended jobs",
                    "keys in order, with a rate, whose jobs have ended",
                    10,
                    1_000,
                    250,
                    "103",
                    Costs::rowsLeft),
            new Bound(
                    "meters",
                    "keys, unique keys and blocked keys, and a tenth as many workflows",
                    10,
                    1_000,
                    250,
                    "168",
                    Costs::metersOfJobs),
            new Bound("meters", "types that nobody knows", 10, 1_000, 250, "164", Costs::metersOfTypesThatNobodyKnows),
            new Bound(
                    "log lines of a node",
                    "keys and unique keys, and a tenth as many workflows",
                    10,
                    500,
                    20,
                    "3",
                    Costs::linesOfJobs),
            new Bound(
                    "log lines of a node, in a minute",
                    "types that nobody knows",
                    10,
                    500,
                    40,
                    "23",
                    Costs::linesOfTypesThatNobodyKnows),
            new Bound("log lines of a node", "queues", 2, 200, 20, "3", Costs::linesOfQueues),
            new Bound(
                    "log lines of a node, in a minute",
                    "jobs that the server refuses to move",
                    10,
                    100,
                    20,
                    "8",
                    Costs::linesOfRefusedJobs),
            new Bound(
                    "log lines of a node, in a minute",
                    "events at which an observer throws",
                    10,
                    1_000,
                    20,
                    "13",
                    Costs::linesOfAnObserverThatThrows));

    private final TestDatabase database;

    BoundsTest(TestDatabase database) {
        this.database = database;
    }

    @ParameterizedTest(name = "{0}")
    @FieldSource("BOUNDS")
    void itStaysBounded(Bound bound) throws Exception {
        try (Costs costs = new Costs(database)) {
            long few = bound.measure().of(costs, bound.few());
            long many = bound.measure().of(costs, bound.many());

            assertThat(few).as("few, measured %s with many", bound.measured()).isLessThanOrEqualTo(bound.atMost());
            assertThat(many).as("many, measured %s", bound.measured()).isLessThanOrEqualTo(bound.atMost());
            assertThat(bound.atMost()).as("it tells growth from none").isLessThanOrEqualTo(bound.many() / 4);
        }
    }
}
