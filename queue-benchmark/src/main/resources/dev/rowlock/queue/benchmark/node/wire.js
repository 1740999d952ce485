// What a child process of the benchmark says and hears: one word and its numbers per line.
import readline from 'node:readline';

const [, , uri, concurrency] = process.argv;
export const target = { uri, concurrency: Number(concurrency) };

let count = 0;
let told = 0;
const starts = [];

/** The listener's body. */
export function ran(seq) {
  if (seq < 100_000) {
    starts.push([seq, process.hrtime.bigint()]);
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
    await commands[name](...words.map(Number));
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
