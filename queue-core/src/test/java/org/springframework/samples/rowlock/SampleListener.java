package org.springframework.samples.rowlock;

import dev.rowlock.queue.JobListener;

/** A listener of an application whose package begins as Spring's do, as that of Spring's samples. */
public class SampleListener {

    /** Its payload. */
    public record Visit(int number) {}

    @JobListener
    void handle(Visit visit) {}
}
