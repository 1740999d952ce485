package dev.rowlock.queue.dashboard.live;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Counts what an application sends to its database. */
public final class CountedStatements implements BeanPostProcessor {

    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean broken;

    /** From now on the feed's statements end with an error, as one of a driver whose class is missing. */
    public void breakFeed(boolean breaks) {
        broken = breaks;
    }

    public int count() {
        return count.get();
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource dataSource ? new Counted(dataSource) : bean;
    }

    private final class Counted extends DelegatingDataSource {

        Counted(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws java.sql.SQLException {
            return watched(Connection.class, super.getConnection());
        }
    }

    private <T> T watched(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("execute")) {
                        count.incrementAndGet();
                        if (broken && Thread.currentThread().getName().equals("rowlock-dashboard-live")) {
                            throw new NoClassDefFoundError("of the driver");
                        }
                    }
                    try {
                        Object answer = method.invoke(target, arguments);
                        return method.getName().equals("unwrap")
                                ? answer
                                : answer instanceof PreparedStatement statement
                                        ? watched(PreparedStatement.class, statement)
                                        : answer instanceof Statement statement
                                                ? watched(Statement.class, statement)
                                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
