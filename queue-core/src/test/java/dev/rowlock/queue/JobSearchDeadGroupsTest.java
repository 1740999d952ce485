package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.search.DeadGroup;
import dev.rowlock.queue.search.DeadGroups;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@PostgresTest(migrated = true)
@Representative
class JobSearchDeadGroupsTest {

    private final Rooms rooms;
    private final JobSearch search;

    JobSearchDeadGroupsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
    }

    @Test
    void deadJobsOfOneKindOfErrorAreOneGroupAndTheLargestComesFirst() {
        die(1, "mail", "java.io.IOException", "host 10.0.0.1 is down", "");
        die(2, "mail", "java.io.IOException", "host 10.0.0.2 is down", "");
        die(3, "mail", "java.lang.IllegalStateException", "order 'a-7' is closed", "at X");
        die(4, "print", "java.io.IOException", "host 10.0.0.3 is down", "");

        List<DeadGroup> groups =
                search.deadByError(JobFilter.all(), GroupPage.first(10)).groups();

        assertThat(groups).extracting(DeadGroup::jobs).containsExactly(3L, 1L);
        assertThat(groups.get(0).newestJob()).isEqualTo(4);
        assertThat(groups.get(0).errorType()).isEqualTo("java.io.IOException");
        assertThat(groups.get(0).message()).isEqualTo("host 10.0.0.3 is down");
        assertThat(groups.get(0).firstDiedAt()).isEqualTo(Instant.parse("2026-04-01T00:00:01Z"));
        assertThat(groups.get(0).lastDiedAt()).isEqualTo(Instant.parse("2026-04-01T00:00:04Z"));
    }

    @Test
    void aGroupLeadsToItsJobsAndAFilterNarrowsTheGroups() {
        die(1, "mail", "A", "one", "");
        die(2, "print", "A", "one", "");
        die(3, "mail", "B", "two", "");

        DeadGroup largest =
                search.deadByError(JobFilter.all(), GroupPage.first(1)).groups().get(0);
        JobFilter itsJobs = JobFilter.where().fingerprint(largest.fingerprint());

        assertThat(search.find(itsJobs, Page.first(10)).jobs())
                .extracting(JobSummary::id)
                .containsExactly(2L, 1L);
        assertThat(search.deadByError(itsJobs.queue("mail"), GroupPage.first(10))
                        .groups())
                .singleElement()
                .satisfies(group -> assertThat(group.jobs()).isEqualTo(1));
    }

    @Test
    void jobsWithoutAnErrorAreAGroupToo() {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                VALUES (1, now(), now(), 0, 1, 3, 'quarantined', 'mail', 'send', '{}')
                """);

        assertThat(search.deadByError(JobFilter.all(), GroupPage.first(10)).groups())
                .singleElement()
                .satisfies(group -> assertThat(group.errorType() + group.message() + group.thrownBy())
                        .isEmpty());
    }

    @Test
    void pagesOfGroupsRunFromTheLargestToTheSmallestWithoutGapsOrDoubles() {
        int id = 0;
        for (int group = 0; group < 7; group++) {
            for (int job = 0; job < 1 + group / 2; job++) {
                die(++id, "mail", "Error" + (char) ('A' + group), "", "");
            }
        }

        List<DeadGroup> seen = new ArrayList<>();
        GroupPage page = GroupPage.first(2);
        while (page != null) {
            DeadGroups found = search.deadByError(JobFilter.all(), page);
            seen.addAll(found.groups());
            page = found.next();
        }

        assertThat(seen).extracting(DeadGroup::jobs).containsExactly(4L, 3L, 3L, 2L, 2L, 1L, 1L);
        assertThat(seen).extracting(DeadGroup::fingerprint).doesNotHaveDuplicates();
    }

    @Test
    void whereAnErrorWasThrownTellsItFromOthersWhateverTheLine() {
        die(1, "mail", "A", "", "A\n\tat shop.Mail.send(Mail.java:7)\n\tat shop.Main.main(Main.java:1)");
        die(2, "mail", "A", "", "A\n\tat shop.Mail.send(Mail.java:8)\n\tat shop.Other.main(Other.java:1)");
        die(3, "mail", "A", "", "A\n\tat shop.Mail.read(Mail.java:9)");

        List<DeadGroup> groups =
                search.deadByError(JobFilter.all(), GroupPage.first(10)).groups();

        assertThat(groups).extracting(DeadGroup::jobs).containsExactly(2L, 1L);
        assertThat(groups).extracting(DeadGroup::thrownBy).containsExactly("shop.Mail.send", "shop.Mail.read");
    }

    @Test
    void theErrorsOfRealExceptionsHaveTheirMethod() {
        JobError error = JobError.of(new IllegalStateException("wrapped", new java.io.IOException("cause")));

        die(1, "mail", error.type(), error.message(), error.trace());

        assertThat(search.deadByError(JobFilter.all(), GroupPage.first(10)).groups())
                .extracting(DeadGroup::thrownBy)
                .allSatisfy(method -> assertThat(method)
                        .endsWith("JobSearchDeadGroupsTest.theErrorsOfRealExceptionsHaveTheirMethod"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            delimiter = '|',
            value = {
                "order 4711 is closed | order 815 is closed",
                "connect to 10.0.0.1:5432 timed out | connect to 192.168.10.200:80 timed out",
                "no customer 'ada' | no customer 'grace hopper'",
                "no customer \"ada\" | no customer \"\"",
                "job 3f2b8c1e-0d4a-4f6b-9c8e-1a2b3c4d5e6f | job 00000000-0000-4000-8000-000000000000",
                "at 2026-11-20T10:00:00.5Z | at 1999-01-01T23:59:59Z",
                "shop.Order@1b2c3d4e is odd | shop.Order@7f is odd",
                "address 0xdeadbeef | address 0x1",
                "token 9f86d081884c7d65 | token a3c65c2974270fd0",
                "can't do 1, don't | can't do 2, don't",
            })
    void messagesThatDifferInNumbersIdsAndQuotedPartsAreOfOneKind(String one, String other) {
        assertThat(fingerprint(one)).isEqualTo(fingerprint(other));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            delimiter = '|',
            value = {
                "order is closed | order is open",
                "can't connect, don't retry | can't read, don't retry",
                "the facade is deadbeef | the facade is added",
                "connect to 10.0.0.1 timed out | connect to 10.0.0.1 refused",
            })
    void messagesThatDifferInWordsAreNot(String one, String other) {
        assertThat(fingerprint(one)).isNotEqualTo(fingerprint(other));
    }

    @Test
    void nothingThatAnErrorMaySayKeepsAJobFromDying() {
        List<String> odd = List.of(
                "\\",
                "\\x",
                "'",
                "\\'",
                "x".repeat(2_000),
                "'".repeat(2_000),
                "1".repeat(2_000),
                "\uD83D\uDE00",
                "«“`\"'",
                "\\000");

        assertThat(odd).allSatisfy(message -> assertThat(fingerprint(message)).hasSize(16));
    }

    private String fingerprint(String message) {
        return rooms.sql(
                        "SELECT rowlock.error_fingerprint(jsonb_build_object('type', 'E', 'message', ?::text, 'trace', ''))")
                .param(message)
                .query(String.class)
                .single();
    }

    private void die(long id, String queue, String type, String message, String trace) {
        rooms.sql("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, errors)
                VALUES (?, timestamptz '2026-04-01Z' + ? * interval '1 s', now(), 0, 1, 0, 'dead', ?, 'send', '{}',
                        jsonb_build_array(jsonb_build_object('type', ?::text, 'message', ?::text, 'trace', ?::text,
                                                             'attempt', 1, 'at', now())))
                """).params(id, id, queue, type, message, trace).update();
    }
}
