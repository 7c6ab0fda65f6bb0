import { asProgram } from './arguments.ts';
import { workflowBundle } from './workflow-bundle.ts';

// For an image, whose processes may not write: both of the ways in which a worker may want it.
await asProgram(async () => {
  const say = (message: string): void => void process.stdout.write(`${message}\n`);
  for (const sealed of [false, true]) say((await workflowBundle(say, { sealed })).codePath);
  process.exit(0);
});
