/**
 * Statements about policies of applications. In a queue that has one, jobs come to ready as everywhere, from whatever statement. {@code HoldJobs} moves them
 * to waiting, {@code AdmitJobs} moves those back that the policy has chosen, with a mark. What a claim takes without a mark goes to waiting, too,
 * by {@code HoldClaimedJobs}: a job may become ready in the moment before the claim.
 *
 * <p>Most of them have pinned plans that are made each time, for the tables as they are: a plan from the time when they were empty joins each row to all others.
 */
@NullMarked
package dev.rowlock.queue.internal.store.policy;

import org.jspecify.annotations.NullMarked;
