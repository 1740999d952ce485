package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.store.result.FindEndedJobs;
import dev.rowlock.queue.internal.store.result.FindEndedJobs.Ended;
import dev.rowlock.queue.internal.store.result.FindEndedJobs.Found;
import dev.rowlock.queue.internal.store.workflow.read.FindEndedWorkflows;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Which of these have ended, and how: jobs, and by minus their ids workflows, as these have one sequence. */
final class FindEnded {

    private final FindEndedJobs jobs;
    private final FindEndedWorkflows workflows;

    FindEnded(FindEndedJobs jobs, FindEndedWorkflows workflows) {
        this.jobs = jobs;
        this.workflows = workflows;
    }

    Found run(long[] ids) {
        long[] ofJobs = LongStream.of(ids).filter(id -> id > 0).toArray();
        Found found = ofJobs.length == 0 ? new Found(List.of(), true) : jobs.run(ofJobs);
        List<Ended> ended = new ArrayList<>(found.ended());
        if (ofJobs.length < ids.length) {
            long[] ofWorkflows =
                    LongStream.of(ids).filter(id -> id <= 0).map(id -> -id).toArray();
            workflows.run(ofWorkflows).forEach(each -> ended.add(new Ended(-each.id(), each.state(), null, null)));
        }
        return new Found(ended, found.all());
    }
}
