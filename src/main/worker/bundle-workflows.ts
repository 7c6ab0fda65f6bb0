import { runMain } from '../process/run-main.ts';
import { buildWorkflowBundle } from './build-workflow-bundle.ts';

// Run while an image is built, because its processes cannot write. A worker loads one of the four variants.
await runMain(async () => {
  const printLine = (message: string): void => void process.stdout.write(`${message}\n`);
  for (const encrypted of [false, true])
    for (const traced of [false, true])
      printLine((await buildWorkflowBundle(printLine, { encrypted, traced })).codePath);
  process.exit(0);
});
