package dev.rowlock.queue;

import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.settings.LateAfter;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.QueuePatterns;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.settings.SearchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/** What a {@link RowlockBuilder} has been told. The lists of a copy do not change. */
final class RowlockSettings {

    final DataSource dataSource;
    List<ListenerSource> listeners = new ArrayList<>();
    List<Supplier<? extends Collection<? extends JobObserver>>> observers = new ArrayList<>();
    List<Supplier<? extends Collection<? extends JobInterceptor>>> interceptors = new ArrayList<>();
    List<Supplier<? extends Collection<? extends ErrorRedactor>>> redactors = new ArrayList<>();
    List<Supplier<? extends Collection<RecurringJob>>> recurring = new ArrayList<>();
    Map<String, QueueLimit> limits = new TreeMap<>();
    List<Supplier<? extends Collection<? extends AdmissionPolicy>>> policies = new ArrayList<>();
    PolicyTimes policyTimes = PolicyTimes.DEFAULT;
    List<Supplier<? extends Collection<? extends EnqueueInterceptor>>> enqueueInterceptors = new ArrayList<>();
    List<Supplier<? extends Collection<? extends AttemptInterceptor>>> attemptInterceptors = new ArrayList<>();
    String schema = "rowlock";

    @Nullable
    SchemaMode onBuild = SchemaMode.MIGRATE;

    @Nullable
    SchemaMode onStart;

    boolean runsJobs = true;
    boolean keepAlive = true;
    boolean autoStartup = true;
    boolean schedulesRecurring = true;
    String defaultQueue = JobTemplate.DEFAULT_QUEUE;
    QueuePatterns queues = QueuePatterns.ALL;
    boolean notifications = true;
    WorkerSettings worker = WorkerSettings.DEFAULT;
    LeaseSettings lease = LeaseSettings.defaults();
    RetentionSettings retention = RetentionSettings.DEFAULT;
    SearchSettings search = SearchSettings.DEFAULT;
    RetryPolicy retry = RetryPolicy.DEFAULT;
    LateAfter lateAfter = LateAfter.DEFAULT;
    PayloadCodec codec = new JacksonPayloadCodec(List.of());
    long maxPayloadBytes = 1 << 20;

    @Nullable
    EncryptionKeys encryptionKeys;

    @Nullable
    DataSource unpooled;

    Supplier<? extends @Nullable TransactionOperations> transactions;

    RowlockSettings(DataSource dataSource) {
        this.dataSource = dataSource;
        this.transactions = () -> new TransactionTemplate(new JdbcTransactionManager(dataSource));
    }

    private RowlockSettings(RowlockSettings other) {
        this.dataSource = other.dataSource;
        this.listeners = List.copyOf(other.listeners);
        this.observers = List.copyOf(other.observers);
        this.interceptors = List.copyOf(other.interceptors);
        this.enqueueInterceptors = List.copyOf(other.enqueueInterceptors);
        this.attemptInterceptors = List.copyOf(other.attemptInterceptors);
        this.redactors = List.copyOf(other.redactors);
        this.recurring = List.copyOf(other.recurring);
        this.limits = Map.copyOf(other.limits);
        this.policies = List.copyOf(other.policies);
        this.policyTimes = other.policyTimes;
        this.schema = other.schema;
        this.onBuild = other.onBuild;
        this.onStart = other.onStart;
        this.runsJobs = other.runsJobs;
        this.keepAlive = other.keepAlive;
        this.autoStartup = other.autoStartup;
        this.schedulesRecurring = other.schedulesRecurring;
        this.defaultQueue = other.defaultQueue;
        this.queues = other.queues;
        this.notifications = other.notifications;
        this.worker = other.worker;
        this.lease = other.lease;
        this.retention = other.retention;
        this.search = other.search;
        this.retry = other.retry;
        this.lateAfter = other.lateAfter;
        this.codec = other.codec;
        this.maxPayloadBytes = other.maxPayloadBytes;
        this.encryptionKeys = other.encryptionKeys;
        this.unpooled = other.unpooled;
        this.transactions = other.transactions;
    }

    RowlockSettings copy() {
        return new RowlockSettings(this);
    }
}
