package dev.rowlock.queue.autoconfigure;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The DataSource that holds the jobs; apart from the application's own, because it may have several. */
record JobDataSource(DataSource dataSource) {

    /** What transaction managers know is the target of such a proxy. */
    JobDataSource {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        dataSource = target != null ? target : dataSource;
    }
}
