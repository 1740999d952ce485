/**
 * The PostgreSQL server that runs when {@code spring.datasource.url} names none, so that one command shows the sample.
 * An application has a database already and nothing like this package.
 *
 * <p>The server belongs to a folder rather than to a process: whoever starts first creates and starts it, others that
 * name the same folder use it, and the last one that leaves in an orderly way stops it. Starting and stopping happen
 * under a lock on a file in that folder, which ends with the process that holds it. Membership is a shared advisory
 * lock on a connection that each process keeps open, which ends with the process too. After a kill the server is
 * therefore simply found running by the next start; if it was killed as well, the next start recovers its data.
 */
@NullMarked
package dev.rowlock.sample.postgres;

import org.jspecify.annotations.NullMarked;
