package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.CappedCount;
import dev.rowlock.queue.search.FoundJobs;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class JobSearchPagesTest {

    private final Rooms rooms;
    private final JobSearch search;

    JobSearchPagesTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
    }

    @Test
    void pagesOverAllRoomsRunFromTheNewestJobToTheOldestWithoutGapsOrDoubles() {
        rooms.ready(9);
        rooms.claim(rooms.node(), 5).stream().limit(3).forEach(job -> rooms.bury(job.claim()));
        rooms.waiting(Due.after(Duration.ofDays(1)));
        rooms.ready(3);

        List<Long> seen = pages(JobFilter.all(), 4);

        assertThat(seen).hasSize(13).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.reverseOrder());
    }

    @Test
    void aJobThatChangesRoomsBetweenTwoPagesComesOnce() {
        rooms.ready(4);
        FoundJobs first = search.find(JobFilter.where().queue(Rooms.QUEUE), Page.first(2));

        rooms.claim(rooms.node(), 4).forEach(job -> rooms.bury(job.claim()));
        rooms.ready(2);
        FoundJobs second = search.find(JobFilter.where().queue(Rooms.QUEUE), next(first));

        assertThat(first.jobs()).extracting(JobSummary::state).containsOnly(JobState.READY);
        assertThat(second.jobs()).extracting(JobSummary::state).containsExactly(JobState.DEAD, JobState.DEAD);
        assertThat(second.jobs().get(0).id()).isLessThan(first.jobs().get(1).id());
        assertThat(second.next()).isNull();
    }

    @Test
    void theLastPageSaysThatItIsTheLast() {
        rooms.ready(4);

        assertThat(search.find(JobFilter.all(), Page.first(4)).next()).isNull();
        assertThat(search.find(JobFilter.all(), Page.first(3)).next()).isNotNull();
        assertThat(search.find(JobFilter.where().queue("print"), Page.first(3)))
                .isEqualTo(new FoundJobs(List.of(), null));
    }

    @Test
    void theNextPageHasPayloadsAsThisOneHas() {
        rooms.ready(2);

        FoundJobs first = search.find(JobFilter.all(), Page.first(1).withPayloads());

        assertThat(next(first))
                .isEqualTo(
                        Page.first(1).withPayloads().before(first.jobs().get(0).id()));
    }

    @Test
    void aCountStopsAtItsLimit() {
        rooms.ready(5);
        ClaimedJob dead = rooms.claim(rooms.node(), 1).get(0);
        rooms.bury(dead.claim());

        assertThat(search.count(JobFilter.all(), 6))
                .isEqualTo(new CappedCount(5, false))
                .hasToString("5");
        assertThat(search.count(JobFilter.all(), 5)).isEqualTo(new CappedCount(5, false));
        assertThat(search.count(JobFilter.all(), 4))
                .isEqualTo(new CappedCount(4, true))
                .hasToString("4+");
        assertThatThrownBy(() -> search.count(JobFilter.all(), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("between 1 and 1000000");
    }

    private List<Long> pages(JobFilter filter, int size) {
        List<Long> seen = new ArrayList<>();
        Page page = Page.first(size);
        while (page != null) {
            FoundJobs found = search.find(filter, page);
            found.jobs().forEach(job -> seen.add(job.id()));
            page = found.next();
        }
        return seen;
    }

    private static Page next(FoundJobs found) {
        @Nullable Page next = found.next();
        assertThat(next).isNotNull();
        return next;
    }
}
