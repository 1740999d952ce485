package dev.rowlock.queue.test.tutorial;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;

import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import dev.rowlock.queue.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.annotation.Transactional;

@SpringBootTest
@AutoConfigureRowlock
@AutoConfigureEmbeddedPostgres
@Transactional
class OrderServiceTest {

    @Autowired
    OrderService orders;

    @Autowired
    TestJobs jobs;

    @MockitoBean
    MailServer server;

    @Test
    void anOrderIsConfirmedAlthoughTheMailServerWasAway() {
        doThrow(new IllegalStateException("away")).doNothing().when(server).send(any(), any());

        orders.place("ada");

        assertThat(jobs.drain().failed()).isEqualTo(1);
        jobs.advance(ofMinutes(1));
        jobs.drain().requireSuccess();
        assertThat(jobs).hasCompleted(SendConfirmation.class).afterAttempts(2).once();
    }
}
