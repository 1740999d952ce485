/**
 * Policies of applications: which jobs of a queue become ready next.
 *
 * <p>One node asks the policy on behalf of all ({@code PolicyChore}). Its answers renew a time in the table {@code policy} until
 * which it decides. Whatever becomes of the policy or of its node, that time passes, and {@code PolicyFeature} of any node lets
 * the jobs go on. Each node knows the queues whose policies decide ({@code PolicyQueues}); claims of other queues ask a map and
 * nothing else.
 */
@NullMarked
package dev.rowlock.queue.internal.policy;

import org.jspecify.annotations.NullMarked;
