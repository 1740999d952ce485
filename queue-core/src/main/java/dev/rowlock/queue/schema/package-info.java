/**
 * Makes the tables, or checks them.
 *
 * <p>The migrations are run by a Flyway of our own that nobody else sees: its own schema, its own history
 * ({@code schema_history}, inside that schema) and its own folder, so that it lives beside an application's Flyway or
 * Liquibase, or beside neither. {@link dev.rowlock.queue.schema.SchemaScript} is the one list of scripts; a
 * database where all of them have been applied is recognised by one query, without Flyway.
 *
 * <p>Two nodes that start at once both come up: Flyway's lock lets one migrate while the other waits, and the schema
 * and the history table are made with retries. A node that is older than the tables starts too, so that deployments may
 * roll: a script must keep the release before it working. It expands; what nothing uses any more goes away in a later release.
 *
 * <p>A migration that waits for the lock of a table stands in front of all claims that come behind it. So each script waits for
 * a moment only ({@code SET LOCAL lock_timeout = '50ms'}), alters one table that was there before, and does nothing that takes
 * long; {@code ScriptRulesTest} refuses others. If it does not get the lock, it is rolled back and tried again.
 */
@NullMarked
package dev.rowlock.queue.schema;

import org.jspecify.annotations.NullMarked;
