// pg-boss, fetching in batches; a batch is completed by one statement.
import PgBoss from 'pg-boss';
import { ran, serve, target } from './wire.js';

const QUEUE = 'noop';
const boss = new PgBoss({ connectionString: target.uri, max: 10 });
boss.on('error', console.error);
await boss.start();
await boss.createQueue(QUEUE);

const text = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod';

await serve(
  {
    async add(from, count) {
      await boss.insert(
        Array.from({ length: count }, (_, i) => ({ name: QUEUE, data: { seq: from + i, text } })),
      );
    },
    async work() {
      // Each call of work is a loop that fetches, runs and completes one batch after the other.
      for (let i = 0; i < Math.max(1, Math.floor(target.concurrency / 10)); i++) {
        await boss.work(QUEUE, { batchSize: 500, pollingIntervalSeconds: 0.5 }, async (jobs) => {
          for (const job of jobs) {
            ran(job.data.seq);
          }
        });
      }
    },
  },
  () => boss.stop({ graceful: true, timeout: 5000 }),
);
