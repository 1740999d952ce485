package dev.rowlock.queue.test.kit;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** Scans nothing: each test imports what it needs. */
@SpringBootConfiguration
@EnableAutoConfiguration
class KitApplication {}
