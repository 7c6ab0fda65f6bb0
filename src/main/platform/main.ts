import { parseArguments } from '../process/parse-arguments.ts';
import { readEnvironment } from '../process/read-environment.ts';
import { runMain } from '../process/run-main.ts';
import { stopTimeoutMs, stopWithin, waitForStopSignal } from '../process/stop-signal.ts';
import { startPlatform } from './start-platform.ts';
import { formatStartupBanner } from './startup-banner.ts';

await runMain(async () => {
  const startedAt = performance.now();
  const { port, dataDir } = parseArguments(process.argv.slice(2), {}, process.env);
  const stopSignal = waitForStopSignal();
  const platform = await startPlatform({
    port,
    dataDir,
    environment: await readEnvironment(process.env),
    onProgress: (message) => process.stderr.write(`${message}\n`),
  });
  process.stdout.write(formatStartupBanner(platform, performance.now() - startedAt));
  await stopSignal;
  process.stderr.write('Stopping…\n');
  await stopWithin(platform.stop, stopTimeoutMs);
  process.exit(0);
});
