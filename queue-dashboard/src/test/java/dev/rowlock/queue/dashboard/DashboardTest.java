package dev.rowlock.queue.dashboard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;

/** A test of the dashboard in {@link PlainApplication}, which runs no jobs: so they stay as the test has put them. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        classes = PlainApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "rowlock.dashboard.enabled=true",
            "rowlock.worker.enabled=false",
            "rowlock.dashboard.trace-link=https://traces.example/{traceId}"
        })
@interface DashboardTest {}
