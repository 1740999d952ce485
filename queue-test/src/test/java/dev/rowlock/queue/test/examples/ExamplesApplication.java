package dev.rowlock.queue.test.examples;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application that the pages test. */
@SpringBootApplication
class ExamplesApplication {}
