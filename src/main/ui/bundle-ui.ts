import { runMain } from '../process/run-main.ts';
import { buildUi } from './build-ui.ts';

// Run while an image is built, because its processes cannot write.
await runMain(async () => {
  const built = await buildUi((message) => void process.stdout.write(`${message}\n`));
  if ('missing' in built) throw new Error(built.missing);
  process.stdout.write(`${built.path}\n`);
  process.exit(0);
});
