package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.test.postgres.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with a database for each tenant shows Rowlock a tenant's transaction as if it were one of Rowlock's DataSource, as Hibernate does. */
@PostgresTest(migrated = true)
class OtherDatabaseTest {

    record Greeting(String to) {}

    private final DataSource pool;
    private final TestDatabase tenant = TestPostgres.newDatabase();
    private final Rowlocks rowlocks = new Rowlocks();
    private final CompletableFuture<String> greeted = new CompletableFuture<>();

    OtherDatabaseTest(TestDatabase database) {
        pool = database.dataSource();
        Rooms.emptyIn(database);
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
        tenant.close();
    }

    @Test
    void aJobThatWouldLandInATenantsDatabaseIsRefused() throws Exception {
        Rooms rooms = Rooms.in(tenant.dataSource(), new Schema("rowlock"));
        Rowlock rowlock = rowlocks.started(
                Rowlocks.quick(pool).listener(Greeting.class, (greeting, job) -> greeted.complete(greeting.to())));

        Awaitility.await().until(() -> rowlock.status().nodeId() > 0);

        withinTenantsTransaction(() -> {
            assertThatThrownBy(() -> rowlock.jobs().enqueue(new Greeting("tenant")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no node would look for the job");
            assertThatThrownBy(() -> rowlock.jobs().enqueueAll(List.of(new Greeting("tenant"), new Greeting("tenant"))))
                    .isInstanceOf(IllegalStateException.class);
        });

        assertThat(rooms.count("ready")).isZero();
        new TransactionTemplate(new DataSourceTransactionManager(pool))
                .executeWithoutResult(status -> rowlock.jobs().enqueue(new Greeting("ours")));
        assertThat(greeted.get(1, TimeUnit.MINUTES)).isEqualTo("ours");
    }

    @Test
    void aTenantsTransactionThatComesFirstDoesNotMakeItsDatabaseOurs() throws Exception {
        Rowlock rowlock = rowlocks.built(
                Rowlocks.quick(pool).listener(Greeting.class, (greeting, job) -> greeted.complete(greeting.to())));
        Rooms.in(tenant.dataSource(), new Schema("rowlock"));

        withinTenantsTransaction(() -> rowlock.jobs().enqueue(new Greeting("tenant")));
        rowlock.start();
        rowlock.jobs().enqueue(new Greeting("ours"));

        assertThat(greeted.get(1, TimeUnit.MINUTES)).isEqualTo("ours");
    }

    private void withinTenantsTransaction(Runnable work) throws SQLException {
        try (Connection connection = tenant.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            TransactionSynchronizationManager.bindResource(pool, new ConnectionHolder(connection));
            TransactionSynchronizationManager.initSynchronization();
            TransactionSynchronizationManager.setActualTransactionActive(true);
            try {
                work.run();
                connection.commit();
            } finally {
                TransactionSynchronizationManager.clear();
                Map.copyOf(TransactionSynchronizationManager.getResourceMap())
                        .keySet()
                        .forEach(TransactionSynchronizationManager::unbindResource);
            }
        }
    }
}
