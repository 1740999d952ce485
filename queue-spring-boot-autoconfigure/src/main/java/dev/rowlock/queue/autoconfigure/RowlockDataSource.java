package dev.rowlock.queue.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the DataSource that holds Rowlock's tables, where an application has several. For transaction managers there is
 * {@link RowlockTransactionManager}.
 *
 * <p>Jobs are enqueued in the caller's transaction only if that transaction is one of this DataSource.
 */
@Documented
@Qualifier
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
public @interface RowlockDataSource {}
