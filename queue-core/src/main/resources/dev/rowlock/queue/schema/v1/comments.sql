-- What everything is, for whoever reads the database with \d+.

DO $$
BEGIN
    COMMENT ON SCHEMA ${schema} IS 'Rowlock, a job queue. Read the views job and failure; change jobs by JobAdmin, not by hand.';
EXCEPTION
    WHEN insufficient_privilege THEN NULL; -- somebody else owns the schema
END
$$;

COMMENT ON SEQUENCE ${schema}.job_id IS 'Ids of jobs. Gaps are normal.';
COMMENT ON SEQUENCE ${schema}.claim_token IS 'Claim tokens. They must only grow: never set it back, never give it a cache.';
COMMENT ON SEQUENCE ${schema}.node_id IS 'Ids of nodes. They are never used again.';

COMMENT ON VIEW ${schema}.job IS 'All jobs, one short line each.';
COMMENT ON VIEW ${schema}.job_details IS 'All jobs with everything that is known of them, payloads too.';
COMMENT ON VIEW ${schema}.failure IS 'The last error of each job that has not ended well.';
COMMENT ON TABLE ${schema}.ready IS 'Jobs that may run now.';
COMMENT ON TABLE ${schema}.waiting IS 'Jobs that are due later.';
COMMENT ON TABLE ${schema}.running IS 'Jobs that a node has claimed.';
COMMENT ON TABLE ${schema}.done IS 'Jobs that were completed or cancelled. One partition a day, UTC, or more where they are kept for long.';
COMMENT ON TABLE ${schema}.dead IS 'Jobs whose last attempt failed, and quarantined ones. They wait for redrive or discard.';
COMMENT ON TABLE ${schema}.payload IS 'Large payloads. Their jobs have null as payload.';
COMMENT ON TABLE ${schema}.unique_key IS 'The job that holds, or last held, a unique key.';
COMMENT ON TABLE ${schema}.node IS 'Processes that run jobs. A row is a lease.';
COMMENT ON TABLE ${schema}.past_node IS 'Processes that are gone, as long as an ended job may name them.';
COMMENT ON TABLE ${schema}.reached IS 'How far claims have got in each queue. A hint; it may be emptied at any time.';
COMMENT ON TABLE ${schema}.chore IS 'Work that one node does for all.';
COMMENT ON TABLE ${schema}.depth IS 'The last measurement of how many jobs there are.';
COMMENT ON TABLE ${schema}.retention IS 'How long nodes want ended jobs and the audit to be kept. The longest wins.';
COMMENT ON TABLE ${schema}.dropped IS 'How many jobs retention and discard have removed.';
COMMENT ON FUNCTION ${schema}.last_job_id() IS 'The last id that was given to a job.';
COMMENT ON FUNCTION ${schema}.with_error(jsonb, smallint, bigint, jsonb) IS 'Adds an entry to the errors of a job; keeps the last 20.';
COMMENT ON FUNCTION ${schema}.days_of_done() IS 'The days for which done has a partition.';
COMMENT ON FUNCTION ${schema}.ensure_done_partitions(int) IS 'Makes the partitions of done for today and some days to come.';
COMMENT ON FUNCTION ${schema}.drop_done_partition(text) IS 'Drops one partition of done.';
COMMENT ON TABLE ${schema}.done_place IS 'In which partition of done jobs lie that ended on a day that is over.';
COMMENT ON VIEW ${schema}.done_partition IS 'The partitions of done, and whether done_place has their jobs.';
COMMENT ON VIEW ${schema}.other_job_details IS 'Jobs that have not ended well, with everything that is known of them, payloads too.';
COMMENT ON FUNCTION ${schema}.done_bounds(regclass) IS 'Where a partition begins and ends.';
COMMENT ON FUNCTION ${schema}.note_done_place() IS 'Notes the place of a job that comes to a day that is over.';
COMMENT ON FUNCTION ${schema}.done_stretches(bigint[]) IS 'The stretches of time in done that may have these jobs.';
COMMENT ON FUNCTION ${schema}.take_skipped_jobs(bigint[]) IS 'Takes those of these jobs out of done that were cancelled before they ran.';
COMMENT ON FUNCTION ${schema}.done_jobs(bigint[]) IS 'Those of these jobs that were completed or cancelled. Reads no more partitions than it must.';
COMMENT ON FUNCTION ${schema}.jobs_by_id(bigint[]) IS 'These jobs with everything that is known of them, as job_details has it. Reads no more partitions than it must.';
COMMENT ON FUNCTION ${schema}.index_done_partition(text) IS 'Makes the indexes of a partition of done whose time is over: done_place, and one by queue.';

-- A column means the same wherever it stands, but for those named with their table.
DO $$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT format('COMMENT ON COLUMN %s.%I IS %L', c.oid::regclass, a.attname, m.meaning)
          FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          JOIN (VALUES
            ('id', 'Id of the job.'),
            ('node.id', 'Id of the node.'),
            ('past_node.id', 'Id of the node.'),
            ('job_id', 'Id of the job.'),
            ('state', 'waiting, ready, running, completed, cancelled, dead or quarantined.'),
            ('done_place.block', 'The id of a job, divided by 64.'),
            ('done_place.day', 'The first day of the partition, which bears its name.'),
            ('done_place.bits', 'One for each of the 64 ids.'),
            ('depth.room', 'waiting, ready, running or dead.'),
            ('queue', 'Its queue.'),
            ('job_key', 'Which tenant, account or document it is about: limits count by it; null: none.'),
            ('gate', 'Its key, or empty text, if it counts against limits of its queue; null: it does not.'),
            ('last_job', 'The last id that a job had when it died.'),
            ('type', 'Its type, which chooses the listener.'),
            ('priority', 'Higher runs first; 0 by default.'),
            ('rank', 'Minus its priority: the lowest rank runs first.'),
            ('attempt', 'Number of its last attempt, the running one included; 0: none yet. Attempts that a crash or release undid do not count.'),
            ('crashes', 'How often its node died while it ran.'),
            ('max_retries', 'Attempts after the first; null: as its listener says.'),
            ('timeout_millis', 'Time that an attempt may take, in milliseconds; null: as its listener says.'),
            ('enqueued_at', 'When it was enqueued.'),
            ('due_at', 'When it becomes runnable, or became so.'),
            ('chore.due_at', 'When it is to be done again.'),
            ('ready_at', 'Since when it is runnable.'),
            ('claimed_at', 'When its last attempt was claimed; null: it never was.'),
            ('deadline', 'When its attempt must have ended; null: no limit.'),
            ('finished_at', 'When it was completed or cancelled.'),
            ('died_at', 'When it died or was quarantined.'),
            ('job_details.ended_at', 'When it was completed, cancelled, died or was quarantined.'),
            ('other_job_details.ended_at', 'When it was completed, cancelled, died or was quarantined.'),
            ('node_id', 'Node of its last attempt; its name is in node or past_node.'),
            ('token', 'Number of its last claim. Only the claim with this number may record the outcome.'),
            ('reason', 'Why it waits: scheduled, retry, snooze, unknown-type, not-started, crash, redrive.'),
            ('progress', 'Progress in percent, 0 to 100, as its handler said last.'),
            ('progress_note', 'What its handler said about its progress.'),
            ('cancel_requested', 'Whether somebody asked to cancel it.'),
            ('isolated', 'Whether it was started as the only suspect of its node.'),
            ('payload', 'What it works on; null: it lies in the table payload.'),
            ('payload.payload', 'What the job works on.'),
            ('job_details.payload', 'What it works on.'),
            ('headers', 'Its headers, as JSON object.'),
            ('errors', 'What went wrong, oldest first, the last 20: attempt, node, at, type, message, trace.'),
            ('result', 'What its handler returned; null: nothing was kept.'),
            ('job.at', 'waiting: when it is due; ready and running: since when; ended: when.'),
            ('job.why', 'Why it waits or died, with its last error; running: its progress.'),
            ('job.node', 'Name of the node of its last attempt.'),
            ('failure.node', 'Name of the node on which it failed.'),
            ('failed_at', 'When its last error was recorded.'),
            ('failed_attempt', 'The attempt that failed.'),
            ('class', 'Class of the exception, or a word such as timeout or crash.'),
            ('message', 'Message of the exception.'),
            ('trace', 'Stack trace.'),
            ('bytes', 'Size of the payload in bytes, not compressed.'),
            ('key', 'The unique key, among jobs of the type.'),
            ('held_until', 'The key is not free before, even if the job has ended; null: free as it ends.'),
            ('name', 'Name, for people: host name and process id by default.'),
            ('chore.name', 'Name of the chore.'),
            ('queues', 'Queues whose jobs it runs.'),
            ('started_at', 'When it started.'),
            ('past_node.ended_at', 'When it stopped or its lease ran out.'),
            ('expired', 'Whether its lease ran out; false: it stopped in good order.'),
            ('heartbeat_at', 'Its last heartbeat.'),
            ('beats', 'How many heartbeats there were.'),
            ('lease_millis', 'It counts as dead after so many milliseconds without a heartbeat.'),
            ('retries', 'Retries and waits of its listeners, by type.'),
            ('reached_at', 'When the claim got there.'),
            ('taken_at', 'When a node took it last.'),
            ('jobs', 'How many jobs.'),
            ('oldest_at', 'ready: since when the oldest job is runnable.'),
            ('measured_at', 'When it was measured.'),
            ('done_millis', 'How long completed and cancelled jobs are kept, in milliseconds.'),
            ('dead_millis', 'How long dead jobs are kept, in milliseconds; the largest number: for ever.'),
            ('audit_millis', 'How long the audit is kept, in milliseconds.'),
            ('stated_at', 'When a node last said so.'),
            ('dropped_at', 'When they were removed.'),
            ('room', 'From where: done or dead.'),
            ('done_partition.partition', 'Name of the table.'),
            ('done_partition.from_at', 'Jobs that ended then or later lie in it.'),
            ('done_partition.until_at', 'Jobs that ended then or later do not.'),
            ('done_partition.is_ours', 'Whether it has the name of a day, as the partitions that Rowlock makes and drops.'),
            ('done_partition.indexed', 'Whether done_place has its jobs.')
          ) AS m (name, meaning) ON m.name IN (a.attname, c.relname || '.' || a.attname)
         WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
           AND c.relname <> 'schema_history'
         ORDER BY m.name LIKE '%.%' -- the particular meaning comes last and stays
    LOOP
        EXECUTE command;
    END LOOP;
END
$$;

COMMENT ON SEQUENCE ${schema}.audit_id_seq IS 'Numbers of audit lines. Gaps are normal.';
COMMENT ON SEQUENCE ${schema}.bulk_action_id_seq IS 'Numbers of bulk actions. Gaps are normal.';

COMMENT ON TABLE ${schema}.numbering IS 'A row: since the server has last recovered, the sequences have moved on.';
COMMENT ON COLUMN ${schema}.numbering.moved_at IS 'When they did.';

COMMENT ON COLUMN ${schema}.dead.fingerprint IS 'Fingerprint of its last error: jobs that died of the same kind of error have the same.';
COMMENT ON COLUMN ${schema}.dead.last_job IS 'The last id that a job had when it died; 0: it was skipped, and does not hold up its key.';

COMMENT ON COLUMN ${schema}.dead.told IS 'Whether a job was enqueued that tells its listener of this death.';

COMMENT ON TABLE ${schema}.dead_listener IS 'Types whose listeners want to be told of dead jobs (onDead).';
COMMENT ON COLUMN ${schema}.dead_listener.type IS 'Theirs.';
COMMENT ON COLUMN ${schema}.dead_listener.since IS 'Of jobs that died before, nobody is told.';
COMMENT ON COLUMN ${schema}.dead_listener.seen_at IS 'When a node last had such a listener. A week later it begins anew.';

COMMENT ON TABLE ${schema}.job_log IS 'Lines that handlers have written to the logs of their jobs.';
COMMENT ON COLUMN ${schema}.job_log.job_id IS 'The job.';
COMMENT ON COLUMN ${schema}.job_log.token IS 'Token of the claim that the handler had.';
COMMENT ON COLUMN ${schema}.job_log.number IS 'Grows with each line of a claim.';
COMMENT ON COLUMN ${schema}.job_log.attempt IS 'In which attempt, 1 for the first.';
COMMENT ON COLUMN ${schema}.job_log.at IS 'When it was logged.';
COMMENT ON COLUMN ${schema}.job_log.text IS 'The line.';

COMMENT ON COLUMN ${schema}.node.slots IS 'How many jobs it runs at once, for each of its queues in their order.';

COMMENT ON TABLE ${schema}.figure IS 'The last measurement of the database: what holds back vacuum, dead rows, sizes.';
COMMENT ON COLUMN ${schema}.figure.name IS 'What was measured; the meter rowlock.database.<name> exports it.';
COMMENT ON COLUMN ${schema}.figure.detail IS 'Of which table, or by which holder; empty: there is only one.';
COMMENT ON COLUMN ${schema}.figure.value IS 'In the unit of the meter.';
COMMENT ON COLUMN ${schema}.figure.measured_at IS 'When.';

COMMENT ON TABLE ${schema}.once_more IS 'Jobs that run once more after the present run of their unique key. Not to be changed by hand.';
COMMENT ON COLUMN ${schema}.once_more.job_id IS 'The job that waits.';
COMMENT ON COLUMN ${schema}.once_more.after_id IS 'The job whose end it waits for.';
COMMENT ON COLUMN ${schema}.once_more.type IS 'Type of both.';
COMMENT ON COLUMN ${schema}.once_more.key IS 'Unique key of both.';
COMMENT ON COLUMN ${schema}.once_more.due_at IS 'When it is due, once that job has ended; null: at once.';

COMMENT ON TABLE ${schema}.schedule IS 'Recurring jobs. Change them by RecurringJobs, not by hand.';
COMMENT ON COLUMN ${schema}.schedule.name IS 'Name of the recurring job.';
COMMENT ON COLUMN ${schema}.schedule.version IS 'Grows with each change.';
COMMENT ON COLUMN ${schema}.schedule.cron IS 'Cron expression; null: it has a fixed rate.';
COMMENT ON COLUMN ${schema}.schedule.zone IS 'Time zone of the cron expression.';
COMMENT ON COLUMN ${schema}.schedule.every_millis IS 'Fixed rate in milliseconds; null: it has a cron expression.';
COMMENT ON COLUMN ${schema}.schedule.jitter_millis IS 'Each run is put off by up to so many milliseconds.';
COMMENT ON COLUMN ${schema}.schedule.missed IS 'What becomes of missed runs.';
COMMENT ON COLUMN ${schema}.schedule.missed_runs IS 'run_all: how many missed runs are made up for.';
COMMENT ON COLUMN ${schema}.schedule.missed_window_millis IS 'run_all: how old they may be, in milliseconds.';
COMMENT ON COLUMN ${schema}.schedule.overlap IS 'What becomes of a run while the last job has not ended.';
COMMENT ON COLUMN ${schema}.schedule.rank IS 'Minus the priority of its jobs.';
COMMENT ON COLUMN ${schema}.schedule.max_retries IS 'Attempts of its jobs after the first; null: as their listener says.';
COMMENT ON COLUMN ${schema}.schedule.timeout_millis IS 'Time that an attempt may take, in milliseconds; null: as their listener says.';
COMMENT ON COLUMN ${schema}.schedule.queue IS 'Queue of its jobs.';
COMMENT ON COLUMN ${schema}.schedule.type IS 'Type of its jobs.';
COMMENT ON COLUMN ${schema}.schedule.payload IS 'Payload of its jobs.';
COMMENT ON COLUMN ${schema}.schedule.headers IS 'Headers of its jobs, without those that name the run.';
COMMENT ON COLUMN ${schema}.schedule.next_at IS 'The time of its next run.';
COMMENT ON COLUMN ${schema}.schedule.fire_at IS 'When that run is enqueued; null: it is paused or retired.';
COMMENT ON COLUMN ${schema}.schedule.queued_at IS 'The time of a run that waits for the end of the last job.';
COMMENT ON COLUMN ${schema}.schedule.last_at IS 'The time of the last run for which a job was enqueued.';
COMMENT ON COLUMN ${schema}.schedule.last_job_id IS 'Id of its last job.';
COMMENT ON COLUMN ${schema}.schedule.skipped IS 'How many runs did not take place because the last job had not ended.';
COMMENT ON COLUMN ${schema}.schedule.skipped_in_a_row IS 'How many of them since the last run that was enqueued.';
COMMENT ON COLUMN ${schema}.schedule.paused_at IS 'When it was paused; null: it is not.';
COMMENT ON COLUMN ${schema}.schedule.declared_by IS 'Node whose application declares it so; null: it was made at run time.';
COMMENT ON COLUMN ${schema}.schedule.declared_process IS 'First node of that process; of several versions the one that was started last decides.';
COMMENT ON COLUMN ${schema}.schedule.declared_at IS 'When a node last said that its application declares it.';
COMMENT ON COLUMN ${schema}.schedule.retired_at IS 'Since when no node declares it; null: it runs.';
COMMENT ON COLUMN ${schema}.schedule.job_key IS 'The key of each of its jobs; null: none.';
COMMENT ON COLUMN ${schema}.schedule.recent_job_ids IS 'Ids of its last jobs, up to ten, the newest first.';

COMMENT ON TABLE ${schema}.checkpoint IS 'What handlers of long jobs have noted for their next attempt.';
COMMENT ON COLUMN ${schema}.checkpoint.job_id IS 'Id of the job.';
COMMENT ON COLUMN ${schema}.checkpoint.token IS 'Token of the claim that saved it.';
COMMENT ON COLUMN ${schema}.checkpoint.saved_at IS 'When it was saved.';
COMMENT ON COLUMN ${schema}.checkpoint.data IS 'What the handler noted.';

COMMENT ON TABLE ${schema}.queue_limit IS 'How many jobs of a queue may run, how fast they may begin, and in which order, over all nodes.';
COMMENT ON COLUMN ${schema}.queue_limit.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.queue_limit.max_running IS 'So many of its jobs at once; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.max_running_per_key IS 'So many of its jobs of each key at once; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.rate_jobs IS 'So many of its jobs begin in a time; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.rate_millis IS 'That time, in milliseconds.';
COMMENT ON COLUMN ${schema}.queue_limit.rate_burst IS 'So many may begin at once after a pause.';
COMMENT ON COLUMN ${schema}.queue_limit.key_rate_jobs IS 'So many of its jobs of each key begin in a time; null: no limit.';
COMMENT ON COLUMN ${schema}.queue_limit.key_rate_millis IS 'That time, in milliseconds.';
COMMENT ON COLUMN ${schema}.queue_limit.key_rate_burst IS 'So many may begin at once after a pause.';
COMMENT ON COLUMN ${schema}.queue_limit.in_order IS 'Jobs of a key run one after the other; when one is dead, the others: hold, continue, cancel-rest. Null: in no strict order.';
COMMENT ON COLUMN ${schema}.queue_limit.of_queue IS 'Whether something limits the queue as a whole.';
COMMENT ON COLUMN ${schema}.queue_limit.of_keys IS 'Whether something limits its keys.';
COMMENT ON COLUMN ${schema}.queue_limit.declared IS 'Whether an application declares it; false: it was set at run time.';
COMMENT ON COLUMN ${schema}.queue_limit.changed_at IS 'When it was set.';
COMMENT ON COLUMN ${schema}.queue_limit.who IS 'Who set it; null: nobody said.';
COMMENT ON COLUMN ${schema}.queue_limit.burst_per_key IS 'So many of its jobs of each key at once while no other key that is below its limit wants the places; null: no more than the limit.';
COMMENT ON COLUMN ${schema}.queue_limit.declared_limit IS 'What applications declare while something else is set at run time: its columns by name; null: nothing.';

COMMENT ON TABLE ${schema}.rate_state IS 'How far each rate is used up. The row with the highest number counts.';
COMMENT ON COLUMN ${schema}.rate_state.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.rate_state.gate IS 'The key; empty: the queue as a whole.';
COMMENT ON COLUMN ${schema}.rate_state.number IS 'The row with the highest number counts.';
COMMENT ON COLUMN ${schema}.rate_state.next_at IS 'When the next job may begin, leaving the burst aside; an epoch in seconds.';
COMMENT ON COLUMN ${schema}.rate_state.held_until IS 'Nothing begins before, because a handler was refused; an epoch in seconds; null: no such time.';

COMMENT ON TABLE ${schema}.key_weight IS 'Keys that get more than others of each claim.';
COMMENT ON COLUMN ${schema}.key_weight.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.key_weight.job_key IS 'The key.';
COMMENT ON COLUMN ${schema}.key_weight.weight IS 'It gets so many times as many jobs of each claim as a key without a row.';

COMMENT ON TABLE ${schema}.policy IS 'Queues whose jobs an application''s policy chooses.';
COMMENT ON COLUMN ${schema}.policy.queue IS 'Name of the queue.';
COMMENT ON COLUMN ${schema}.policy.node_id IS 'The node that asks the policy; null: none yet.';
COMMENT ON COLUMN ${schema}.policy.decides_until IS 'Until then only jobs run that the policy has chosen, unless it answers again.';
COMMENT ON COLUMN ${schema}.policy.asked_at IS 'When a node last tried to ask it.';

COMMENT ON TABLE ${schema}.held_job IS 'Jobs in waiting that a policy has not chosen yet.';
COMMENT ON COLUMN ${schema}.held_job.job_id IS 'Id of the job.';
COMMENT ON COLUMN ${schema}.held_job.due_at IS 'When it goes on by itself; its row in waiting says the same, or this row says nothing.';
COMMENT ON COLUMN ${schema}.held_job.ready_at IS 'Since when it could run.';
COMMENT ON COLUMN ${schema}.held_job.rank IS 'Minus its priority.';
COMMENT ON COLUMN ${schema}.held_job.queue IS 'Its queue.';

COMMENT ON TABLE ${schema}.admitted_job IS 'Jobs in ready that a policy has chosen.';
COMMENT ON COLUMN ${schema}.admitted_job.queue IS 'Queue of the job.';
COMMENT ON COLUMN ${schema}.admitted_job.job_id IS 'Id of the job.';
COMMENT ON COLUMN ${schema}.admitted_job.admitted_at IS 'When it was chosen.';

COMMENT ON TABLE ${schema}.workflow IS 'Workflows and batches.';
COMMENT ON COLUMN ${schema}.workflow.id IS 'Id of the workflow; no job has the same.';
COMMENT ON COLUMN ${schema}.workflow.name IS 'Its name, for people.';
COMMENT ON COLUMN ${schema}.workflow.state IS 'running, cancelling, completed, failed or cancelled.';
COMMENT ON COLUMN ${schema}.workflow.started_at IS 'When it was started.';
COMMENT ON COLUMN ${schema}.workflow.ended_at IS 'When the last of its jobs had ended; null: it runs.';

COMMENT ON TABLE ${schema}.workflow_step IS 'Steps of workflows: one job or many.';
COMMENT ON COLUMN ${schema}.workflow_step.workflow_id IS 'Its workflow.';
COMMENT ON COLUMN ${schema}.workflow_step.step_no IS 'Number of the step, from 0.';
COMMENT ON COLUMN ${schema}.workflow_step.name IS 'Name of the step.';
COMMENT ON COLUMN ${schema}.workflow_step.state IS 'waiting: for its parents; releasing, released: its jobs may run; skipping, skipped: they were cancelled because of a parent; reviving: they come back.';
COMMENT ON COLUMN ${schema}.workflow_step.accepts IS 'Whether jobs may be added to it from outside.';
COMMENT ON COLUMN ${schema}.workflow_step.due_at IS 'When its jobs are due, once they are released; null: see delay_millis.';
COMMENT ON COLUMN ${schema}.workflow_step.delay_millis IS 'How long after their release its jobs are due, in milliseconds; null: at once.';
COMMENT ON COLUMN ${schema}.workflow_step.moving IS 'Whether its jobs are being moved: it is releasing, skipping or reviving.';

COMMENT ON TABLE ${schema}.workflow_edge IS 'Which step runs after which.';
COMMENT ON COLUMN ${schema}.workflow_edge.workflow_id IS 'Its workflow.';
COMMENT ON COLUMN ${schema}.workflow_edge.parent_no IS 'The step that comes first.';
COMMENT ON COLUMN ${schema}.workflow_edge.child_no IS 'The step that comes after it.';
COMMENT ON COLUMN ${schema}.workflow_edge.runs_after IS 'success: or it is skipped; success-or-hold: or it goes on waiting; end: whatever became of it; failure: only then.';

COMMENT ON TABLE ${schema}.workflow_job IS 'Jobs of steps. Follows from the rooms, a moment later.';
COMMENT ON COLUMN ${schema}.workflow_job.job_id IS 'Id of the job; negative: of a workflow that counts as one.';
COMMENT ON COLUMN ${schema}.workflow_job.workflow_id IS 'Its workflow.';
COMMENT ON COLUMN ${schema}.workflow_job.step_no IS 'Its step.';
COMMENT ON COLUMN ${schema}.workflow_job.state IS '0: it has not ended; 1: it is dead; 2: it was completed; 3: it was cancelled; 4: it was cancelled because its step was skipped.';
COMMENT ON COLUMN ${schema}.workflow_job.failure IS 'Its state, if it is dead or was cancelled; null: it has not ended, or was completed.';
COMMENT ON COLUMN ${schema}.workflow_job.next_steps IS 'Steps that run as soon as it has completed, because they wait for nothing else; null: there are none, or there is more to be decided.';

COMMENT ON TABLE ${schema}.pause IS 'Queues and types that are paused, or everything.';
COMMENT ON COLUMN ${schema}.pause.kind IS 'queue, type or everything.';
COMMENT ON COLUMN ${schema}.pause.name IS 'Name of the queue or type; empty: everything.';
COMMENT ON COLUMN ${schema}.pause.paused_at IS 'Since when it is paused.';
COMMENT ON COLUMN ${schema}.pause.who IS 'Who paused it.';
COMMENT ON COLUMN ${schema}.pause.why IS 'Why; null: nobody said.';

COMMENT ON TABLE ${schema}.audit IS 'Who did what to jobs, queues and types, and why.';
COMMENT ON COLUMN ${schema}.audit.id IS 'Its number. Gaps are normal.';
COMMENT ON COLUMN ${schema}.audit.at IS 'When it was done; of a bulk action when it was asked for.';
COMMENT ON COLUMN ${schema}.audit.who IS 'Who did it.';
COMMENT ON COLUMN ${schema}.audit.why IS 'Why; null: nobody said.';
COMMENT ON COLUMN ${schema}.audit.action IS 'What was done.';
COMMENT ON COLUMN ${schema}.audit.subject IS 'To what: a job, a queue, a type, or the filter of a bulk action.';
COMMENT ON COLUMN ${schema}.audit.detail IS 'How, such as the new priority; null: there is nothing to say.';
COMMENT ON COLUMN ${schema}.audit.jobs IS 'To how many jobs so far.';
COMMENT ON COLUMN ${schema}.audit.refused IS 'How many jobs a bulk action has passed over, because the server refuses to change them.';
COMMENT ON COLUMN ${schema}.audit.refusal IS 'Why the last of them was refused; null: none was.';
COMMENT ON COLUMN ${schema}.audit.bulk_action_id IS 'The bulk action; null: it was another action.';

COMMENT ON TABLE ${schema}.bulk_action IS 'Redrives, discards and cancels of many jobs, with their progress.';
COMMENT ON COLUMN ${schema}.bulk_action.id IS 'Its number. Gaps are normal.';
COMMENT ON COLUMN ${schema}.bulk_action.kind IS 'redrive, discard or cancel.';
COMMENT ON COLUMN ${schema}.bulk_action.state IS 'running, finished or cancelled.';
COMMENT ON COLUMN ${schema}.bulk_action.filter IS 'Which jobs it is for.';
COMMENT ON COLUMN ${schema}.bulk_action.who IS 'Who asked for it.';
COMMENT ON COLUMN ${schema}.bulk_action.why IS 'Why; null: nobody said.';
COMMENT ON COLUMN ${schema}.bulk_action.created_at IS 'When it was asked for. Jobs that come later are none of its.';
COMMENT ON COLUMN ${schema}.bulk_action.counted IS 'How many jobs there were for it then.';
COMMENT ON COLUMN ${schema}.bulk_action.counted_all IS 'Whether all of them were counted; false: there were more.';
COMMENT ON COLUMN ${schema}.bulk_action.done IS 'To how many jobs it has been done.';
COMMENT ON COLUMN ${schema}.bulk_action.refused IS 'How many jobs it has passed over, because the server refuses to move them, or takes too long for one alone.';
COMMENT ON COLUMN ${schema}.bulk_action.refused_ids IS 'Those of them that it would meet again.';
COMMENT ON COLUMN ${schema}.bulk_action.refusal IS 'Why the last of them was refused; null: none was.';
COMMENT ON COLUMN ${schema}.bulk_action.after_id IS 'Jobs up to this id are done with, but for those in locked_ids.';
COMMENT ON COLUMN ${schema}.bulk_action.last_id IS 'The highest id that it is for.';
COMMENT ON COLUMN ${schema}.bulk_action.per_second IS 'How many jobs a second at most; null: as fast as may be.';
COMMENT ON COLUMN ${schema}.bulk_action.batch_at IS 'When the last batch was done.';
COMMENT ON COLUMN ${schema}.bulk_action.next_at IS 'When the next batch may be done.';
COMMENT ON COLUMN ${schema}.bulk_action.ended_at IS 'When it was finished or cancelled; null: it goes on.';
COMMENT ON COLUMN ${schema}.bulk_action.locked_ids IS 'Jobs that somebody else had locked. The action comes back to them.';
COMMENT ON COLUMN ${schema}.bulk_action.stretch IS 'How many jobs a batch looks at, at most. Fewer while so many take too long.';
COMMENT ON COLUMN ${schema}.bulk_action.error IS 'Where its filter names a fingerprint: an error that had it when the action began; null otherwise.';

COMMENT ON FUNCTION ${schema}.skip_lost_numbers() IS 'Moves the sequences on, once after each recovery of the server, and where they are behind.';
COMMENT ON FUNCTION ${schema}.numbers_are_new() IS 'Whether numbers that sequences give out now have not been given out before.';
COMMENT ON FUNCTION ${schema}.server_standing() IS 'Whether the sequences have moved on, the system identifier, and the number of the timeline; zeros where the server does not tell.';
COMMENT ON FUNCTION ${schema}.storable(text) IS 'JSON text without escapes that jsonb refuses.';
COMMENT ON FUNCTION ${schema}.header(json, text) IS 'The value of a header; null if there is none.';
COMMENT ON FUNCTION ${schema}.payload_matches(json, jsonpath) IS 'Whether a payload meets a jsonpath: a condition must be true, a path must find something.';
COMMENT ON FUNCTION ${schema}.without_values(text) IS 'A message without quoted parts, numbers and ids.';
COMMENT ON FUNCTION ${schema}.thrown_by(jsonb) IS 'The method that threw an error; null without a stack trace.';
COMMENT ON FUNCTION ${schema}.error_fingerprint(jsonb) IS 'What tells one kind of error from another: 16 hexadecimal digits.';
COMMENT ON FUNCTION ${schema}.rate_permits(int, bigint, int, double precision, double precision, double precision) IS 'How many jobs a rate allows now.';
COMMENT ON FUNCTION ${schema}.rate_wait(int, bigint, int, double precision, double precision, double precision) IS 'In how many seconds a rate allows the next job.';
COMMENT ON FUNCTION ${schema}.rate_next(int, bigint, int, double precision, double precision, bigint) IS 'Where the next job may begin after so many have begun now.';
COMMENT ON FUNCTION ${schema}.rate_valid(int, bigint, int, double precision, double precision) IS 'The state of a rate; null if the rate could not have reached it.';
COMMENT ON FUNCTION ${schema}.claim_keyed_v1 IS 'Claims jobs with keys, and all jobs of a queue that is limited as a whole. For nodes only.';
COMMENT ON FUNCTION ${schema}.complete_v1 IS 'Completes a job in the transaction of its listener. For nodes only.';
COMMENT ON FUNCTION ${schema}.require_name(text, text) IS 'Fails unless this may be the name of a queue or type.';
COMMENT ON FUNCTION ${schema}.require_headers(json) IS 'Fails unless a job may have these headers.';
COMMENT ON FUNCTION ${schema}.send_wakeup(text) IS 'Tells nodes with the commit; SET rowlock.notify = ''off'' leaves it to polling.';
COMMENT ON FUNCTION ${schema}.send_key_wakeup(text, text) IS 'Tells nodes that a key has a job, or room for one.';
COMMENT ON FUNCTION ${schema}.place_job(bigint, text, json, text, int, interval, timestamptz, int, interval, json) IS 'Inserts a job whose id is drawn already.';
COMMENT ON FUNCTION ${schema}.enqueue(text, json, text, int, interval, timestamptz, int, interval, json) IS 'Enqueues a job and returns its id.';
COMMENT ON FUNCTION ${schema}.enqueue_unique(text, json, text, interval, text, int, interval, timestamptz, int, interval, json) IS 'Enqueues a job unless another one of its type holds the key; returns the job that holds it.';
COMMENT ON FUNCTION ${schema}.new_job_id() IS 'Draws an id that no job has had, also after the server has lost its last commits.';
COMMENT ON FUNCTION ${schema}.unmoved(bigint) IS 'The same id; fails in a transaction with an older snapshot if the job has left its room since.';
COMMENT ON FUNCTION ${schema}.job_state(bigint) IS 'Where a job is, or how it ended; null: there is no such job.';
COMMENT ON FUNCTION ${schema}.cancel_idle(bigint) IS 'Takes a job that has not begun to done, as cancelled.';
COMMENT ON FUNCTION ${schema}.cancel(bigint) IS 'Cancels a job: cancelled, requested, already_ended or not_found.';
COMMENT ON FUNCTION ${schema}.enqueue_with_key(text, json, text, text, int, interval, timestamptz, int, interval, json) IS 'Enqueues a job with a key, such as a tenant, and returns its id.';
COMMENT ON FUNCTION ${schema}.enqueue_unique_with_key(text, json, text, text, interval, text, int, interval, timestamptz, int, interval, json) IS 'As enqueue_unique; a job that it creates has a key, such as a tenant.';
