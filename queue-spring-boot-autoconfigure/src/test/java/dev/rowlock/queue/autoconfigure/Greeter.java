package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobListener;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A listener that remembers what it was called with, and by which thread. */
class Greeter {

    record Greeting(String text) {}

    record Call(String text, Thread thread) {}

    private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();

    @JobListener(queue = "greetings")
    public void greet(Greeting greeting) {
        calls.add(new Call(greeting.text(), Thread.currentThread()));
    }

    /** Waits for the next call; fails if none comes for long. */
    Call nextCall() throws InterruptedException {
        Call call = calls.poll(30, TimeUnit.SECONDS);
        if (call == null) {
            throw new AssertionError("the listener was not called");
        }
        return call;
    }
}
