package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.failover.Books;
import dev.rowlock.queue.chaos.failover.FailoverRun;
import dev.rowlock.queue.chaos.failover.Loss;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A primary is killed under load, and its standby takes over. {@code make rehearse-failover} is the long version. */
@LongRunning
@Timeout(300)
class FailoverTest {

    @TempDir
    Path folder;

    @Test
    void aSynchronousStandbyThatTakesOverHasAllThatWasAcknowledged() {
        Books books = new FailoverRun(Loss.KILLED, true, folder).run();

        System.out.printf("failover, synchronous%n%s%n", books);
        assertThat(books.enqueued()).isGreaterThan(100);
        assertThat(books.complete()).as(books.toString()).isTrue();
        assertThat(books.sound()).as(books.toString()).isTrue();
    }

    @Test
    void whatAnAsynchronousStandbyHasLostConfusesNothingThatIsThere() {
        Books books = new FailoverRun(Loss.KILLED, false, folder).run();

        System.out.printf("failover, asynchronous%n%s%n", books);
        assertThat(books.enqueued()).isGreaterThan(100);
        assertThat(books.sound()).as(books.toString()).isTrue();
    }
}
