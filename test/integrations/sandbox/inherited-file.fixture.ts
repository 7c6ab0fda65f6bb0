/** Stands for the service when it was started with an open file that it knows nothing of. */
import { readFileSync } from 'node:fs';
import { createTestSandbox } from '../../support/test-sandbox.ts';

const workspace = process.argv[2] ?? '';
process.stdout.write(`outside: ${readFileSync('/proc/self/fd/40', 'utf8')}\n`);
const { output } = await createTestSandbox().run(
  { argv: ['/bin/ls', '-l', '/proc/self/fd'], workspace: { path: workspace, writable: false } },
  { timeoutMs: 60_000, outputBytesMax: 4000 },
);
process.stdout.write(output);
