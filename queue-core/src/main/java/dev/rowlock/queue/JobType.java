package dev.rowlock.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a payload class its stable logical name, and the queue that its jobs belong to.
 *
 * <p>The name, never the class name, is stored with each job: classes may be renamed and moved while their jobs wait.
 * Without this annotation the type is the class's simple name. Within one schema a type is one thing: two applications
 * that both have a {@code SendMail} and share a schema run each other's jobs. Give them names of their own, or a schema each.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobType {

    /** The logical name, such as {@code send-mail}; empty for the class's simple name. */
    String value() default "";

    /**
     * Names under which jobs of this class were stored before. Its listener runs those as well; new jobs get {@link #value()}.
     * Let a name stand here until no job of it is left.
     */
    String[] formerNames() default {};

    /**
     * The queue of these jobs, for producers that name none and listeners that name none. Empty for the queue that a
     * listener in this application names for the type, otherwise {@code default}. Say it here when producer and
     * listener are different applications.
     */
    String queue() default "";

    /**
     * Which of its queue's jobs this one belongs with, for producers that name no {@linkplain dev.rowlock.queue.job.JobOptions#key(String)
     * key}: a <a href="https://docs.spring.io/spring-framework/reference/core/expressions.html">SpEL</a> expression about the payload, such
     * as {@code tenantId} or {@code customer.id}. It may read properties, record components and public methods without arguments. Null means
     * no key; anything else is taken as text. Empty, the default: no key.
     */
    String key() default "";

    /**
     * What people read in lists of jobs: text with properties of the payload in braces, such as {@code "mail to {customer.name}"}. It is made as the
     * job is enqueued, and stored with the job <b>in clear</b>, whatever the codec does to payloads and a redaction hides: put nothing secret there. It
     * has at most 200 characters; control characters become spaces, and what is null or cannot be read a question mark. A misspelt property stops the
     * start. Empty, the default: no title.
     */
    String title() default "";
}
