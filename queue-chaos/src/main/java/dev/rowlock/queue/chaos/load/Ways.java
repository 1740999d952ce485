package dev.rowlock.queue.chaos.load;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.job.JobOptions;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Enqueues one job in one of the ways that an application's transactions offer, and writes down what it was told. */
public final class Ways {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Producer producer;
    private final List<Side> sides;
    private final TransactionTemplate foreign;

    /**
     * @param sources the application's, such as one with auto-commit and one without
     * @param foreign another database of the application's, which jobs have nothing to do with
     */
    public Ways(Producer producer, List<DataSource> sources, DataSource foreign) {
        this.producer = producer;
        this.sides = sources.stream()
                .map(source -> new Side(
                        producer.jobs(source),
                        JdbcClient.create(source),
                        new DataSourceTransactionManager(source),
                        source instanceof HikariDataSource pool ? pool.getPoolName() : source.toString()))
                .toList();
        this.foreign = new TransactionTemplate(new DataSourceTransactionManager(foreign));
    }

    /** Where jobs are enqueued: a DataSource, and its transactions. */
    record Side(JobTemplate jobs, JdbcClient sql, PlatformTransactionManager manager, String name) {

        TransactionTemplate transactions() {
            return new TransactionTemplate(manager);
        }
    }

    /** The one call of a way. {@code id} stays 0 if it was refused. */
    static final class Call {

        private final Side side;
        private final Work work;
        private final JobOptions options;
        private long id;
        private boolean inDoubt;

        Call(Side side, Work work, JobOptions options) {
            this.side = side;
            this.work = work;
            this.options = options;
        }

        /** Never throws: whoever enqueues in a callback of a transaction cannot tell its caller. */
        void enqueue() {
            try {
                id = side.jobs().enqueue(work, options);
            } catch (IllegalStateException | IllegalTransactionStateException e) {
                id = 0; // refused, with the reason
            } catch (DataAccessException | TransactionException e) {
                inDoubt = true;
            }
        }

        /** The same by the function for SQL, in a transaction. */
        void enqueueByFunction() {
            try {
                id = side.sql()
                        .sql("SELECT rowlock.enqueue(?, ?::json, priority => ?)")
                        .params(JobTypes.typeOf(work.getClass()), JSON.writeValueAsString(work), options.priority())
                        .query(Long.class)
                        .single();
            } catch (DataAccessException e) {
                inDoubt = true;
            }
        }

        boolean answered() {
            return id != 0;
        }
    }

    /** Takes one of the ways. */
    public void take(Way way, int side, Work work, JobOptions options) {
        Side chosen = sides.get(side % sides.size());
        Call call = new Call(chosen, work, options);
        Fate fate;
        try {
            fate = way.go(call, chosen, foreign);
        } catch (RuntimeException e) {
            fate = Fate.UNKNOWN; // the commit, or what comes before it, failed
        }
        if (!call.answered()) {
            fate = call.inDoubt ? Fate.UNKNOWN : Fate.ROLLED_BACK;
        }
        producer.note(work, fate == Fate.UNKNOWN ? 0 : call.id, fate, options, way + " on " + chosen.name());
    }
}
