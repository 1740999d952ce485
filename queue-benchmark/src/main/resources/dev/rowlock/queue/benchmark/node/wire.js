// What a child process of the benchmark says and hears: one word and its numbers per line.
import readline from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , uri, concurrency] = process.argv;
export const target = { uri, concurrency: Number(concurrency) };

let count = 0;
let told = 0;
let slow = { from: Infinity, millis: 0 };
const starts = [];

/** Jobs numbered from here on take so long, all others no time. */
export function slowFrom(from, millis) {
  slow = { from, millis };
}

/** The listener's body; a promise if the job takes time. */
export function ran(seq) {
  if (seq < 100_000) {
    starts.push([seq, process.hrtime.bigint()]);
  }
  if (seq >= slow.from) {
    return sleep(slow.millis).then(() => {
      count++;
    });
  }
  count++;
}

setInterval(() => {
  if (count !== told) {
    process.stdout.write(`ran ${count - told}\n`);
    told = count;
  }
}, 5);

/** Says that it is ready, obeys commands, and ends when there are no more. */
export async function serve(commands, stop) {
  process.stdout.write('ready\n');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [name, ...words] = line.split(' ');
    if (name === 'stop') {
      break;
    }
    await commands[name](...words.map((word) => (/^\d+$/.test(word) ? Number(word) : word)));
    process.stdout.write(`did ${name}\n`);
  }
  await stop();
  process.stdout.write(`ran ${count - told}\n`);
  told = count;
  for (const [seq, nanos] of starts) {
    process.stdout.write(`start ${seq} ${nanos}\n`);
  }
  process.stdout.write('stopped\n', () => process.exit(0));
}
