package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.db.Proxies;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A pool on which no statement of the recorder gets an answer that names a certain job, until its connection's network timeout. */
final class WithheldAnswers {

    private final DataSource pool;
    private final CountDownLatch given = new CountDownLatch(1);
    private volatile long job;

    WithheldAnswers(DataSource pool) {
        this.pool = pool;
    }

    void withholdFor(long job) {
        this.job = job;
    }

    /** From now on there are answers, also for who is waiting. */
    void give() {
        given.countDown();
    }

    DataSource dataSource() {
        return Proxies.of(DataSource.class, (self, method, arguments) -> {
            Object result = Proxies.call(pool, method, arguments);
            return result instanceof Connection connection ? connection(connection) : result;
        });
    }

    private Connection connection(Connection connection) {
        return Proxies.of(Connection.class, (self, method, arguments) -> {
            Object result = Proxies.call(connection, method, arguments);
            return result instanceof PreparedStatement statement ? statement(statement, connection) : result;
        });
    }

    private PreparedStatement statement(PreparedStatement statement, Connection connection) {
        return Proxies.of(PreparedStatement.class, new InvocationHandler() {

            private boolean named;

            @Override
            public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
                if (method.getName().equals("setObject") && arguments[1] instanceof long[] ids) {
                    named |= Thread.currentThread().getName().equals("rowlock-recorder")
                            && Arrays.stream(ids).anyMatch(id -> id == job);
                }
                if (named
                        && method.getName().startsWith("execute")
                        && !given.await(connection.getNetworkTimeout(), TimeUnit.MILLISECONDS)) {
                    throw new SQLException("no answer within the network timeout", "08006");
                }
                return Proxies.call(statement, method, arguments);
            }
        });
    }
}
