package dev.rowlock.queue.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Tells {@link TestJobs} where a test begins. */
final class TestMethods implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(TestJobs.class).ifAvailable(TestJobs::begin);
        }
    }
}
