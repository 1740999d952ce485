/**
 * A shop that takes product catalogs, as an example of an application with Rowlock.
 *
 * <p>An import travels through four jobs, each in a transaction that also completes it:
 *
 * <pre>
 * POST /imports ─► ImportCatalog ─┬─► StockProduct × 1,000 ─► thumbnails, stock
 *                                 └─► FinishImport (snoozes until they have ended) ─► SendNotification
 * </pre>
 *
 * Read {@link dev.rowlock.sample.imports} first, then {@link dev.rowlock.sample.product}.
 * {@link dev.rowlock.sample.postgres} only spares you the installation of a database; an application has no such thing.
 */
@NullMarked
package dev.rowlock.sample;

import org.jspecify.annotations.NullMarked;
