package dev.rowlock.queue.test;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.autoconfigure.RowlockAutoConfiguration;
import dev.rowlock.queue.spi.PayloadCodec;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;

/** The bean {@link TestJobs}, in tests with {@link AutoConfigureRowlock}. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnBean(Rowlock.class)
public final class RowlockTestAutoConfiguration {

    @Bean
    TestJobs rowlockTestJobs(
            Rowlock rowlock, PayloadCodec codec, ObjectProvider<PlatformTransactionManager> transactionManagers) {
        return new TestJobs(rowlock, codec, new TestTransaction(rowlock.dataSource(), transactionManagers));
    }
}
