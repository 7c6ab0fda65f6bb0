import { runMain } from '../process/run-main.ts';
import { buildUi } from './build-ui.ts';
import { measureStatusPage } from './measure-status-page.ts';
import { formatSizes, measureUi } from './measure-ui.ts';
import { readUiFiles } from './read-ui-files.ts';

// Prints what browsers load, compressed, and fails when it is more than people should wait for.
await runMain(async () => {
  const built = await buildUi((message) => void process.stdout.write(`${message}\n`));
  if ('missing' in built) throw new Error(built.missing);
  const sizes = [...measureUi(await readUiFiles(built.path)), await measureStatusPage()];
  process.stdout.write(formatSizes(sizes));
  const isTooLarge = sizes.some(({ bytes, bytesMax }) => bytes > bytesMax);
  process.exit(isTooLarge ? 1 : 0);
});
