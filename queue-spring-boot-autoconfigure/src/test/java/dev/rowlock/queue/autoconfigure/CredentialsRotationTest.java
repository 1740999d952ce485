package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A vault gives the pool another user from time to time, and the server then refuses the former one. */
@PostgresTest
class CredentialsRotationTest {

    private final TestDatabase database;
    private final JdbcClient admin;
    private final String before;
    private final String after;

    CredentialsRotationTest(TestDatabase database) {
        this.database = database;
        this.admin = JdbcClient.create(database.superuser());
        this.before = database.name() + "_before";
        this.after = database.name() + "_after";
    }

    @BeforeEach
    void makeRoles() {
        for (String role : new String[] {before, after}) {
            admin.sql("CREATE ROLE %s LOGIN PASSWORD 'pass' IN ROLE %s".formatted(role, database.username()))
                    .update();
        }
    }

    @AfterEach
    void dropRoles() {
        admin.sql("DROP ROLE %s, %s".formatted(before, after)).update();
    }

    @Test
    void aNodeKeepsItsLeaseWhenThePoolsCredentialsChange() {
        Contexts.on(database)
                .withPropertyValues(
                        "spring.datasource.username=" + before,
                        "spring.datasource.password=pass",
                        "spring.datasource.hikari.connection-init-sql=SET ROLE " + database.username(),
                        "rowlock.worker.lease=3s",
                        "rowlock.worker.heartbeat=200ms")
                .withBean(Greeter.class)
                .run(context -> {
                    Rowlock node = context.getBean(Rowlock.class);
                    await().until(() -> node.status().hears() && node.status().nodeId() != 0);
                    long id = node.status().nodeId();

                    context.getBean(HikariDataSource.class).setCredentials(Credentials.of(after, "pass"));
                    admin.sql("ALTER ROLE %s NOLOGIN".formatted(before)).update();
                    admin.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ?")
                            .param(before)
                            .query()
                            .listOfRows();

                    await().untilAsserted(() -> assertThat(sessionsOf(after)).isGreaterThanOrEqualTo(2));
                    await().until(() -> works(node.status()));
                    assertThat(node.status().nodeId()).isEqualTo(id);
                    context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("after"));
                    assertThat(context.getBean(Greeter.class).nextCall().text()).isEqualTo("after");
                });
    }

    private static boolean works(NodeStatus status) {
        return status.beats() && status.hears() && status.records();
    }

    private long sessionsOf(String role) {
        return admin.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = ? AND datname = ?")
                .param(role)
                .param(database.name())
                .query(Long.class)
                .single();
    }
}
