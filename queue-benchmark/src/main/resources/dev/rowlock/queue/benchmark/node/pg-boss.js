// pg-boss, fetching in batches; a batch is completed by one statement. A key is a group, and in order a singleton key of a queue with the policy for that.
import { PgBoss } from 'pg-boss';
import { ran, serve, target } from './wire.js';

const boss = new PgBoss({ connectionString: target.uri, max: 10 });
boss.on('error', console.error);
await boss.start();
await boss.createQueue('noop');
await boss.createQueue('ordered', { policy: 'key_strict_fifo' });

const text = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod';
const limits = { TEN_AT_ONCE: { groupConcurrency: 10 }, ONE_AT_ONCE: { groupConcurrency: 1 } };

let rule = 'NONE';
let keys = 0;
const queue = () => (rule === 'IN_ORDER' ? 'ordered' : 'noop');

function keyOf(seq) {
  if (keys === 0) {
    return {};
  }
  const key = `tenant-${seq % keys}`;
  return rule === 'IN_ORDER' ? { singletonKey: key } : { group: { id: key } };
}

await serve(
  {
    async rule(name, count) {
      rule = name;
      keys = count;
    },
    async add(from, count) {
      await boss.insert(
        queue(),
        Array.from({ length: count }, (_, i) => ({ data: { seq: from + i, text }, ...keyOf(from + i) })),
      );
    },
    async chain(from, count, length) {
      await boss.flow(
        Array.from({ length: count }, (_, i) => ({
          ref: `s${i}`,
          name: queue(),
          data: { seq: from + i, text },
          dependsOn: i % length === 0 ? [] : [`s${i - 1}`],
        })),
      );
    },
    async work() {
      // Each call of work is a loop that fetches, runs and completes one batch after the other.
      const options = { batchSize: 500, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true, ...limits[rule] };
      for (let i = 0; i < Math.max(1, Math.floor(target.concurrency / 10)); i++) {
        await boss.work(queue(), options, async (jobs) => {
          for (const job of jobs) {
            ran(job.data.seq);
          }
        });
      }
    },
  },
  () => boss.stop({ graceful: true, timeout: 5000 }),
);
