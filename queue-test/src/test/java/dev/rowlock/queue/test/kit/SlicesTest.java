package dev.rowlock.queue.test.kit;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import dev.rowlock.queue.test.TestJobs;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Transactional;

/** Beside other annotations for tests. */
class SlicesTest {

    @Nested
    @JdbcTest
    @AutoConfigureRowlock
    @AutoConfigureEmbeddedPostgres
    @Import(Work.class)
    class Jdbc {

        @Autowired
        JobOperations queue;

        @Autowired
        TestJobs jobs;

        @Autowired
        Work work;

        @Test
        void itEnqueuesAndRuns() {
            queue.enqueue(new Work.InTransaction(7, false));

            jobs.drain().requireSuccess();

            assertThat(work.notes()).containsExactly(7);
        }
    }

    @Entity(name = "account")
    static class Account {

        @Id
        long id;

        int balance;

        protected Account() {}

        Account(long id) {
            this.id = id;
        }
    }

    record Deposit(long account, boolean fails) {}

    /** As a service of the application's. */
    static class Accounts {

        private final EntityManager entities;

        Accounts(EntityManager entities) {
            this.entities = entities;
        }

        @Transactional
        @JobListener(queue = "accounts")
        public void deposit(Deposit job, JobContext context) {
            entities.find(Account.class, job.account()).balance += 10;
            if (job.fails() && context.attempt() == 1) {
                entities.flush();
                throw new IllegalStateException("the first attempt fails");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = SlicesTest.class)
    static class Entities {}

    @Nested
    @DataJpaTest(properties = "spring.jpa.hibernate.ddl-auto=create")
    @AutoConfigureRowlock
    @AutoConfigureEmbeddedPostgres
    @Import({Accounts.class, Entities.class})
    class Jpa {

        @Autowired
        JobOperations queue;

        @Autowired
        TestJobs jobs;

        @Autowired
        EntityManager entities;

        @Autowired
        JdbcClient jdbc;

        @Test
        void aListenerSeesWhatTheTestHasPersisted() {
            entities.persist(new Account(1));
            queue.enqueue(new Deposit(1, false));

            jobs.drain().requireSuccess();

            assertThat(balance()).isEqualTo(10);
            assertThat(entities.find(Account.class, 1L).balance).isEqualTo(10);
        }

        @Test
        void whatAFailedAttemptHasWrittenIsGoneFromThePersistenceContextToo() {
            entities.persist(new Account(1));
            queue.enqueue(new Deposit(1, true));

            assertThat(jobs.drain().failed()).isEqualTo(1);
            assertThat(balance()).isZero();
            assertThat(entities.find(Account.class, 1L).balance).isZero();

            jobs.advance(ofSeconds(5));
            jobs.drain().requireSuccess();
            assertThat(balance()).isEqualTo(10);

            // The attempt has failed, not the test: its transaction could be committed.
            TestTransaction.flagForCommit();
            TestTransaction.end();
            jdbc.sql("DELETE FROM account").update();
        }

        private int balance() {
            return jdbc.sql("SELECT balance FROM account WHERE id = 1")
                    .query(Integer.class)
                    .single();
        }
    }

    @Nested
    @SpringBootTest
    @AutoConfigureRowlock
    @AutoConfigureEmbeddedPostgres
    @Import(Work.class)
    class Whole {

        @Autowired
        JobOperations queue;

        @Autowired
        TestJobs jobs;

        @Autowired
        Work work;

        @Test
        void withoutATransactionEachJobCommits() {
            queue.enqueue(new Work.InTransaction(1, false));
            queue.enqueue(new Work.InTransaction(2, true));

            jobs.drain();

            assertThat(work.notes()).containsExactly(1);
            assertThat(jobs).hasEnqueued(Work.InTransaction.class).times(2);
            jobs.advance(ofSeconds(5));
            jobs.drain().requireSuccess();
            assertThat(work.notes()).containsExactly(1, 2);
        }
    }
}
