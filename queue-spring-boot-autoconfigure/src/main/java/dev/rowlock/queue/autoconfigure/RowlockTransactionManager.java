package dev.rowlock.queue.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the transaction manager that transactional listeners use, where an application has several for Rowlock's
 * DataSource, or one that does not tell which DataSource it manages. A listener may name another one
 * ({@link dev.rowlock.queue.JobListener#transactionManager}).
 */
@Documented
@Qualifier
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
public @interface RowlockTransactionManager {}
