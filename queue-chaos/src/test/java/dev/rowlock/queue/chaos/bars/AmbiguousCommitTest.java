package dev.rowlock.queue.chaos.bars;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.chaos.proxy.Cut;
import dev.rowlock.queue.chaos.proxy.TcpProxy;
import dev.rowlock.queue.job.UniqueKey;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/** The connection breaks during the commit of an enqueue: the caller gets an exception and cannot know if the job exists. */
class AmbiguousCommitTest {

    private static final Work WORK = new Work.Plain(1, Act.SLEEP, 0);
    private static final UniqueKey KEY = UniqueKey.of("order-42").atLeast(Duration.ofHours(1));

    @TempDir
    private static Path folder;

    private static Stage stage;

    private TcpProxy proxy;
    private Rowlock rowlock;
    private JobTemplate jobs;
    private TransactionTemplate transactions;

    @BeforeAll
    static void start() {
        stage = new Stage(folder);
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    @BeforeEach
    void prepare() {
        proxy = new TcpProxy(stage.database.port());
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL("jdbc:postgresql://127.0.0.1:%d/postgres".formatted(proxy.port()));
        source.setUser("postgres");
        rowlock = Rowlock.builder(source).schemaElsewhere().notifications(false).build();
        jobs = rowlock.jobs();
        transactions = new TransactionTemplate(new JdbcTransactionManager(source));
    }

    @AfterEach
    void close() {
        rowlock.close();
        proxy.close();
        stage.database
                .sql()
                .sql("TRUNCATE rowlock.ready, rowlock.done, rowlock.unique_key")
                .update();
    }

    @Test
    void withoutATransactionTheCallerGetsADataAccessExceptionThoughTheJobMayExist() {
        proxy.cut(Cut.once("INSERT INTO \"rowlock\".ready", Cut.Verdict.BREAK_BEFORE_ANSWER));

        assertThatThrownBy(() -> jobs.enqueue(WORK)).isInstanceOf(DataAccessException.class);

        Stage.await(Duration.ofSeconds(5), () -> stage.count("rowlock.ready") == 1);
    }

    @Test
    void inATransactionTheCommitThrowsThoughTheJobExists() {
        proxy.cut(Cut.once("COMMIT", Cut.Verdict.BREAK_BEFORE_ANSWER));

        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> jobs.enqueue(WORK)))
                .isInstanceOfAny(DataAccessException.class, TransactionException.class);

        Stage.await(Duration.ofSeconds(5), () -> stage.count("rowlock.ready") == 1);
    }

    @Test
    void inATransactionTheCommitThrowsAndTheJobDoesNotExist() {
        proxy.cut(Cut.once("COMMIT", Cut.Verdict.BREAK_BEFORE));

        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> jobs.enqueue(WORK)))
                .isInstanceOfAny(DataAccessException.class, TransactionException.class);

        Stage.await(
                Duration.ofSeconds(5), () -> stage.count("pg_stat_activity WHERE state = 'idle in transaction'") == 0);
        assertThat(stage.count("rowlock.job")).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"BREAK_BEFORE", "BREAK_BEFORE_ANSWER"})
    void aRetryWithAUniqueKeyMakesNoDuplicateAfterALostCommit(Cut.Verdict verdict) {
        proxy.cut(Cut.once("COMMIT", verdict));
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> jobs.enqueueUnique(WORK, KEY)))
                .isInstanceOfAny(DataAccessException.class, TransactionException.class);

        EnqueueResult retried = transactions.execute(status -> jobs.enqueueUnique(WORK, KEY));

        assertThat(retried.created()).isEqualTo(verdict == Cut.Verdict.BREAK_BEFORE);
        assertThat(stage.count("rowlock.job")).isEqualTo(1);
        assertThat(stage.count("rowlock.ready WHERE id = " + retried.id())).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"BREAK_BEFORE", "BREAK_BEFORE_ANSWER"})
    void aRetryWithAUniqueKeyMakesNoDuplicateWithoutATransactionEither(Cut.Verdict verdict) {
        proxy.cut(Cut.once("INSERT INTO \"rowlock\".unique_key", verdict));
        assertThatThrownBy(() -> jobs.enqueue(WORK, o -> o.unique(KEY))).isInstanceOf(DataAccessException.class);

        long retried = jobs.enqueue(WORK, o -> o.unique(KEY));

        assertThat(stage.count("rowlock.job")).isEqualTo(1);
        assertThat(stage.count("rowlock.ready WHERE id = " + retried)).isEqualTo(1);
    }

    @Test
    void aRetryWithAUniqueKeyThatIsHeldLongEnoughMakesNoDuplicateThoughTheJobHasEnded() {
        proxy.cut(Cut.once("COMMIT", Cut.Verdict.BREAK_BEFORE_ANSWER));
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> jobs.enqueueUnique(WORK, KEY)))
                .isInstanceOfAny(DataAccessException.class, TransactionException.class);
        try (Worker worker = stage.worker(stage.setup())) {
            stage.awaitEnded(Duration.ofSeconds(30));
        }

        EnqueueResult retried = transactions.execute(status -> jobs.enqueueUnique(WORK, KEY));

        assertThat(retried.created()).isFalse();
        assertThat(stage.count("rowlock.job")).isEqualTo(1);
        assertThat(stage.count("rowlock.done WHERE id = " + retried.id())).isEqualTo(1);
    }
}
