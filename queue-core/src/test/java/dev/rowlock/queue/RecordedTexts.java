package dev.rowlock.queue;

import dev.rowlock.queue.StatementTexts.Text;
import dev.rowlock.queue.internal.db.Proxies;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The statements that are prepared through a data source, as those of the methods that do so. */
final class RecordedTexts {

    /** They prepare the statements of others. */
    private static final Set<String> DOORS =
            Set.of("Database", "OwnTransactions", "ColdStatement", "UncachedPlan", "IndexPlan", "Row", "BoundedSearch");

    private final List<Text> texts = Collections.synchronizedList(new ArrayList<>());

    List<Text> texts() {
        return List.copyOf(texts);
    }

    DataSource of(DataSource target) {
        return new DelegatingDataSource(target) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return Proxies.of(Connection.class, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        add((String) arguments[0]);
                    }
                    return Proxies.call(connection, method, arguments);
                });
            }
        };
    }

    private void add(String sql) {
        StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.filter(RecordedTexts::isNoDoor).findFirst())
                .ifPresent(frame -> add(frame, sql));
    }

    private void add(StackFrame frame, String sql) {
        String method = frame.getMethodName().replaceFirst("lambda\\$(\\w+)\\$\\d+", "$1");
        add(new Text(StatementTexts.outermost(frame.getDeclaringClass()), method, StatementTexts.plain(sql), ""));
    }

    void add(Text text) {
        texts.add(text);
    }

    private static boolean isNoDoor(StackFrame frame) {
        Class<?> outermost = StatementTexts.outermost(frame.getDeclaringClass());
        return outermost.getName().startsWith(OurCode.BASE + ".internal")
                && !DOORS.contains(outermost.getSimpleName())
                && outermost != Proxies.class;
    }
}
