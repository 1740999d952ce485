// Graphile Worker as its documentation tunes it for throughput: local queue, completions in batches. With keys, which are named queues, there is no
// local queue: it would run several jobs of one at once (https://github.com/graphile/worker/issues/621).
import { Logger, run, runMigrations } from 'graphile-worker';
import { ran, serve, slowFrom, target } from './wire.js';

const logger = new Logger(() => (level, message) => level === 'error' && console.error(message));

await runMigrations({ connectionString: target.uri, logger });

let runner;
let localQueue = { size: 500, refetchDelay: { durationMs: 10 } };
await serve(
  {
    async rule() {
      localQueue = undefined;
    },
    async work(from, millis) {
      slowFrom(from, millis);
      runner = await run({
        connectionString: target.uri,
        logger,
        concurrency: target.concurrency,
        maxPoolSize: 10,
        noHandleSignals: true,
        preset: {
          worker: {
            connectionString: target.uri,
            concurrentJobs: target.concurrency,
            maxPoolSize: 10,
            pollInterval: 1000,
            ...(localQueue && { localQueue }),
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
            logger,
          },
        },
        taskList: {
          noop(payload) {
            return ran(payload.seq);
          },
        },
      });
    },
  },
  async () => runner?.stop(),
);
